"""Servers on loopback for benchmarks: nginx, and one that drips."""
import contextlib
import os
import shutil
import socket
import subprocess
import threading
import time
import urllib.request


def program(name):
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")


def free_port():
    return free_ports(1)[0]


def free_ports(count):
    """Different ones: all are held until the last is known."""
    with contextlib.ExitStack() as held:
        probes = [held.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


def _permission(ports):
    """What lets `enclosure` fetch from here."""
    return {
        "ENCLOSURE_ALLOW_ADDRESS": "127.0.0.0/8", "ENCLOSURE_ALLOW_PORT": ",".join(str(port) for port in ports)}


class Nginx:
    """nginx serving a folder, with a log of when each response began and ended."""

    def __init__(self, folder, scratch, servers=""):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = _permission([self.port])
        self._home = os.path.join(scratch, f"nginx-{self.port}")
        os.makedirs(self._home)
        self._log = os.path.join(self._home, "access")
        temporary = "\n".join(
            f"{name}_temp_path {self._home}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(os.path.join(self._home, "nginx.conf"), "w") as file:
            file.write(f"""
daemon off; master_process off; pid {self._home}/pid;
events {{ worker_connections 4096; }}
http {{
  log_format bench '$msec $request_time $status $bytes_sent';
  access_log {self._log} bench;
  {temporary}
  sendfile on; keepalive_requests 100000;
  types {{ image/jpeg jpg; video/mp4 mp4; video/webm webm; }}
  server {{ listen 127.0.0.1:{self.port} backlog=1024; root {folder}; }}{servers}
}}
""")

    def __enter__(self):
        self._process = subprocess.Popen(
            [program("nginx"), "-p", self._home, "-c", f"{self._home}/nginx.conf", "-e", f"{self._home}/errors"])
        for _ in range(500):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return self
            time.sleep(0.02)
        raise RuntimeError("nginx does not start")

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()

    def forget(self):
        os.truncate(self._log, 0)

    def span(self, count):
        """Seconds from the first request to the end of the last of so many responses."""
        for _ in range(100):
            with open(self._log) as file:
                lines = [line.split() for line in file if line.endswith("\n")]
            if len(lines) >= count:
                break
            time.sleep(0.05)
        ends = [float(line[0]) for line in lines]
        starts = [float(line[0]) - float(line[1]) for line in lines]
        return max(ends) - min(starts)


class Drips:
    """nginx whose bodies come at 1,500 bytes a second for half a minute, on many ports.

    It takes next to no processor time from what is measured, which a server in Python would.
    """

    RATE, SECONDS, PER_PORT = 1500, 30, 8

    def __init__(self, count, scratch, *other_ports):
        self._status, *ports = free_ports(1 + -(-count // self.PER_PORT))
        folder = os.path.join(scratch, "drips")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "drip"), "wb") as file:
            file.write(b"\xff\xd8\xff\xe0".ljust(self.RATE * self.SECONDS, b"\0"))
        listeners = "\n".join(f"listen 127.0.0.1:{port} backlog=1024;" for port in ports)
        self._nginx = Nginx(folder, scratch, servers=f"""
  server {{
    {listeners}
    root {folder}; limit_rate {self.RATE}; default_type image/jpeg;
    location / {{ try_files /drip =404; }}
  }}
  server {{ listen 127.0.0.1:{self._status}; access_log off; location / {{ stub_status; }} }}""")
        self.urls = [f"http://127.0.0.1:{ports[number % len(ports)]}/{number}.jpg" for number in range(count)]
        self.environment = _permission([*other_ports, *ports])
        self._most = 0
        self._ended = threading.Event()

    def most_open(self):
        return self._most

    def __enter__(self):
        self._nginx.__enter__()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._thread.join()
        self._nginx.__exit__()

    def _watch(self):
        """Notes how many transfers are open; the one that asks does not count."""
        while not self._ended.wait(0.25):
            with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{self._status}/") as answer:
                writing = int(answer.read().split(b"Writing:")[1].split()[0])
                self._most = max(self._most, writing - 1)
