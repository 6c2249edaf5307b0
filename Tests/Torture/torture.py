"""Kills workers and helpers without end, and looks at what became of the jobs.

usage: torture.py [--jobs N] [--seed N] [--nats]

Two workers serve a queue, by default in a SQLite file, while every 100 to 500 ms one of them, or one of their helpers,
is killed with SIGKILL. With --nats the queue is a JetStream stream on three servers, of which one after the other is
killed and started again. At the end every job must have exactly one manifest or one dead letter, every asset of a
manifest must be there with its hash, and nothing temporary may be left after the next start. In between all workers
are killed at once: 15 s later no lease may be held any more.
"""
import argparse
import base64
import contextlib
import hashlib
import json
import os
import pathlib
import random
import sys
import time
import urllib.parse

from service import MEDIA, Origin, Queue, Worker, events, folder

QUICK = ["image/landscape.jpg", "image/lossy.webp", "image/card.tif", "image/grid.heic", "image/exif-6-only.heic",
         "image/lossless-alpha.webp", "image/metadata.jpg", "animation/simple.gif", "animation/alpha.webp",
         "audio/aac.m4a", "audio/pcm16.wav", "audio/flac.flac", "bad/broken-header.jpg", "bad/page.jpg",
         "bad/empty.jpg", "bad/archive.jpg"]
SLOW = ["encode/rotation-90.mp4", "encode/theora.ogv"]


def jobs(count, origin, rng, calls_back=False):
    made = []
    for number in range(count):
        sources = []
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            name = rng.choice(SLOW if rng.random() < 0.03 else QUICK)
            if rng.random() < 0.3:
                sources.append("file://" + urllib.parse.quote(str(MEDIA / name)))
            else:
                sources.append(origin.url(name, number=rng.randrange(50)))
        made.append({"id": f"job {number}", "sources": sources})
        if number % 3 == 0 and calls_back:
            made[-1]["callback"] = origin.callback
    return made


class Faults:
    def __init__(self):
        self.messages = []

    def check(self, holds, message):
        if not holds:
            self.messages.append(message)
            print(f"FAULT: {message}", flush=True)


def manifest_path(store, job):
    return store / "manifests" / (urllib.parse.quote(job, safe="-._~") + ".json")


def check_store(store, ids, dead, faults):
    rejected = 0
    for job in ids:
        path = manifest_path(store, job)
        faults.check(path.exists() != (job in dead), f"{job}: manifest {path.exists()}, dead letter {job in dead}")
        if not path.exists():
            continue
        manifest = json.loads(path.read_text())
        faults.check(manifest["id"] == job, f"{job}: the manifest is of {manifest['id']}")
        rejected += manifest["status"] == "rejected"
        for attachment in manifest["attachments"]:
            for asset in [attachment] + ([attachment["poster"]] if "poster" in attachment else []):
                file = store / asset["location"]
                held = file.exists() and hashlib.sha256(file.read_bytes()).hexdigest() == asset["sha256"]
                faults.check(held, f"{job}: {asset['location']} is missing or damaged")
    return rejected


def check_leftovers(store, spool, faults):
    left = [p for p in (store / ".work").glob("*")] + [p for p in spool.glob("*")]
    faults.check(not left, f"left behind: {[str(p) for p in left][:5]}")


def check_callbacks(planned, dead, messages, faults):
    """A receiver may get a message twice, when the worker dies before it has noted the answer; it is the same one then."""
    for job in planned:
        told = messages.get(job["id"], [])
        faults.check(len(set(told)) == ("callback" in job), f"{job['id']}: its callback got {told}")
        faults.check(all((status == "dead") == (job["id"] in dead) for _, status in told), f"{job['id']}: told {told}")


def finished_once(logs, faults):
    ends = {}
    for log in logs:
        for event in events(log):
            if event.get("event") in ("job_finished", "job_buried"):
                job = event["job"]["id"]
                ends[job] = ends.get(job, 0) + 1
    twice = [job for job, count in ends.items() if count > 1]
    faults.check(not twice, f"ended more than once: {twice[:5]}")


