"""Measures how long a video's poster takes, beside ffmpeg fetching the same picture.

A helper that runs, as it does when a worker or a batch has it, makes a poster of each clip, with the search for the picture; and
ffmpeg writes a JPEG of the picture at the very time that the helper chose, scaled to the same size, as a script calls it:
  ffmpeg -ss T -i CLIP -frames:v 1 -vf scale=W:H -q:v 4 OUT.jpg
They take turns, and the medians are compared. How long a helper takes from its start to the first poster and its end is
printed for the record: half of it goes into loading libraries, as in ffmpeg's own run.

  python3 Tests/Benchmarks/posters.py build/enclosure-media [--rounds N] [--limit RATIO] [CLIP…]

Without clips it makes some: H.264 of 720p and 1080p with a key frame every two seconds, the same with a single one and a black
beginning, and HEVC of 2160p. Ends with 1 when a ratio is above the limit (1.2 by default).
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

from helper import Helper

CLIPS = {
    "h264-720p": ["-vf", "scale=1280:720", "-c:v", "libx264", "-g", "50"],
    "h264-1080p": ["-vf", "scale=1920:1080", "-c:v", "libx264", "-g", "50"],
    "h264-1080p-one-key": ["-vf", "scale=1920:1080,fade=in:20:20", "-c:v", "libx264", "-g", "1000", "-sc_threshold", "0"],
    "hevc-2160p": [
        "-vf", "scale=3840:2160", "-c:v", "libx265", "-g", "50", "-tag:v", "hvc1", "-x265-params", "log-level=error"],
}
SECONDS = 6


def make_clip(name, folder):
    path = os.path.join(folder, name + ".mp4")
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"mandelbrot=size=960x540:rate=25:maxiter=300", "-t", str(SECONDS),
         *CLIPS[name], "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-movflags", "+faststart", path], check=True)
    return path


def duration(path):
    run = subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path], check=True,
        capture_output=True, text=True)
    return float(run.stdout)


def ours(helper, clip, length, output):
    start = time.monotonic()
    with open(clip, "rb") as source, open(output, "w+b") as target:
        poster = helper.poster(source, target, length)
    return time.monotonic() - start, poster


def fresh(program, clip, length, output):
    start = time.monotonic()
    with Helper(program) as helper:
        ours(helper, clip, length, output)
    return time.monotonic() - start


def theirs(clip, poster, output):
    size = f"{poster['file']['width']}:{poster['file']['height']}"
    start = time.monotonic()
    subprocess.run(
        ["ffmpeg", "-v", "error", "-nostdin", "-y", "-threads", "1", "-ss", str(poster["seconds"]), "-i", clip, "-frames:v", "1",
         "-vf", f"scale={size}", "-q:v", "4", output], check=True)
    return time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("clips", nargs="*")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--limit", type=float, default=1.2)
    options = parser.parse_args()
    worst = 0
    with tempfile.TemporaryDirectory(prefix="posters-") as folder:
        clips = options.clips or [make_clip(name, folder) for name in CLIPS]
        output = os.path.join(folder, "poster.jpg")
        print(f"{'clip':24} {'enclosure':>10} {'ffmpeg':>10} {'ratio':>6} {'fresh':>10}  picture")
        for clip in clips:
            length = duration(clip)
            mine, other, first = [], [], []
            with Helper(options.program) as helper:
                for _ in range(options.rounds):
                    seconds, poster = ours(helper, clip, length, output)
                    mine.append(seconds)
                    other.append(theirs(clip, poster, output))
                    first.append(fresh(options.program, clip, length, output))
            ratio = statistics.median(mine) / statistics.median(other)
            worst = max(worst, ratio)
            times = [f"{statistics.median(values) * 1000:7.0f} ms" for values in (mine, other, first)]
            print(
                f"{os.path.basename(clip):24} {times[0]} {times[1]} {ratio:6.2f} {times[2]}"
                f"  at {poster['seconds']:g} s, {poster['file']['width']}x{poster['file']['height']}")
    print(f"worst ratio {worst:.2f}, limit {options.limit}")
    return 0 if worst <= options.limit else 1


if __name__ == "__main__":
    sys.exit(main())
