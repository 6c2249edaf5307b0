#!/usr/bin/env python3
"""What a picture should have become: decoded at full scale and resized by Lanczos-3, without loss and as JPEG.

Runs in the benchmark's virtual environment. Reads lines of a photo, a width, a height, and where the PNG and the JPEG
go, separated by tabs; answers each with the photo's EXIF orientation.
"""
import sys

from PIL import Image, ImageOps

QUALITY = 80


def main():
    for line in sys.stdin:
        source, width, height, png, jpeg = line.rstrip("\n").split("\t")
        with Image.open(source) as picture:
            orientation = picture.getexif().get(0x0112, 1)
            # No draft() and no reducing gap: every pixel of the photo takes part, with Lanczos' full weight.
            picture = ImageOps.exif_transpose(picture)
            picture = picture.resize((int(width), int(height)), Image.Resampling.LANCZOS)
        picture.save(png, compress_level=1)
        picture.save(jpeg, quality=QUALITY)  # 4:2:0, as everybody else does
        print(orientation, flush=True)


main()
