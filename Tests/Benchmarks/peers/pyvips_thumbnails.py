#!/usr/bin/env python3
"""libvips from Python as people script it: one process, a thread for each core, each with one worker of libvips.

usage: VIPS_CONCURRENCY=1 pyvips_thumbnails.py FOLDER OUT THREADS
"""
import concurrent.futures
import hashlib
import json
import os
import sys

import pyvips

SIDE = 1024


def prepare(source, folder):
    name = os.path.basename(source)
    picture = pyvips.Image.thumbnail(source, SIDE, height=SIDE, size="down")
    data = picture.write_to_buffer(".jpg", Q=80, strip=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)
    manifest = {"id": name, "attachments": [{
        "location": name, "typeHint": "public.jpeg", "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data),
        "width": picture.width, "height": picture.height}]}
    with open(os.path.join(folder, name + ".json"), "w") as file:
        json.dump(manifest, file)


def main(source, out, threads):
    pyvips.cache_set_max(0)  # every picture is seen once
    with concurrent.futures.ThreadPoolExecutor(int(threads)) as pool:
        jobs = [pool.submit(prepare, os.path.join(source, name), out) for name in sorted(os.listdir(source))]
        for job in jobs:
            job.result()


if __name__ == "__main__":
    main(*sys.argv[1:])
