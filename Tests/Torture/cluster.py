"""NATS servers with JetStream on loopback, for the time of a run."""
import json
import os
import shutil
import socket
import subprocess
import time


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


class Cluster:
    """Three servers that are killed and started again, with the stream kept on all of them; or one."""

    def __init__(self, work, rng, size=3):
        self.work = work
        self.size = size
        self.ports = free_ports(2 * size)
        self.servers = [None] * size
        self.url = "nats://" + ",".join(f"127.0.0.1:{port}" for port in self.ports[:size]) + "/torture"
        self.options = []
        self.program = shutil.which("nats-server") or "/usr/sbin/nats-server"

    def __enter__(self):
        os.environ["ENCLOSURE_NATS_REPLICAS"] = "3"
        routes = ",".join(f"nats-route://127.0.0.1:{port}" for port in self.ports[self.size:])
        for number in range(self.size):
            self._configure(number, routes)
            self.start(number)
        time.sleep(3)
        return self

    def __exit__(self, *_):
        for server in self.servers:
            if server:
                server.kill()
                server.wait()

    def _configure(self, number, routes):
        listen = f"127.0.0.1:{self.ports[self.size + number]}"
        cluster = f'cluster {{ name: torture, listen: "{listen}", routes: [{routes}] }}' if self.size > 1 else ""
        (self.work / f"nats-{number}.conf").write_text(f"""
            server_name: n{number}
            listen: "127.0.0.1:{self.ports[number]}"
            jetstream {{ store_dir: "{self.work}/nats-{number}" }}
            {cluster}
            """)

    def start(self, number):
        with open(self.work / f"nats-{number}.log", "ab") as log:
            self.servers[number] = subprocess.Popen(
                [self.program, "-c", str(self.work / f"nats-{number}.conf")], stdout=log, stderr=log)

    def free_leases(self, most):
        """How many jobs that somebody had can be had again now. They are given back at once.

        The server counts a lease among the leases until somebody else asks for the job, so this asks.
        """
        stream = self.url.rpartition("/")[2]
        with socket.create_connection(("127.0.0.1", self.ports[0]), timeout=5) as connection, connection.makefile(
                "rwb") as lines:
            request = json.dumps({"batch": most, "no_wait": True}).encode()
            lines.write(b'CONNECT {"verbose":false,"headers":true}\r\nSUB inbox 1\r\nPUB $JS.API.CONSUMER.MSG.NEXT.%s.workers'
                        b' inbox %d\r\n%s\r\n' % (stream.encode(), len(request), request))
            lines.flush()
            found = set()
            replies = []
            while len(replies) < most:
                words = lines.readline().split()
                if words[0] not in (b"MSG", b"HMSG"):
                    continue
                lines.read(int(words[-1]) + 2)
                # A message without a job says that there are no more.
                if not words[3].startswith(b"$JS.ACK."):
                    break
                replies.append(words[3])
                deliveries, sequence = words[3].split(b".")[-5:-3]
                if int(deliveries) > 1:
                    found.add(sequence)
            for reply in replies:
                lines.write(b"PUB %s 4\r\n-NAK\r\n" % reply)
            lines.write(b"PING\r\n")
            lines.flush()
            while lines.readline() != b"PONG\r\n":
                pass
            return len(found)

    def restart_one(self, rng):
        """Kills one server, and starts it again some seconds later: the others have to do meanwhile."""
        number = rng.randrange(self.size)
        self.servers[number].kill()
        self.servers[number].wait()
        time.sleep(2)
        self.start(number)
        # Two of three have to be up to date before the next one goes.
        time.sleep(3)
