#!/usr/bin/env python3
"""How long encoding a VP9 video takes beside ffmpeg with the same settings, and what 4K HEVC needs of memory.

usage: Tests/Benchmarks/encode.py [--rounds N] [--seconds N] [--json FILE] [--skip-memory]

Needs build/enclosure and build/enclosure-media (make build) and ffmpeg. Makes its videos in build/bench once. Both
programs run in turn, several rounds, with one thread; judged is the median of the processor's seconds, which other work
on the machine disturbs less than the clock. Enclosure inspects the source before and decodes the result afterwards;
ffmpeg does neither.

Exit status: 0 every criterion is met, 1 one is not, 69 something is missing, 70 a program failed.
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

import processes  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BENCH = os.path.join(ROOT, "build", "bench")
ENCLOSURE = os.path.join(ROOT, "build", "enclosure")
LOG = os.path.join(BENCH, "encode-log.txt")

SLOWER_THAN_FFMPEG = 1.1
LARGEST_PEAK = 400_000_000  # bytes, of one helper


def main():
    options = _options()
    for program in [ENCLOSURE, "ffmpeg"]:
        if shutil.which(program) is None:
            print(f"{program} is missing; run make build", file=sys.stderr)
            return 69
    os.makedirs(BENCH, exist_ok=True)
    clip = _clip(f"vp9-720p-{options.seconds}.webm", options.seconds, "1280x720", [
        "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "2500k", "-pix_fmt", "yuv420p"])
    report = _speed(clip, options.rounds)
    if not options.skip_memory:
        for name, pixels in [("8", "yuv420p"), ("10", "yuv420p10le")]:
            film = _clip(f"hevc-2160p-{name}.mp4", 2, "3840x2160", [
                "-c:v", "libx265", "-preset", "ultrafast", "-crf", "26", "-pix_fmt", pixels, "-tag:v", "hvc1",
                "-x265-params", "log-level=error:bframes=3:ref=3"])
            report[f"peak of {name}-bit 4K HEVC"] = _peak(film)
    for name, value in report.items():
        print(f"{name}: {value:,.2f}" if value < 1000 else f"{name}: {value:,.0f} bytes")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(report, file, indent=2)
            file.write("\n")
    peaks = [value for name, value in report.items() if name.startswith("peak")]
    met = report["ratio"] <= SLOWER_THAN_FFMPEG and all(peak <= LARGEST_PEAK for peak in peaks)
    print("every criterion is met" if met else
          f"not met: at most {SLOWER_THAN_FFMPEG} times ffmpeg, at most {LARGEST_PEAK:,} bytes")
    return 0 if met else 1


def _options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="runs of each program")
    parser.add_argument("--seconds", type=int, default=8, help="length of the VP9 video")
    parser.add_argument("--json", metavar="FILE", help="write the figures")
    parser.add_argument("--skip-memory", action="store_true", help="leave the 4K videos out")
    return parser.parse_args()


def _clip(name, seconds, size, codec):
    """A landscape that moves, with noise as cameras have it."""
    path = os.path.join(BENCH, name)
    if os.path.exists(path):
        return path
    width, height = size.split("x")
    landscape = os.path.join(ROOT, "Fixtures", "media", "image", "landscape.jpg")
    motion = (f"scale={int(width) + 400}:-1,crop={width}:{height}:x='150+120*sin(n/20)':y='n/2',"
              "noise=alls=6:allf=t:all_seed=7")
    unfinished = os.path.join(BENCH, "unfinished-" + name)
    subprocess.run(
        ["ffmpeg", "-v", "error", "-nostdin", "-y", "-loop", "1", "-framerate", "30", "-t", str(seconds), "-i", landscape,
         "-vf", motion, *codec, unfinished], check=True)
    os.rename(unfinished, path)
    return path


def _speed(clip, rounds):
    with tempfile.TemporaryDirectory(dir=BENCH) as folder:
        def enclosure(number):
            return [ENCLOSURE, "prepare", clip, "--out", os.path.join(folder, f"out-{number}")]

        manifest = json.loads(subprocess.run(
            enclosure("first"), check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL).stdout)
        settings = next(step for step in manifest["attachments"][0]["steps"] if step.startswith("encoded h264"))
        quality = settings.split("crf ")[1].split(",")[0]
        rate = settings.split("at most ")[1].split(" ")[0]
        ffmpeg = [
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-threads", "1", "-filter_threads", "1", "-i", clip, "-c:v",
            "libx264", "-preset", "veryfast", "-profile:v", "high", "-level", "4.0", "-crf", quality, "-bf", "0",
            "-maxrate", rate + "M", "-bufsize", rate + "M", "-threads", "1", "-movflags", "+faststart",
            os.path.join(folder, "ffmpeg.mp4")]
        costs = {"enclosure": [], "ffmpeg": []}
        for number in range(rounds):
            costs["enclosure"].append(processes.run_together([enclosure(number)], LOG).processor)
            costs["ffmpeg"].append(processes.run_together([ffmpeg], LOG).processor)
        ours, theirs = (statistics.median(costs[name]) for name in ["enclosure", "ffmpeg"])
        return {
            "enclosure, processor seconds": ours, "ffmpeg, processor seconds": theirs, "ratio": ours / theirs,
            "enclosure, size in MB": manifest["attachments"][0]["bytes"] / 1e6,
            "ffmpeg, size in MB": os.path.getsize(os.path.join(folder, "ffmpeg.mp4")) / 1e6}


def _peak(film):
    with tempfile.TemporaryDirectory(dir=BENCH) as folder:
        run = processes.Watched([ENCLOSURE, "prepare", film, "--out", os.path.join(folder, "out")], LOG)
        return max(run.peaks.values())


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (processes.Failed, subprocess.CalledProcessError) as failure:
        print(failure, file=sys.stderr)
        sys.exit(70)
