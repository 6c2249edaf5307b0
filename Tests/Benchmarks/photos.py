#!/usr/bin/env python3
"""How fast a folder of photos becomes attachments, beside what people script today, and what of the photos is left.

usage: Tests/Benchmarks/photos.py [--count N] [--rounds N] [--json FILE] [--profile]

Needs build/enclosure and build/enclosure-media (make build), vipsthumbnail, ffmpeg, cjpeg and Python's venv. Makes 200
photos in build/bench once, installs the peers from PyPI into a virtual environment there, runs every contestant over
the photos in turn, several rounds, and judges by the medians. Each run starts with the photos in the page cache and an
empty output folder; the clock runs from the start of the program to its end.

Exit status: 0 every criterion is met, 1 one is not, 69 something is missing, 70 a contestant failed.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import contestants  # noqa: E402
import outputs  # noqa: E402
import processes  # noqa: E402
import quality  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BENCH = os.path.join(ROOT, "build", "bench")
PHOTOS = os.path.join(BENCH, "photos")
PYTHON = os.path.join(BENCH, "venv", "bin", "python")
LOG = os.path.join(BENCH, "log.txt")

FASTER_THAN_VIPSTHUMBNAIL = 1.3
FASTER_THAN_SCRIPTS = 1.0
LARGEST_LOSS = 0.015  # of luma SSIM
LARGEST_PEAK = 200_000_000  # bytes, of one helper
QUALITY_SAMPLE = 48
LARGE_PHOTO = 12_000_000  # pixels


def main():
    options = _options()
    _require_tools(options.enclosure)
    _install_peers()
    photos = _make_photos(options.count)
    everybody = contestants.contestants(options.enclosure, PYTHON, HERE)
    if options.only:
        everybody = [one for one in everybody if one.name in ["enclosure", *options.only.split(",")]]
    _print_setting(photos, options)

    with open(LOG, "w"):
        pass
    _warm_up(everybody, photos)
    folder = _folder_of(photos, "input")
    costs, made = _race(everybody, photos, folder, options.rounds)
    report = {"photos": len(photos), "cores": contestants.CORES, "contestants": _speed_report(everybody, costs, made)}
    sample = photos[::max(1, len(photos) // QUALITY_SAMPLE)][:QUALITY_SAMPLE]
    report["quality"] = _quality_report(quality.measure(made, sample, _fresh("quality"), PYTHON, HERE), made)
    report["memory"] = _memory_report(options.enclosure, photos)
    if options.profile:
        report["profile"] = _profile_report(options.enclosure, folder, len(photos))
    report["criteria"] = _criteria(report)
    _print_report(report)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(report, file, indent=2)
            file.write("\n")
    return 0 if all(criterion["met"] for criterion in report["criteria"]) else 1


def _options():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0], epilog="\n\n".join(__doc__.split("\n\n")[2:]),
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="photos; the criteria are meant for 200")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each contestant")
    parser.add_argument("--only", metavar="NAMES", help="peers to run, of vipsthumbnail,pyvips,pillow, for trying")
    parser.add_argument("--json", metavar="FILE", help="write all figures to a file")
    parser.add_argument("--profile", action="store_true", help="also tell where Enclosure's processor time goes")
    parser.add_argument("--enclosure", metavar="FILE", default=os.path.join(ROOT, "build", "enclosure"),
                        help="the program to measure; by default build/enclosure")
    return parser.parse_args()


# What has to be there


def _require_tools(enclosure):
    if not os.access(enclosure, os.X_OK):
        _give_up(69, f"{enclosure} is missing; make build makes it")
    packages = {"vipsthumbnail": "libvips-tools", "ffmpeg": "ffmpeg", "cjpeg": "libjpeg-turbo-progs"}
    missing = sorted(package for tool, package in packages.items() if not shutil.which(tool))
    try:
        import ensurepip  # noqa: F401
    except ImportError:
        missing.append("python3-venv")
    if missing:
        _give_up(69, f"something is missing; apt-get install {' '.join(missing)}")


def _install_peers():
    """Installs the peers unless they are there in the releases that requirements.txt names."""
    requirements = os.path.join(HERE, "requirements.txt")
    installed = os.path.join(BENCH, "venv", "installed.txt")
    with open(requirements) as file:
        wanted = file.read()
    try:
        with open(installed) as file:
            if file.read() == wanted:
                return
    except OSError:
        pass
    os.makedirs(BENCH, exist_ok=True)
    print("installing Pillow and pyvips from PyPI …", file=sys.stderr)
    for command in ([sys.executable, "-m", "venv", "--clear", os.path.join(BENCH, "venv")],
                    [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements]):
        if subprocess.run(command).returncode != 0:
            _give_up(69, "the peers cannot be installed; is there a network, and python3-venv?")
    with open(installed, "w") as file:
        file.write(wanted)


def _make_photos(count):
    names = [f"photo-{number:04}.jpg" for number in range(1, count + 1)]
    photos = [os.path.join(PHOTOS, name) for name in names]
    if not all(map(os.path.exists, photos)):
        print(f"making {count} photos in {PHOTOS}; this takes a few minutes, once …", file=sys.stderr)
        script = os.path.join(ROOT, "Fixtures", "make-photos.sh")
        if subprocess.run([script, PHOTOS, str(count)]).returncode != 0:
            _give_up(69, "the photos cannot be made")
    return photos


def _give_up(status, message):
    print(f"photos.py: {message}", file=sys.stderr)
    sys.exit(status)


def _fresh(name):
    """An empty folder below build/bench."""
    folder = os.path.join(BENCH, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


def _folder_of(photos, name):
    """A folder of just these photos: other names for the same files."""
    folder = _fresh(name)
    for photo in photos:
        os.link(photo, os.path.join(folder, os.path.basename(photo)))
    return folder


# The race


def _warm_up(everybody, photos):
    """Brings the photos, the programs and their libraries into memory."""
    for photo in photos:
        with open(photo, "rb") as file:
            while file.read(1 << 20):
                pass
    some = photos[:8]
    folder = _folder_of(some, "warm-up")
    for one in everybody:
        _run(one, some, folder)


def _race(everybody, photos, folder, rounds):
    """Runs everybody in turn, each round beginning with another one. Returns costs by name, and the last outputs."""
    costs = {one.name: [] for one in everybody}
    made = {}
    for number in range(rounds):
        turn = number % len(everybody)
        for one in everybody[turn:] + everybody[:turn]:
            print(f"round {number + 1} of {rounds}: {one.title}", file=sys.stderr)
            cost, made[one.name] = _run(one, photos, folder)
            costs[one.name].append(cost)
    return costs, made


def _run(one, photos, folder):
    out = _fresh(f"out-{one.name}")
    os.sync()  # nobody pays for what others have written
    try:
        cost = processes.run_together(one.commands(photos, folder, out), LOG, one.environment)
        made = one.outputs(photos, out)
        outputs.require_distinct(made)
    except (processes.Failed, outputs.Wrong, OSError, KeyError, ValueError) as error:
        _give_up(70, f"{one.title} did not prepare all photos: {error}")
    return cost, made


# Reports


def _speed_report(everybody, costs, made):
    report = {}
    for one in everybody:
        count = len(made[one.name])
        report[one.name] = {
            "title": one.title,
            "seconds": [round(cost.seconds, 3) for cost in costs[one.name]],
            "perSecond": round(count / statistics.median(cost.seconds for cost in costs[one.name]), 3),
            "processorSecondsPerPhoto": round(
                statistics.median(cost.processor for cost in costs[one.name]) / count, 5),
            "bytesPerPhoto": round(statistics.mean(output.bytes for output in made[one.name].values())),
        }
    return report


def _quality_report(measured, made):
    report = {
        "photos": len(measured), "rotated": sum(one.orientation != 1 for one in measured),
        "full": round(statistics.mean(one.full for one in measured), 5), "contestants": {}}
    for name in made:
        losses = [one.loss(name) for one in measured]
        worst = max(measured, key=lambda one: one.loss(name))
        report["contestants"][name] = {
            "mean": round(statistics.mean(one.contestants[name] for one in measured), 5),
            "meanLoss": round(statistics.mean(losses), 5), "worstLoss": round(max(losses), 5),
            "worstPhoto": os.path.basename(worst.photo)}
    return report


def _memory_report(enclosure, photos):
    large = [photo for photo in photos if _pixels(photo) >= LARGE_PHOTO]
    if not large:
        _give_up(70, "none of these photos has 12 megapixels; take more of them")
    folder = _folder_of(large, "large")
    run = _watch([enclosure, "batch", folder, "--out", _fresh("out-memory"), "--helpers", "1"])
    return {"photos": len(large), "largestPhotoPixels": max(map(_pixels, large)), "peakBytes": max(run.peaks.values())}


def _profile_report(enclosure, folder, count):
    run = _watch([enclosure, "batch", folder, "--out", _fresh("out-profile")])
    return {
        "seconds": round(run.seconds, 3), "helperSecondsPerPhoto": round(run.helpers / count, 5),
        "controlSecondsPerPhoto": round(run.control / count, 5),
        "busy": round((run.helpers + run.control) / (run.seconds * contestants.CORES), 3)}


def _watch(command):
    try:
        run = processes.Watched(command, LOG)
    except processes.Failed as error:
        _give_up(70, str(error))
    if not any(run.peaks.values()):
        _give_up(70, "no helper was seen at work")
    return run


def _pixels(photo):
    with open(photo, "rb") as file:
        width, height, _ = outputs.read_header(file.read(), photo)
    return width * height


def _criteria(report):
    speeds = {name: one["perSecond"] for name, one in report["contestants"].items()}
    ours = speeds["enclosure"]
    scripts = [name for name in ("pyvips", "pillow") if name in speeds]
    losses = report["quality"]["contestants"]["enclosure"]
    criteria = []

    def at_least(name, measured, limit):
        criteria.append({"name": name, "measured": measured, "atLeast": limit, "met": measured >= limit})

    def at_most(name, measured, limit):
        criteria.append({"name": name, "measured": measured, "atMost": limit, "met": measured <= limit})

    if "vipsthumbnail" in speeds:
        at_least("files per second against vipsthumbnail", round(ours / speeds["vipsthumbnail"], 3),
                 FASTER_THAN_VIPSTHUMBNAIL)
    if scripts:
        fastest = max(scripts, key=speeds.get)
        at_least(f"files per second against the faster script, {fastest}", round(ours / speeds[fastest], 3),
                 FASTER_THAN_SCRIPTS)
    at_most("luma SSIM lost against full decoding, mean", losses["meanLoss"], LARGEST_LOSS)
    at_most("luma SSIM lost against full decoding, worst photo", losses["worstLoss"], LARGEST_LOSS)
    at_most("peak memory of one helper on 12 MP, in MB", round(report["memory"]["peakBytes"] / 1e6, 1),
            LARGEST_PEAK / 1e6)
    return criteria


def _print_setting(photos, options):
    load = os.getloadavg()[0]
    megapixels = [_pixels(photo) / 1e6 for photo in photos]
    print(f"{len(photos)} photos of {min(megapixels):.1f} to {max(megapixels):.1f} megapixels,"
          f" {sum(map(os.path.getsize, photos)) / len(photos) / 1e6:.1f} MB each;"
          f" {contestants.CORES} cores; rounds: {options.rounds}")
    # All contestants are measured in turns, so a little company slows them alike; half the machine does not.
    if load > 0.5 * contestants.CORES:
        print(f"Other programs are running on this machine (load {load:.1f}): the figures will be of little use.")


def _print_report(report):
    speeds = report["contestants"]
    ours = speeds["enclosure"]["perSecond"]
    print(f"\n{'':31}{'files/s':>8}{'enclosure':>11}{'CPU s/file':>12}{'kB/file':>9}{'SSIM':>8}{'lost':>9}{'worst':>9}"
          "   seconds of each round")
    for name, one in speeds.items():
        ssim = report["quality"]["contestants"][name]
        rounds = " ".join(f"{seconds:.2f}" for seconds in one["seconds"])
        ratio = "" if name == "enclosure" else f"{ours / one['perSecond']:.2f} x"
        print(f"{one['title']:31}{one['perSecond']:8.2f}{ratio:>11}{one['processorSecondsPerPhoto']:12.4f}"
              f"{one['bytesPerPhoto'] / 1e3:9.1f}{ssim['mean']:8.4f}{ssim['meanLoss']:9.4f}{ssim['worstLoss']:9.4f}"
              f"   {rounds}")
    quality = report["quality"]
    print(f"{'full decoding, Lanczos-3, q80':31}{'':40}{quality['full']:8.4f}")
    print(f"SSIM of {quality['photos']} photos, {quality['rotated']} of them rotated by EXIF; lost is against full"
          " decoding at the same size and quality.")
    if "profile" in report:
        profile = report["profile"]
        print(f"\nProcessor time of enclosure batch for each photo: helpers {profile['helperSecondsPerPhoto'] * 1e3:.1f} ms,"
              f" control plane {profile['controlSecondsPerPhoto'] * 1e3:.1f} ms; cores {profile['busy']:.0%} busy.")
    print()
    for criterion in report["criteria"]:
        limit = f"at least {criterion['atLeast']}" if "atLeast" in criterion else f"at most {criterion['atMost']}"
        print(f"{'pass' if criterion['met'] else 'FAIL'}  {criterion['name']}: {criterion['measured']} ({limit})")


sys.exit(main())
