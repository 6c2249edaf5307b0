"""What the torture runs and benchmarks share: origins, workers, and the queue as its commands show it."""
import contextlib
import http.server
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENCLOSURE = os.environ.get("ENCLOSURE", str(ROOT / "build/enclosure"))
MEDIA = ROOT / "Fixtures/media"


@contextlib.contextmanager
def folder():
    """A folder for a run, removed afterwards; kept with KEEP=1."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="enclosure-torture-"))
    try:
        yield path
    finally:
        if os.environ.get("KEEP"):
            print(f"kept {path}")
        else:
            shutil.rmtree(path, ignore_errors=True)


class Origin:
    """A web server for the sample media.

    /N/path serves a file under as many names as wanted; ?delay=S waits first; some answers are 503.
    """

    def __init__(self, failures=0.0, cacheable=False):
        random_ = random.Random(1)
        lock = threading.Lock()
        files = {}
        # What callbacks said of each job.
        messages = self.messages = {}

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                path, _, query = self.path.partition("?")
                if query.startswith("delay="):
                    time.sleep(float(query[6:]))
                with lock:
                    fails = random_.random() < failures
                name = path.split("/", 2)[2]
                if name not in files:
                    files[name] = (MEDIA / name).read_bytes()
                body = b"" if fails else files[name]
                self.send_response(503 if fails else 200)
                self.send_header("Content-Length", str(len(body)))
                if cacheable:
                    self.send_header("Cache-Control", "max-age=3600")
                self.end_headers()
                with contextlib.suppress(OSError):
                    self.wfile.write(body)

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    fails = random_.random() < failures
                    if not fails:
                        messages.setdefault(body["id"], []).append((self.headers["webhook-id"], body["status"]))
                self.send_response(503 if fails else 204)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 512

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        self.options = ["--allow-address", "127.0.0.0/8", "--allow-port", str(self.port)]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def callback(self):
        return f"http://127.0.0.1:{self.port}/callback"

    def url(self, name, number=0, delay=None):
        return f"http://127.0.0.1:{self.port}/{number}/{name}" + (f"?delay={delay}" if delay else "")

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Queue:
    """A queue, by the commands that people use."""

    def __init__(self, url, options=()):
        self.url = url
        self.options = ["--queue", url, *options]

    def _run(self, *words, text=None):
        return subprocess.run(
            [ENCLOSURE, *words, *self.options], input=text, text=True, check=True, stdout=subprocess.PIPE).stdout

    def add(self, jobs):
        self._run("enqueue", "-", text="".join(json.dumps(job) + "\n" for job in jobs))

    def status(self):
        return json.loads(self._run("queue", "status", "--json"))

    def dead(self):
        lines = self._run("queue", "dead", "--json", "--limit", "100000").splitlines()
        return [json.loads(line) for line in lines]

    def attempts(self, job):
        """How many attempts at a job that waits were spent."""
        return json.loads(self._run("queue", "status", job, "--json"))["attempts"]

    def left(self):
        status = self.status()
        return status["ready"] + status["delayed"] + status["leased"]

    def wait(self, seconds):
        """Until all jobs have ended. Returns whether they have."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.left() == 0:
                return True
            time.sleep(0.5)
        return False


class Worker:
    """A worker process, and what it logs."""

    def __init__(self, log, *options):
        self.log = log
        self.options = options
        self.process = None
        self.start()

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [ENCLOSURE, "worker", *self.options], stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    @property
    def pid(self):
        return self.process.pid

    def helpers(self):
        found = []
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{self.pid}/task"):
                with contextlib.suppress(OSError):
                    text = pathlib.Path(f"/proc/{self.pid}/task/{task}/children").read_text()
                    found += [int(word) for word in text.split()]
        return found

    def resident(self):
        """Bytes in memory, of the control plane alone."""
        return int(pathlib.Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

    def open_files(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def open_links(self):
        """What is open, by its path; of a file without a name the folder's and a number."""
        found = []
        for name in os.listdir(f"/proc/{self.pid}/fd"):
            with contextlib.suppress(OSError):
                found.append(os.readlink(f"/proc/{self.pid}/fd/{name}"))
        return found

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self, seconds=40):
        """Asks it to end. Returns how long that took."""
        start = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(seconds)
        assert status == 0, f"the worker ended with {status}"
        return time.monotonic() - start


def events(log):
    """The log's lines; the last one of a killed worker may be cut off."""
    found = []
    for line in pathlib.Path(log).read_bytes().splitlines():
        with contextlib.suppress(ValueError):
            found.append(json.loads(line))
    return found
