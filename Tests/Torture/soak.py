"""Runs many mixed jobs through one worker, and watches its memory, open files and spool.

usage: soak.py [--jobs N] [--waves N]

Jobs come in waves. Measured is the control plane alone; media processes are recycled by themselves. The resident memory
of the last quarter may be at most 1.1 times that of the second, open files and the spool may not grow.
"""
import argparse
import random
import statistics
import sys
import time

from service import Origin, Queue, Worker, folder
from torture import jobs

LARGEST_GROWTH = 1.1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=20_000)
    parser.add_argument("--waves", type=int, default=40)
    options = parser.parse_args()
    rng = random.Random(1)
    samples = []
    with folder() as work:
        origin = Origin(failures=0.01)
        (work / "spool").mkdir()
        queue = Queue(f"sqlite:{work}/queue.db")
        worker = Worker(
            work / "worker.log", *queue.options, "--store", f"{work}/store", "--spool", f"{work}/spool", "--cache",
            f"{work}/cache", "--cache-bytes", "20000000", "--allow-files", str(work.anchor), "--listen", "none",
            *origin.options)
        start = time.monotonic()
        per_wave = options.jobs // options.waves
        for wave in range(options.waves):
            made = jobs(per_wave, origin, rng)
            for job in made:
                job["id"] = f"{wave}/{job['id']}"
            queue.add(made)
            peak = 0
            while queue.left() > per_wave // 10:
                peak = max(peak, worker.resident())
                time.sleep(0.5)
            samples.append((peak or worker.resident(), worker.open_files()))
            print(f"{time.monotonic() - start:6.0f} s: wave {wave + 1}, {samples[-1][0] / 1e6:.1f} MB, "
                  f"{samples[-1][1]} open files", flush=True)
        ended = queue.wait(600)
        time.sleep(2)
        spooled = [link for link in worker.open_links() if link.startswith(f"{work}/spool")]
        worker.stop()
        dead = len(queue.dead())
        origin.close()
    quarter = len(samples) // 4
    second = [memory for memory, _ in samples[quarter:2 * quarter]]
    last = [memory for memory, _ in samples[-quarter:]]
    growth = statistics.mean(last) / statistics.mean(second)
    # What is open in the middle of a wave goes up and down; the least of a quarter is what stays open.
    files = [min(count for _, count in part) for part in (samples[quarter:2 * quarter], samples[-quarter:])]
    print(f"{options.jobs} jobs in {time.monotonic() - start:.0f} s, {dead} dead letters; memory of the last quarter is"
          f" {growth:.2f} times that of the second ({statistics.mean(second) / 1e6:.1f} to"
          f" {statistics.mean(last) / 1e6:.1f} MB); {files[0]} open files became {files[1]}; {len(spooled)} in the spool")
    holds = ended and dead <= options.jobs / 100 and growth <= LARGEST_GROWTH and files[1] <= files[0] and not spooled
    sys.exit(0 if holds else 1)


if __name__ == "__main__":
    main()
