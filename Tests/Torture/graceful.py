"""Ends a busy worker in order, and looks at what became of the jobs.

usage: graceful.py [--jobs N] [--grace SECONDS]

The origins of half of the jobs take longer than the grace period. A second signal must end the worker at once.
"""
import argparse
import signal
import sys
import time

from service import Origin, Queue, Worker, events, folder


def until_busy(queue):
    """Waits for the worker to be in the middle of it. Returns how many jobs it has."""
    for _ in range(300):
        if queue.status()["leased"]:
            break
        time.sleep(0.1)
    time.sleep(1)
    return queue.status()["leased"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--grace", type=int, default=5)
    options = parser.parse_args()
    faults = []
    with folder() as work:
        origin = Origin()
        queue = Queue(f"sqlite:{work}/queue.db")
        queue.add({"id": f"{number}", "sources": [
            origin.url("image/landscape.jpg", number, delay=30 if number % 2 else 0.05 * (number % 40))]}
            for number in range(options.jobs))
        common = [*queue.options, "--store", f"{work}/store", "--grace", str(options.grace), "--listen", "none",
                  *origin.options]
        worker = Worker(work / "first.log", *common)
        leased = until_busy(queue)
        seconds = worker.stop(options.grace + 10)
        status = queue.status()
        log = events(work / "first.log")
        finished = sum(event["event"] == "job_finished" for event in log)
        released = sum(event["event"] == "job_released" for event in log)
        print(f"{leased} jobs in work at SIGTERM; ended after {seconds:.1f} s of {options.grace}; {finished} finished,"
              f" {released} given back; then {status}")
        if seconds > options.grace + 0.5:
            faults.append(f"it took {seconds:.1f} s to end")
        if status["leased"] or status["dead"] or status["delayed"]:
            faults.append(f"jobs are left in another state than ready: {status}")
        if status["ready"] + finished != options.jobs:
            faults.append(f"{options.jobs} jobs became {status['ready']} ready and {finished} finished ones")
        if any(event["event"] in ("job_retried", "job_buried") for event in log):
            faults.append("an attempt was spent")

        for event in log:
            if event["event"] == "job_released" and queue.attempts(event["job"]["id"]):
                faults.append(f"job {event['job']['id']} was given back, but its attempt was spent")

        second = Worker(work / "second.log", *common)
        until_busy(queue)
        start = time.monotonic()
        second.process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        second.process.send_signal(signal.SIGTERM)
        second.process.wait(10)
        seconds = time.monotonic() - start
        print(f"with a second signal it took {seconds:.2f} s, status {second.process.returncode}")
        if seconds > 1:
            faults.append(f"a second signal ended it after {seconds:.1f} s")
        origin.close()
    for fault in faults:
        print(f"FAULT: {fault}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
