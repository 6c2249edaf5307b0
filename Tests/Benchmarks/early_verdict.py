#!/usr/bin/env python3
"""How much of an hour of video is fetched before it is rejected for lasting longer than 30 s.

usage: Tests/Benchmarks/early_verdict.py [--json FILE] [--enclosure FILE]

Needs build/enclosure and build/enclosure-media (make build), ffmpeg and nginx. Makes files of an hour and at least
500 MB, one at a time, in a temporary folder (about 1.2 GB at most), serves each by nginx on loopback and has
`enclosure inspect` look at it. What counts is what nginx says it has sent. Where a stream was broken off, that includes
what was still in the buffers of both sockets; what comes as a stream comes at 100 Mbit/s.

Exit status: 0 every criterion is met, 1 one is not, 69 something is missing, 70 a file could not be made or looked at.
"""
import argparse
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KIB = 1024
MINUTE = 60

# A minute of noise: what cannot be compressed keeps the rate that it is given.
NOISE = ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=30,noise=alls=60:allf=t",
         "-f", "lavfi", "-i", "sine=frequency=330:sample_rate=48000", "-t", str(MINUTE)]
RATE = ["-b:v", "1150k", "-minrate", "1150k", "-maxrate", "1150k", "-bufsize", "1150k", "-g", "60"]
H264 = NOISE + ["-c:v", "libx264", "-preset", "ultrafast", "-x264-params", "nal-hrd=cbr"] + RATE + [
    "-c:a", "aac", "-b:a", "64k"]
VP8 = NOISE + ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8"] + RATE + ["-c:a", "libopus", "-b:a", "64k"]


class Case:
    """One way in which an hour of video comes.

    `limit` is how many bytes nginx may send, headers included; `with_index` adds the size of the moov box to it.
    """

    def __init__(self, title, name, source, options, limit, *, ranges=True, with_index=False, pipe=False, minutes=60):
        self.title, self.name, self.source, self.options, self.limit = title, name, source, options, limit
        self.ranges, self.with_index, self.pipe, self.minutes = ranges, with_index, pipe, minutes


RATE_LIMIT = 12_500_000  # bytes per second of a stream
# What a stream costs beyond the bytes that show the verdict: a second, for looking at them and breaking it off.
STREAM = 4 * KIB * KIB + RATE_LIMIT
# Without a duration in the header the first half minute has to be fetched, and it is looked at when what is there has
# doubled. Files are smaller than the 500 MB that are fetched of a video at most: larger ones may be refused for that.
PACKETS = {"limit": 10 * KIB * KIB + RATE_LIMIT, "minutes": 50}

CASES = [
    Case("MP4, moov first", "first.mp4", "h264", ["-movflags", "+faststart"], 256 * KIB),
    Case("MP4, moov first, no ranges", "first.mp4", "h264", ["-movflags", "+faststart"], STREAM, ranges=False),
    Case("MP4, moov last", "last.mp4", "h264", [], 512 * KIB, with_index=True),
    Case("MKV", "film.mkv", "h264", [], 256 * KIB),
    Case("MKV, no ranges", "film.mkv", "h264", [], STREAM, ranges=False),
    Case("WebM", "film.webm", "vp8", [], 256 * KIB),
    Case("WebM of a live stream", "live.webm", "vp8", ["-f", "webm"], pipe=True, **PACKETS),
    Case("MPEG-TS", "film.ts", "h264", [], **PACKETS),
    Case("MPEG-TS, no ranges", "film.ts", "h264", [], ranges=False, **PACKETS),
    Case("MP4 in fragments", "fragments.mp4", "h264", ["-movflags", "+frag_keyframe+empty_moov"], **PACKETS),
]


def main():
    options = _options()
    _require_tools(options.enclosure)
    folder = tempfile.mkdtemp(prefix="enclosure-early-verdict-", dir=os.environ.get("TMPDIR", "/var/tmp"))
    os.chmod(folder, 0o755)
    try:
        rows = _measure(folder, options)
    finally:
        shutil.rmtree(folder)
    _print_table(rows)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"files": rows}, file, indent=2)
            file.write("\n")
    return 0 if all(row["met"] for row in rows) else 1


def _options():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0], epilog="\n\n".join(__doc__.split("\n\n")[2:]),
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="write all figures to a file")
    parser.add_argument("--enclosure", metavar="FILE", default=os.path.join(ROOT, "build", "enclosure"),
                        help="the program to measure; by default build/enclosure")
    return parser.parse_args()


def _require_tools(enclosure):
    if not os.access(enclosure, os.X_OK):
        _give_up(69, f"{enclosure} is missing; make build makes it")
    missing = [tool for tool in ("ffmpeg", "nginx") if not _tool(tool)]
    if missing:
        _give_up(69, f"something is missing; apt-get install {' '.join(missing)}")


def _tool(name):
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")


def _give_up(status, message):
    print(f"early_verdict.py: {message}", file=sys.stderr)
    sys.exit(status)


def _measure(folder, options):
    files = os.path.join(folder, "files")
    os.mkdir(files)
    print("encoding a minute of each kind …", file=sys.stderr)
    minutes = {"h264": os.path.join(folder, "minute.mp4"), "vp8": os.path.join(folder, "minute.webm")}
    _ffmpeg([*H264, minutes["h264"]])
    _ffmpeg([*VP8, minutes["vp8"]])
    server = Server(folder, files)
    rows = []
    try:
        for case in CASES:
            path = os.path.join(files, case.name)
            if not os.path.exists(path):
                for other in os.listdir(files):
                    os.remove(os.path.join(files, other))
                print(f"making {case.name} …", file=sys.stderr)
                _make_film(case, minutes[case.source], path)
            rows.append(_look(case, path, server, options))
    finally:
        server.stop()
    return rows


