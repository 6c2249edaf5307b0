#!/usr/bin/env python3
"""Pillow as people script it: shrink while decoding, Lanczos, one process for each core.

usage: pillow_thumbnails.py FOLDER OUT PROCESSES
"""
import hashlib
import io
import json
import multiprocessing
import os
import sys

from PIL import Image, ImageOps

SIDE = 1024


def prepare(job):
    source, folder = job
    name = os.path.basename(source)
    picture = Image.open(source)
    # The decoder's half, quarter or eighth scale, if that is large enough. A box of 1024x1024 would do as well and be
    # slower: it asks for more than a picture that is not square becomes.
    scale = SIDE / max(picture.size)
    picture.draft("RGB", (int(picture.width * scale), int(picture.height * scale)))
    picture = ImageOps.exif_transpose(picture)
    picture.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    encoded = io.BytesIO()
    picture.convert("RGB").save(encoded, "JPEG", quality=80)
    data = encoded.getvalue()
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)
    manifest = {"id": name, "attachments": [{
        "location": name, "typeHint": "public.jpeg", "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data),
        "width": picture.width, "height": picture.height}]}
    with open(os.path.join(folder, name + ".json"), "w") as file:
        json.dump(manifest, file)


def main(source, out, processes):
    jobs = [(os.path.join(source, name), out) for name in sorted(os.listdir(source))]
    with multiprocessing.Pool(int(processes)) as pool:
        for _ in pool.imap_unordered(prepare, jobs):
            pass


if __name__ == "__main__":
    main(*sys.argv[1:])
