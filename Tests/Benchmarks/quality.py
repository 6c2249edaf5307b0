"""How much of a photo is left: luma SSIM by ffmpeg's filter, against full decoding and Lanczos-3 without loss."""
import concurrent.futures
import os
import re
import subprocess

import outputs


class Quality:
    """SSIM of one photo: of each contestant's picture, and of full decoding at the same quality and size."""

    def __init__(self, photo, orientation, full, contestants):
        self.photo = photo
        self.orientation = orientation
        self.full = full
        self.contestants = contestants

    def loss(self, contestant):
        """How far a contestant stays behind full decoding; negative when it is ahead."""
        return self.full - self.contestants[contestant]


def measure(made, photos, work, python, here):
    """Compares the pictures that contestants made of `photos`.

    `made` holds the outputs of each contestant by photo. All have to be of one size, or the comparison means nothing.
    """
    requests = []
    for number, photo in enumerate(photos):
        # Rounding may differ by a pixel; each size gets a reference of its own.
        for width, height in sorted({(of[photo].width, of[photo].height) for of in made.values()}):
            stem = os.path.join(work, f"{number}-{width}x{height}")
            requests.append((photo, width, height, stem + ".png", stem + ".jpg"))
    orientations = _make_references(requests, python, here)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        full = dict(zip(((r[0], r[1], r[2]) for r in requests), pool.map(lambda r: _ssim(r[4], r[3]), requests)))
        references = {(photo, width, height): png for photo, width, height, png, _ in requests}

        def compare(photo):
            scores = {}
            for contestant, of in made.items():
                output = of[photo]
                scores[contestant] = _ssim(output.path, references[photo, output.width, output.height])
            return scores

        scores = list(pool.map(compare, photos))
    for request in requests:
        outputs.Output(request[4])  # of quality 80 as well
    result = []
    for photo, of in zip(photos, scores):
        output = made["enclosure"][photo]
        result.append(Quality(photo, orientations[photo], full[photo, output.width, output.height], of))
    return result


def _make_references(requests, python, here):
    text = "".join("\t".join(map(str, request)) + "\n" for request in requests)
    done = subprocess.run(
        [python, os.path.join(here, "reference.py")], input=text, capture_output=True, text=True, check=True)
    return {request[0]: int(line) for request, line in zip(requests, done.stdout.split())}


def _ssim(picture, reference):
    # gray is the luma plane as it is, or by BT.601 from RGB, both in full range: what JPEG's own luma is.
    done = subprocess.run(
        ["ffmpeg", "-nostdin", "-hide_banner", "-noautorotate", "-i", picture, "-noautorotate", "-i", reference,
         "-filter_complex", "[0:v]format=gray[a];[1:v]format=gray[b];[a][b]ssim", "-f", "null", "-"],
        capture_output=True, text=True, check=True)
    found = re.search(r"SSIM Y:([0-9.]+)", done.stderr)
    if not found:
        raise subprocess.SubprocessError(f"ffmpeg said nothing about {picture}:\n{done.stderr}")
    return float(found[1])
