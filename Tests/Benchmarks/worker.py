#!/usr/bin/env python3
"""How much a worker adds to the work: jobs a second that need none, and the way from the queue to the manifest.

usage: Tests/Benchmarks/worker.py [--jobs N] [--rounds N] [--queue sqlite|nats]

make bench-worker builds what it needs; nats needs nats-server.

1. Jobs of one source that is cached: the worker leases, reads, finds everything known, writes a manifest and completes.
   Counted from the first job that has ended to the last. With NATS it is compared with raw pull-and-ack on its server.
2. One JPEG of 200 KB, again and again on an idle worker: from POST /v1/jobs to the manifest in the store, against the
   time that `batch` notes for the same file.

Exit status: 0 every criterion is met, 1 one is not.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
import urllib.request

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Torture"))

from service import ENCLOSURE, MEDIA, Origin, Queue, Worker, folder  # noqa: E402

RAW = pathlib.Path(__file__).resolve().parents[2] / "build/queue-benchmark"
LEAST_JOBS = 1500  # per second, on SQLite
LARGEST_LATENCY = 0.030  # seconds over the bare work


def rate(work, make_queue, count):
    """Jobs a second with one cached source."""
    origin = Origin(cacheable=True)
    queue = make_queue(work)
    log = work / "rate.log"
    options = [*queue.options, "--store", f"{work}/rate-store", "--cache", f"{work}/cache", "--listen", "none",
               *origin.options]
    url = origin.url("image/landscape.jpg")
    warm = Worker(log, *options)
    queue.add([{"id": "warm", "sources": [url]}])
    assert queue.wait(60)
    warm.stop()
    for start in range(0, count, 5000):
        queue.add({"id": f"job-{number}", "sources": [url]} for number in range(start, min(start + 5000, count)))
    worker = Worker(log, *options)
    manifests = work / "rate-store" / "manifests"
    seen = []
    while True:
        done = sum(1 for _ in os.scandir(manifests)) - 1
        seen.append((time.monotonic(), done))
        if done >= count:
            break
        time.sleep(0.25)
    worker.stop()
    origin.close()
    first = next(sample for sample in seen if sample[1] > 0)
    return (seen[-1][1] - first[1]) / (seen[-1][0] - first[0])


def picture(work):
    """A JPEG of about 200 KB."""
    path = work / "picture.jpg"
    for quality in range(2, 31):
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "mandelbrot=size=1600x1200,noise=alls=12", "-frames:v",
             "1", "-q:v", str(quality), str(path)], check=True)
        if path.stat().st_size <= 210_000:
            break
    return path


def latency(work, rounds):
    """Seconds from a request to the manifest, and seconds of the bare work."""
    path = picture(work)
    bare = work / "bare"
    bare.mkdir()
    for number in range(rounds):
        (bare / f"{number}.jpg").write_bytes(path.read_bytes() + b"\0" * number)
    subprocess.run([ENCLOSURE, "batch", str(bare), "--out", f"{work}/bare-out", "--helpers", "1", "--quiet"], check=True,
                   stderr=subprocess.DEVNULL)
    # One at a time: batch has two in work.
    alone = []
    for number in range(rounds):
        one = work / f"alone-{number}"
        one.mkdir()
        (one / "a.jpg").write_bytes(path.read_bytes() + b"\1" * (number + 1))
        subprocess.run([ENCLOSURE, "batch", str(one), "--out", f"{work}/alone-out-{number}", "--helpers", "1", "--quiet"],
                       check=True, stderr=subprocess.DEVNULL)
        line = json.loads((work / f"alone-out-{number}" / "index.jsonl").read_text().splitlines()[0])
        alone.append(line["milliseconds"] / 1000)
    store = work / "latency-store"
    worker = Worker(work / "latency.log", "--queue", f"sqlite:{work}/latency.db", "--store", str(store), "--listen",
                    "127.0.0.1:0", "--allow-files", str(work))
    address = None
    while address is None:
        time.sleep(0.1)
        for line in (work / "latency.log").read_text().splitlines():
            event = json.loads(line)
            if "listening on " in event["message"]:
                address = event["message"].split("listening on ")[1]
    time.sleep(2)
    served = []
    for number in range(rounds + 3):
        source = work / f"latency-{number}.jpg"
        source.write_bytes(path.read_bytes() + b"\2" * (number + 1))
        manifest = store / "manifests" / f"{number}.json"
        body = json.dumps({"id": str(number), "sources": [f"file://{source}"]}).encode()
        start = time.perf_counter()
        urllib.request.urlopen(urllib.request.Request(f"{address}/v1/jobs", data=body, method="POST",
                                                      headers={"Content-Type": "application/json"})).read()
        while not manifest.exists():
            time.sleep(0.0005)
        served.append(time.perf_counter() - start)
        time.sleep(0.3)
    worker.stop()
    # The first ones start what is started once.
    return statistics.median(served[3:]), statistics.median(alone)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--queue", choices=["sqlite", "nats"], default="sqlite")
    options = parser.parse_args()
    met = True
    with folder() as work:
        if options.queue == "nats":
            from cluster import Cluster
            with Cluster(work, None, size=1) as cluster:
                os.environ["ENCLOSURE_NATS_REPLICAS"] = "1"
                server = cluster.url.rpartition("/")[0]
                raw = int(subprocess.run([RAW, "raw", server], check=True, stdout=subprocess.PIPE).stdout)
                jobs = rate(work, lambda _: Queue(cluster.url), options.jobs)
            print(f"{jobs:.0f} jobs a second on JetStream, {jobs / raw:.0%} of the {raw} messages that its server hands out"
                  " and takes back when nothing else is done")
        else:
            jobs = rate(work, lambda work: Queue(f"sqlite:{work}/queue.db"), options.jobs)
            met = jobs >= LEAST_JOBS
            print(f"{jobs:.0f} jobs a second on SQLite, at least {LEAST_JOBS}: {'met' if met else 'NOT met'}")
            served, bare = latency(work, options.rounds)
            fits = served - bare <= LARGEST_LATENCY
            met = met and fits
            print(f"{served * 1000:.1f} ms from request to manifest, {bare * 1000:.1f} ms bare, {(served - bare) * 1000:.1f}"
                  f" ms more, at most {LARGEST_LATENCY * 1000:.0f}: {'met' if fits else 'NOT met'}")
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