def kill_something(workers, rng, counts):
    """Kills one of all workers and helpers."""
    # Most of the time only what works: on a slow machine nothing would ever begin.
    victims = [(worker.pid, worker) for worker in workers if worker.helpers() or rng.random() < 0.1]
    victims += [(pid, None) for worker in workers for pid in worker.helpers()]
    for worker in workers:
        if worker.process.poll() is not None:
            counts["ended"] += 1
            worker.start()
    if not victims:
        return
    pid, worker = rng.choice(victims)
    if worker:
        worker.kill()
        counts["workers"] += 1
        worker.start()
    else:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, 9)
            counts["helpers"] += 1


def check_leases(queue, workers, faults, cluster):
    """Kills all workers at once: 15 s later nobody may hold a lease."""
    for worker in workers:
        worker.kill()
    start = time.monotonic()
    held = queue.status()["leased"]
    faults.check(held > 0, "there was no lease that could outlive its worker")
    if cluster:
        time.sleep(15 - (time.monotonic() - start))
        free = cluster.free_leases(held)
    else:
        while (left := queue.status()["leased"]) and time.monotonic() - start < 15:
            time.sleep(0.25)
        free = held - left
    print(f"{free} of {held} leases were free {time.monotonic() - start:.1f} s after their workers had been killed",
          flush=True)
    faults.check(free == held, f"{held - free} leases outlived their workers by 15 s")
    for worker in workers:
        worker.start()


def torture(queue, work, options, cluster=None):
    rng = random.Random(options.seed)
    faults = Faults()
    origin = Origin(failures=0.02)
    store, spool = work / "store", work / "spool"
    spool.mkdir()
    planned = jobs(options.jobs, origin, rng, calls_back=True)
    queue.add(planned)
    secret = work / "secret"
    secret.write_text("whsec_" + base64.b64encode(bytes(32)).decode() + "\n")
    secret.chmod(0o600)
    common = [*queue.options, "--callback-secret-file", str(secret), "--store", str(store), "--spool", str(spool), "--allow-files", str(MEDIA), "--jobs", "32",
              "--attempts", "6", "--listen", "none", *origin.options]
    logs = [work / "a.log", work / "b.log"]
    workers = [Worker(log, *common) for log in logs]
    counts = {"workers": 0, "helpers": 0, "servers": 0, "ended": 0}
    start = time.monotonic()
    checked = False
    while time.monotonic() - start < options.seconds:
        pause = time.monotonic() + 3
        while time.monotonic() < pause:
            time.sleep(rng.uniform(0.1, 0.5))
            kill_something(workers, rng, counts)
        if cluster:
            cluster.restart_one(rng)
            counts["servers"] += 1
        left = queue.left()
        print(f"{time.monotonic() - start:5.0f} s: {left} jobs left, {counts}", flush=True)
        if not checked and left < options.jobs / 2:
            checked = True
            check_leases(queue, workers, faults, cluster)
        if left == 0:
            break
    else:
        faults.check(False, f"{queue.left()} jobs had not ended after {options.seconds} s")
    for worker in workers:
        worker.kill()
    # The next start tidies up.
    last = Worker(work / "last.log", *common)
    time.sleep(2)
    seconds = last.stop()
    faults.check(seconds < 5, f"an idle worker took {seconds:.1f} s to end")
    dead = {letter["id"] for letter in queue.dead()}
    faults.check(all(job.startswith("job ") for job in dead), f"callbacks are dead letters: {sorted(dead)[:5]}")
    rejected = check_store(store, [job["id"] for job in planned], dead, faults)
    check_leftovers(store, spool, faults)
    check_callbacks(planned, dead, origin.messages, faults)
    finished_once(logs + [work / "last.log"], faults)
    origin.close()
    print(f"{len(planned)} jobs: {len(planned) - len(dead)} manifests ({rejected} of them rejected), {len(dead)} dead"
          f" letters; killed {counts['workers']} workers, {counts['helpers']} helpers, {counts['servers']} servers")
    return faults.messages


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--seconds", type=int, default=1200, help="when to give up")
    parser.add_argument("--nats", action="store_true")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with folder() as work:
        if options.nats:
            from cluster import Cluster
            with Cluster(work, random.Random(options.seed)) as cluster:
                faults = torture(Queue(cluster.url, cluster.options), work, options, cluster)
        else:
            faults = torture(Queue(f"sqlite:{work}/queue.db"), work, options)
    sys.exit(f"{len(faults)} faults" if faults else 0)


if __name__ == "__main__":
    main()
