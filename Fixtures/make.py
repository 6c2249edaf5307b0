#!/usr/bin/env python3
"""The hand-made part of the fixtures. make.sh calls this; see there.

usage: make.py image MEDIA WORK      stills, and PPM pictures in WORK for the encoders
       make.py scene WORK            the two landscapes, as PPM
       make.py heic MEDIA WORK       HEIC files around pictures that ffmpeg has encoded
       make.py animation MEDIA EXPECTED
       make.py video MEDIA WORK      movies whose boxes are patched
       make.py timeline MEDIA WORK   clips with odd time stamps, headers, edit lists and streams
       make.py amr FILE              AMR, for which Debian has no encoder
       make.py sequence MOVIE FILE   the same HEVC track as a HEIF image sequence
       make.py exif N FILE           a JPEG's EXIF segment with orientation N
       make.py bad MEDIA
       make.py noisy-gif FILE        a GIF of more than 10 MB
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def main(arguments):
    from makers import animation, bad, exif, heif, image, movie, scene, timeline
    commands = {"image": image.write_all, "heic": image.write_heics, "animation": animation.write_all, "bad": bad.write_all,
                "scene": scene.write_all, "video": movie.write_all, "timeline": timeline.write_all, "amr": movie.write_amr, "exif": exif.write_segment, "sequence": heif.write_sequence,
                "noisy-gif": animation.write_noisy}
    if not arguments or arguments[0] not in commands:
        sys.exit(__doc__)
    commands[arguments[0]](*arguments[1:])


main(sys.argv[1:])
