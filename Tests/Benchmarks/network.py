#!/usr/bin/env python3
"""Whether the network hides behind the work, and whether slow servers leave the quick ones alone.

usage: Tests/Benchmarks/network.py [--rounds N] [--images N] [--slow N] [--json FILE]

Needs build/enclosure and build/enclosure-media (make build), nginx and ffmpeg. Everything is on loopback.

1. 2,000 small images over nginx, by a list of their URLs, against the same files from a folder.
2. 200 files of 1 MB over nginx, alone and beside 1,000 transfers that drip at 1,500 bytes a second, from 125 other ports:
   the time from the first request for one of the 200 to the end of the last response, as nginx logs it; and the memory
   of `enclosure` while they drip.

Rounds alternate; the medians count. Exit status: 0 every criterion is met, 1 one is not, 69 something is missing, 70 a
run failed.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import origins  # noqa: E402
import processes  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BENCH = os.path.join(ROOT, "build", "bench")
LOG = os.path.join(BENCH, "network-log.txt")

SLOWEST_OVER_NETWORK = 1.15  # times the same files from a folder
SLOWEST_BESIDE_DRIPS = 1.5  # times alone
LARGEST_PER_DRIP = 96 * 1024  # bytes of memory
LARGEST_GROWTH = 8_000_000  # bytes, while nothing changes but what has dripped
FAST_FILES = 200
FAST_BYTES = 1_000_000


def main():
    options = _options()
    _require_tools(options.enclosure)
    os.makedirs(BENCH, exist_ok=True)
    with open(LOG, "w"):
        pass
    try:
        with tempfile.TemporaryDirectory(prefix="enclosure-network-") as scratch:
            report = {"hiding": _hiding(options, scratch), "drips": _drips(options, scratch)}
    except processes.Failed as failure:
        print(failure, file=sys.stderr)
        return 70
    report["criteria"] = _criteria(report)
    _print_criteria(report["criteria"])
    if options.json:
        with open(options.json, "w") as file:
            json.dump(report, file, indent=2)
            file.write("\n")
    return 0 if all(criterion["met"] for criterion in report["criteria"]) else 1


def _options():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0], epilog="\n\n".join(__doc__.split("\n\n")[2:]),
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--images", type=int, default=2000)
    parser.add_argument("--slow", type=int, default=1000)
    parser.add_argument("--json", metavar="FILE", help="write all figures to a file")
    parser.add_argument("--enclosure", metavar="FILE", default=os.path.join(ROOT, "build", "enclosure"))
    return parser.parse_args()


def _require_tools(enclosure):
    if not os.access(enclosure, os.X_OK):
        _give_up(f"{enclosure} is missing; make build makes it")
    missing = [tool for tool in ("nginx", "ffmpeg") if not origins.program(tool)]
    if missing:
        _give_up(f"something is missing; apt-get install {' '.join(missing)}")


def _give_up(message):
    print(message, file=sys.stderr)
    sys.exit(69)


# The network behind the work


def _hiding(options, scratch):
    folder = os.path.join(BENCH, f"small-{options.images}")
    _make_images(folder, options.images)
    names = sorted(os.listdir(folder))
    seconds = {"folder": [], "urls": []}
    with origins.Nginx(folder, scratch) as nginx:
        urls = os.path.join(scratch, "urls.txt")
        with open(urls, "w") as file:
            file.writelines(f"{nginx.url}/{name}\n" for name in names)
        for _ in range(options.rounds):
            for name, operand in (("folder", folder), ("urls", urls)):
                out = os.path.join(scratch, "out")
                command = [options.enclosure, "batch", operand, "--out", out, "--quiet"]
                cost = processes.run_together([command], LOG, nginx.environment)
                ready = _ready(out)
                if ready != len(names):
                    raise processes.Failed(f"only {ready} of {len(names)} images were prepared; see {LOG}")
                shutil.rmtree(out)
                seconds[name].append(cost.seconds)
                print(f"{len(names)} images by {name}: {cost.seconds:.2f} s", file=sys.stderr)
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    return {"seconds": seconds, "ratio": medians["urls"] / medians["folder"]}


def _make_images(folder, count):
    if os.path.isdir(folder) and len(os.listdir(folder)) == count:
        return
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    _ffmpeg("-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25", "-frames:v", str(count), "-q:v", "3",
            os.path.join(folder, "%05d.jpg"))


def _ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-v", "error", "-y", *arguments], check=True, stdin=subprocess.DEVNULL)


def _ready(out):
    with open(os.path.join(out, "index.jsonl")) as file:
        return sum(json.loads(line)["status"] == "ready" for line in file)


# Slow servers


def _drips(options, scratch):
    folder = os.path.join(scratch, "fast")
    os.makedirs(folder)
    _ffmpeg("-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25", "-frames:v", str(FAST_FILES), "-q:v", "3",
            os.path.join(folder, "%03d.jpg"))
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "ab") as file:
            file.truncate(FAST_BYTES)  # decoders ignore what follows the picture
    spans = {"alone": [], "beside": []}
    memory = {"alone": [], "beside": [], "growth": []}
    most = 0
    with origins.Nginx(folder, scratch) as nginx:
        fast = [f"{nginx.url}/{name}\n" for name in sorted(os.listdir(folder))]
        for _ in range(options.rounds):
            span, curve = _fetch(options.enclosure, fast, nginx, nginx.environment, scratch)
            spans["alone"].append(span)
            memory["alone"].append(max(bytes for _, bytes in curve))
            with origins.Drips(options.slow, scratch, nginx.port) as drips:
                slow = [url + "\n" for url in drips.urls]
                span, curve = _fetch(options.enclosure, slow + fast, nginx, drips.environment, scratch)
                most = max(most, drips.most_open())
            spans["beside"].append(span)
            memory["beside"].append(max(bytes for _, bytes in curve))
            memory["growth"].append(_growth(curve))
            print(
                f"{FAST_FILES} files of {FAST_BYTES} bytes: alone {spans['alone'][-1]:.2f} s, {memory['alone'][-1] >> 20}"
                f" MiB; beside drips {span:.2f} s, {memory['beside'][-1] >> 20} MiB, of which grown while dripping"
                f" {memory['growth'][-1] / 2**20:.1f}; {most} drips open at once", file=sys.stderr)
    return {
        "seconds": spans, "memory": memory, "open": most, "wanted": options.slow,
        "ratio": statistics.median(spans["beside"]) / statistics.median(spans["alone"])}


def _fetch(enclosure, urls, nginx, environment, scratch):
    """Prepares the URLs. Returns how long nginx was busy with its own, and the memory curve of the control plane."""
    listing = os.path.join(scratch, "list.txt")
    with open(listing, "w") as file:
        file.writelines(urls)
    out = os.path.join(scratch, "out")
    nginx.forget()
    curve = processes.memory_curve([enclosure, "batch", listing, "--out", out, "--quiet"], LOG, environment)
    if _ready(out) != FAST_FILES:
        raise processes.Failed(f"{_ready(out)} of {FAST_FILES} fast files were prepared; see {LOG}")
    shutil.rmtree(out)
    return nginx.span(FAST_FILES), curve


def _growth(curve):
    """How much memory grows from when everything is open to when the first drips end."""
    end = curve[-1][0]
    steady = [bytes for seconds, bytes in curve if 0.4 * end <= seconds <= 0.9 * end]
    return max(steady) - steady[0] if steady else 0


# The report


def _criteria(report):
    drips = report["drips"]
    peak = statistics.median(drips["memory"]["beside"]) - statistics.median(drips["memory"]["alone"])
    return [
        _criterion("small images over the network, times from a folder", report["hiding"]["ratio"],
                   SLOWEST_OVER_NETWORK),
        _criterion("fast files beside slow ones, times alone", drips["ratio"], SLOWEST_BESIDE_DRIPS),
        _criterion("KiB of memory for each slow transfer", peak / drips["wanted"] / 1024, LARGEST_PER_DRIP / 1024),
        _criterion("MB that memory grows while they drip", statistics.median(drips["memory"]["growth"]) / 1e6,
                   LARGEST_GROWTH / 1e6),
        _criterion("slow transfers missing of those meant to be open at once", drips["wanted"] - drips["open"], 0),
    ]


def _criterion(name, measured, limit):
    return {"name": name, "measured": measured, "limit": limit, "met": measured <= limit}


def _print_criteria(criteria):
    for criterion in criteria:
        verdict = "met" if criterion["met"] else "NOT MET"
        print(f"{criterion['name']}: {criterion['measured']:.2f}, at most {criterion['limit']:g}: {verdict}")


if __name__ == "__main__":
    sys.exit(main())