def _make_film(case, minute, path):
    arguments = ["-stream_loop", str(case.minutes - 1), "-i", minute, "-c", "copy", *case.options]
    if case.pipe:
        # A writer that cannot go back leaves out what it learns too late.
        with open(path, "wb") as file:
            _ffmpeg([*arguments, "-"], file)
    else:
        _ffmpeg([*arguments, path])
    if case.minutes >= 60 and os.path.getsize(path) < 500_000_000:
        _give_up(70, f"{case.name} has only {os.path.getsize(path)} bytes")


def _ffmpeg(arguments, output=None):
    command = ["ffmpeg", "-nostdin", "-v", "error", "-y", *arguments]
    if subprocess.run(command, stdout=output).returncode != 0:
        _give_up(70, "ffmpeg failed: " + " ".join(command))


def _look(case, path, server, options):
    url = server.url(case.name, case.ranges)
    start = time.monotonic()
    # Nothing is fetched from loopback, or from such a port, unless that is allowed.
    allowed = {"ENCLOSURE_ALLOW_ADDRESS": "127.0.0.0/8", "ENCLOSURE_ALLOW_PORT": str(server.port)}
    run = subprocess.run(
        [options.enclosure, "inspect", url], capture_output=True, text=True, env={**os.environ, **allowed})
    seconds = time.monotonic() - start
    try:
        report = json.loads(run.stdout)
    except ValueError:
        _give_up(70, f"inspect said nothing of {url}: {run.stderr}")
    rejection = report.get("rejection") or {}
    fetch = report.get("fetch") or {}
    sent, requests = server.sent(case.name, case.ranges)
    limit = case.limit + (_index_size(path) if case.with_index else 0)
    return {
        "title": case.title, "bytes": os.path.getsize(path), "sent": sent, "requests": requests, "limit": limit,
        "received": fetch.get("bytesFetched"), "verdict": rejection.get("code"), "stage": rejection.get("stage"),
        "message": rejection.get("message"), "measured": rejection.get("measured"), "seconds": round(seconds, 3),
        "fetchMilliseconds": (fetch.get("milliseconds") or {}).get("total"),
        "met": rejection.get("code") == "video_too_long" and sent <= limit,
    }


def _index_size(path):
    """The size of an MP4's moov box."""
    with open(path, "rb") as file:
        offset = 0
        while True:
            file.seek(offset)
            header = file.read(16)
            if len(header) < 8:
                _give_up(70, f"{path} has no moov box")
            size = int.from_bytes(header[:4], "big")
            if size == 1:
                size = int.from_bytes(header[8:16], "big")
            if header[4:8] == b"moov":
                return size
            offset += size


class Server:
    """nginx on loopback, which writes down what it sends."""

    def __init__(self, folder, files):
        self.port = _free_port()
        self.log = os.path.join(folder, "access")
        configuration = os.path.join(folder, "nginx.conf")
        temporary = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in
                            ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(configuration, "w") as file:
            file.write(f"""
                daemon off; master_process off; pid {folder}/pid;
                events {{ worker_connections 64; }}
                http {{
                  log_format sent '$uri $status $bytes_sent'; access_log {self.log} sent; {temporary}
                  sendfile on;
                  types {{ video/mp4 mp4; video/webm webm; video/x-matroska mkv; video/mp2t ts; }}
                  server {{
                    listen 127.0.0.1:{self.port};
                    limit_rate {RATE_LIMIT};
                    location /ranges/ {{ alias {files}/; }}
                    location /whole/ {{ alias {files}/; max_ranges 0; }}
                  }}
                }}""")
        self.process = subprocess.Popen(
            [_tool("nginx"), "-p", folder, "-c", configuration, "-e", os.path.join(folder, "errors")])
        for _ in range(500):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.01)
        self.stop()
        _give_up(70, "nginx does not start")

    def url(self, name, ranges):
        return f"http://127.0.0.1:{self.port}/{'ranges' if ranges else 'whole'}/{name}"

    def sent(self, name, ranges):
        """Bytes of all responses for a file, and how many there were; waits until the last one is written down."""
        pattern = re.compile(rf"^/{'ranges' if ranges else 'whole'}/{re.escape(name)} \d+ (\d+)$", re.MULTILINE)
        lines = None
        for _ in range(50):
            time.sleep(0.1)
            with open(self.log) as file:
                found = pattern.findall(file.read())
            if found and found == lines:
                break
            lines = found
        return sum(map(int, lines)), len(lines)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _print_table(rows):
    print(f"{'':<36}{'file':>10}{'sent':>12}{'at most':>12}{'requests':>10}{'seconds':>9}  verdict")
    for row in rows:
        verdict = row["verdict"] or "none"
        print(f"{row['title']:<36}{row['bytes'] / 1e6:>7.0f} MB{row['sent'] / KIB:>8.0f} KiB{row['limit'] / KIB:>8.0f} KiB"
              f"{row['requests']:>10}{row['seconds']:>9.2f}  {verdict}{'' if row['met'] else '  NOT MET'}")
        if row["message"]:
            print(f"    {row['message']}")


if __name__ == "__main__":
    sys.exit(main())
