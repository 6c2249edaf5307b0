#!/usr/bin/env python3
"""How long copying a 48 MB H.264 MP4 takes, beside ffmpeg -c copy -movflags +faststart.

usage: Tests/Benchmarks/remux.py [--rounds N] [--helper FILE]

Needs build/enclosure-media (make build) and ffmpeg. Makes the clip in a temporary folder, asks one helper over its
socket to prepare it, and runs ffmpeg on the same file, in turn. Judged is the preparing alone: inspecting, and decoding
the result to its end, have no counterpart in ffmpeg's command; they are printed for the record.

Exit status: 0 the criterion is met, 1 it is not, 69 something is missing, 70 a contestant failed.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from helper import Helper, Rejected  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SLOWER_THAN_FFMPEG = 1.3
BYTES = 48_000_000
SECONDS = 29


def make_clip(path):
    rate = BYTES * 8 // SECONDS
    subprocess.run(
        ["ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", f"testsrc2=size=1280x720:rate=30:duration={SECONDS},noise=alls=40:allf=t:all_seed=1",
         "-f", "lavfi", "-i", f"sine=duration={SECONDS}", "-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-pix_fmt", "yuv420p",
         "-b:v", str(rate), "-minrate", str(rate), "-maxrate", str(rate), "-bufsize", str(rate), "-nal-hrd", "cbr", "-c:a", "aac", path],
        check=True)


def timed(action):
    start = time.monotonic()
    result = action()
    return time.monotonic() - start, result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--helper", default=os.path.join(ROOT, "build", "enclosure-media"))
    options = parser.parse_args()
    if not os.path.exists(options.helper) or not shutil.which("ffmpeg"):
        print("remux.py: needs ffmpeg and build/enclosure-media (make build)", file=sys.stderr)
        return 69
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "source.mp4")
        make_clip(source)
        print(f"source: {os.path.getsize(source) / 1e6:.1f} MB, {SECONDS} s")
        return race(options, folder, source)


def race(options, folder, source):
    times = {"inspect": [], "prepare": [], "verify": [], "ffmpeg": []}
    try:
        with Helper(options.helper) as helper:
            for _ in range(options.rounds):
                with open(source, "rb") as file, open(os.path.join(folder, "copy.mp4"), "w+b") as output:
                    took, facts = timed(lambda: helper.inspect(file))
                    times["inspect"].append(took)
                    recipe = {"remux": {"type": "public.mpeg-4", "picture": 0, "pictureTag": "avc1", "sound": 1,
                                        "maximumBytes": 60_000_000, "maximumSeconds": 30, "trims": False}}
                    request = {"prepare": {"_0": {"facts": facts, "recipe": recipe}}}
                    took, (_, prepared) = timed(lambda: helper.ask(request, [file, output]))
                    times["prepare"].append(took)
                    took, _ = timed(lambda: helper.ask({"verify": {"_0": {"expected": prepared}}}, [output]))
                    times["verify"].append(took)
                command = ["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", source, "-c", "copy", "-movflags", "+faststart",
                           os.path.join(folder, "ffmpeg.mp4")]
                took, _ = timed(lambda: subprocess.run(command, check=True))
                times["ffmpeg"].append(took)
    except (Rejected, subprocess.CalledProcessError) as error:
        print(f"remux.py: {error}", file=sys.stderr)
        return 70
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, value in medians.items():
        print(f"{name:8} {value * 1000:8.1f} ms")
    ratio = medians["prepare"] / medians["ffmpeg"]
    met = ratio <= SLOWER_THAN_FFMPEG
    print(f"prepare takes {ratio:.2f} times as long as ffmpeg; at most {SLOWER_THAN_FFMPEG}: {'met' if met else 'NOT met'}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
