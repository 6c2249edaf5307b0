"""Talks to `enclosure-media` as `enclosure` does: JSON messages over a socket, open files beside them."""
import json
import os
import socket
import subprocess

SOCKET = 3


class Rejected(Exception):
    """The helper gave a reason instead of a result."""


class Helper:
    """One running helper. Use it in a `with` statement."""

    def __init__(self, program, memory_mark=1 << 30):
        own, other = socket.socketpair()
        self.socket = own
        spare = os.dup(other.fileno())
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", f'exec "$0" --serve {memory_mark} {SOCKET}<&{spare}', program],
            pass_fds=[spare], stdin=subprocess.DEVNULL)
        os.close(spare)
        other.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.process.wait()

    def ask(self, request, files):
        """Sends a request, waits for the answer, and returns its outcome: a name and what goes with it."""
        body = json.dumps(request).encode()
        socket.send_fds(self.socket, [len(body).to_bytes(4, "big") + body], [file.fileno() for file in files])
        length = int.from_bytes(self._read(4), "big")
        outcome = json.loads(self._read(length))["outcome"]
        [(name, value)] = outcome.items()
        if name == "rejected":
            raise Rejected(value["_0"]["message"])
        return name, value.get("_0")

    def _read(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise Rejected("the helper has ended")
            data += part
        return data

    def inspect(self, source, seconds=30.05):
        request = {"inspect": {"_0": {"enoughSeconds": seconds, "enoughFrames": 2000}}}
        return self.ask(request, [source])[1]

    def poster(self, source, output, duration, side=1024, quality=80):
        recipe = {"side": side, "quality": quality, "maximumBytes": 10_000_000}
        return self.ask({"poster": {"_0": {"recipe": recipe, "duration": duration}}}, [source, output])[1]
