"""Servers on loopback for benchmarks: a real nginx, and one that drips."""
import asyncio
import contextlib
import os
import resource
import shutil
import socket
import subprocess
import threading
import time


def program(name):
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _permission(ports):
    """What lets `enclosure` fetch from here."""
    return {
        "ENCLOSURE_ALLOW_ADDRESS": "127.0.0.0/8", "ENCLOSURE_ALLOW_PORT": ",".join(str(port) for port in ports)}


class Nginx:
    """nginx serving a folder, with a log of when each response began and ended."""

    def __init__(self, folder, scratch):
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
  server {{ listen 127.0.0.1:{self.port} backlog=1024; root {folder}; }}
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
    """An origin whose bodies come at 1,500 bytes a second for half a minute, on many ports, in a thread of its own."""

    BYTES, TIMES, PER_PORT = 1500, 30, 8

    def __init__(self, count, *other_ports):
        # Two ends of each connection may be in this process.
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4 * count)), hard))
        self._sockets = []
        for _ in range(-(-count // self.PER_PORT)):
            listener = socket.socket()
            listener.bind(("127.0.0.1", 0))
            listener.listen(128)
            self._sockets.append(listener)
        ports = [listener.getsockname()[1] for listener in self._sockets]
        self.urls = [f"http://127.0.0.1:{ports[number % len(ports)]}/{number}.jpg" for number in range(count)]
        self.environment = _permission([*other_ports, *ports])
        self._open = self._most = 0
        self._loop = asyncio.new_event_loop()

    def most_open(self):
        return self._most

    def __enter__(self):
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        for listener in self._sockets:
            listener.close()

    def _run(self):
        asyncio.set_event_loop(self._loop)
        for listener in self._sockets:
            self._loop.run_until_complete(asyncio.start_server(self._serve, sock=listener))
        self._loop.run_forever()

    async def _serve(self, reader, writer):
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            self._open += 1
            self._most = max(self._most, self._open)
            try:
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
                    % (self.BYTES * self.TIMES))
                drop = b"\xff\xd8\xff\xe0".ljust(self.BYTES, b"\0")
                for _ in range(self.TIMES):
                    writer.write(drop)
                    await writer.drain()
                    await asyncio.sleep(1)
            finally:
                self._open -= 1
        writer.close()
