#!/usr/bin/env python3
"""How long encoding a VP9 video takes beside ffmpeg with the same settings, and what 4K HEVC needs of memory.

usage: Tests/Benchmarks/encode.py [--rounds N] [--seconds N] [--json FILE] [--skip-memory]

Needs build/enclosure and build/enclosure-media (make build) and ffmpeg. Makes its videos in build/bench once. A helper
and ffmpeg encode in turn, several rounds, with one thread; judged is the median of the processor's seconds, which other
work on the machine disturbs less than the clock. What the helper does besides, inspecting the source and decoding the
result to its end, has no counterpart in ffmpeg's command; it is printed for the record. The memory is that of whole runs.

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
from helper import Helper, Rejected  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BENCH = os.path.join(ROOT, "build", "bench")
ENCLOSURE = os.path.join(ROOT, "build", "enclosure")
HELPER = os.path.join(ROOT, "build", "enclosure-media")
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
        pq = ":colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc"
        for name, pixels, colours in [("8-bit", "yuv420p", ""), ("10-bit", "yuv420p10le", ""), ("PQ", "yuv420p10le", pq)]:
            film = _clip(f"hevc-2160p-{name}.mp4", 2, "3840x2160", [
                "-c:v", "libx265", "-preset", "ultrafast", "-crf", "26", "-pix_fmt", pixels, "-tag:v", "hvc1",
                "-x265-params", "log-level=error:bframes=3:ref=3" + colours])
            report[f"peak of {name} 4K HEVC"] = _peak(film)
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
        inspection = json.loads(subprocess.run(
            [ENCLOSURE, "inspect", clip], check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL).stdout)
        costs = {"inspect": [], "prepare": [], "verify": [], "ffmpeg": []}

        def enclosure():
            with open(clip, "rb") as source, open(os.path.join(folder, "ours.mp4"), "w+b") as output, Helper(HELPER) as helper:
                def cost(name, action):
                    before = processes.processor_seconds(helper.process.pid)
                    result = action()
                    costs[name].append(processes.processor_seconds(helper.process.pid) - before)
                    return result

                facts = cost("inspect", lambda: helper.inspect(source))
                request = {"prepare": {"_0": {"facts": facts, "recipe": inspection["plan"]}}}
                _, prepared = cost("prepare", lambda: helper.ask(request, [source, output]))
                cost("verify", lambda: helper.ask({"verify": {"_0": {"expected": prepared}}}, [output]))
                return prepared

        prepared = enclosure()
        settings = next(step for step in prepared["steps"] if step.startswith("encoded h264"))
        quality = settings.split("crf ")[1].split(",")[0]
        rate = settings.split("at most ")[1].split(" ")[0]
        ffmpeg = [
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-threads", "1", "-filter_threads", "1", "-i", clip, "-c:v",
            "libx264", "-preset", "veryfast", "-profile:v", "high", "-level", "4.0", "-crf", quality, "-bf", "0",
            "-maxrate", rate + "M", "-bufsize", rate + "M", "-threads", "1", "-movflags", "+faststart",
            os.path.join(folder, "ffmpeg.mp4")]
        for _ in range(rounds):
            enclosure()
            costs["ffmpeg"].append(processes.run_together([ffmpeg], LOG).processor)
        medians = {name: statistics.median(values) for name, values in costs.items()}
        return {
            **{f"{name}, processor seconds": value for name, value in medians.items()},
            "ratio": medians["prepare"] / medians["ffmpeg"],
            "enclosure, size in MB": prepared["bytes"] / 1e6,
            "ffmpeg, size in MB": os.path.getsize(os.path.join(folder, "ffmpeg.mp4")) / 1e6}


def _peak(film):
    with tempfile.TemporaryDirectory(dir=BENCH) as folder:
        run = processes.Watched([ENCLOSURE, "prepare", film, "--out", os.path.join(folder, "out")], LOG)
        return max(run.peaks.values())


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (processes.Failed, Rejected, subprocess.CalledProcessError) as failure:
        print(failure, file=sys.stderr)
        sys.exit(70)
