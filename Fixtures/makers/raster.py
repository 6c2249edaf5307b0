"""Uncommon still formats, written here so that no other program is needed: TIFF, BMP, ICO, PSD."""
import struct
import zlib

from . import png
from .exif import LONG, SHORT, ifd


def packbits(row):
    """Apple's run length coding, which PSD uses."""
    out, i = bytearray(), 0
    while i < len(row):
        run = 1
        while i + run < len(row) and run < 128 and row[i + run] == row[i]:
            run += 1
        if run > 1:
            out += bytes([257 - run, row[i]])
            i += run
            continue
        start = i
        while i < len(row) and i - start < 128 and not (i + 1 < len(row) and row[i + 1] == row[i]):
            i += 1
        out += bytes([i - start - 1]) + row[start:i]
    return bytes(out)


def tiff(*pages, orientation=None):
    """A little-endian RGB TIFF, one strip a page, deflated."""
    out, pointer = bytearray(b"II*\0\0\0\0\0"), 4
    for rows in pages:
        strip = zlib.compress(b"".join(rows), 9)
        at = len(out)
        out += strip + b"\0" * (len(strip) & 1)
        struct.pack_into("<I", out, pointer, len(out))
        entries = [(254, LONG, [2 if len(pages) > 1 else 0]), (256, LONG, [len(rows[0]) // 3]), (257, LONG, [len(rows)]),
                   (258, SHORT, [8, 8, 8]), (259, SHORT, [8]), (262, SHORT, [2]), (273, LONG, [at]), (277, SHORT, [3]),
                   (278, LONG, [len(rows)]), (279, LONG, [len(strip)]), (284, SHORT, [1])]
        if orientation:
            entries.append((274, SHORT, [orientation]))
        pointer = len(out) + 2 + 12 * len(entries)
        out += ifd(entries, len(out))
    return bytes(out)


def bmp(rows):
    """24 bits, bottom row first."""
    width = len(rows[0]) // 3
    body = bytearray()
    for r in reversed(rows):
        line = bytearray(len(r))
        line[0::3], line[1::3], line[2::3] = r[2::3], r[1::3], r[0::3]
        body += line + b"\0" * (-len(line) % 4)
    return (b"BM" + struct.pack("<IHHI", 54 + len(body), 0, 0, 54)
            + struct.pack("<IiiHHIIiiII", 40, width, len(rows), 1, 24, 0, len(body), 2835, 2835, 0, 0) + bytes(body))


def ico(*pictures):
    """An icon of several PNG pictures, given as (rows, side)."""
    bodies = [png.png(rows, side) for rows, side in pictures]
    out, at = struct.pack("<HHH", 0, 1, len(bodies)), 6 + 16 * len(bodies)
    for (_, side), data in zip(pictures, bodies):
        out += struct.pack("<BBBBHHII", side & 255, side & 255, 0, 0, 1, 24, len(data), at)
        at += len(data)
    return out + b"".join(bodies)


def psd(rows):
    """A flat RGB document, run length coded."""
    width, height = len(rows[0]) // 3, len(rows)
    lines = [packbits(bytes(r[c::3])) for c in range(3) for r in rows]
    return (b"8BPS" + struct.pack(">H6xHIIHH", 1, 3, height, width, 8, 3) + struct.pack(">III", 0, 0, 0)
            + struct.pack(">H", 1) + b"".join(struct.pack(">H", len(v)) for v in lines) + b"".join(lines))
