"""HEIC files around one HEVC picture that ffmpeg has encoded, with exactly the properties a test needs."""
import struct

from . import boxes
from .boxes import box, full


def heic(movie, width, height, rotation=None, exif=None):
    """A HEIC of the first sample of `movie` (an MP4 with one HEVC sample).

    width, height: of the coded picture, before rotation.
    rotation: angle of the irot property, in quarter turns counter-clockwise.
    exif: a TIFF block that becomes an Exif item.
    """
    config = boxes.body(movie, b"hvcC")
    picture = boxes.body(movie, b"mdat")
    properties = [box(b"hvcC", config), full(b"ispe", 0, 0, struct.pack(">II", width, height)),
                  box(b"colr", b"nclx" + struct.pack(">HHHB", 1, 13, 6, 0x80)), full(b"pixi", 0, 0, b"\3\x08\x08\x08")]
    if rotation is not None:
        properties.append(box(b"irot", bytes([rotation])))
    essential = {1, 5}  # the decoder configuration and the rotation
    links = bytes(n | (0x80 if n in essential else 0) for n in range(1, len(properties) + 1))
    items, entries, reference = [picture], [(1, b"hvc1")], b""
    if exif:
        items.append(struct.pack(">I", 6) + b"Exif\0\0" + exif)
        entries.append((2, b"Exif"))
        reference = full(b"iref", 0, 0, box(b"cdsc", struct.pack(">HHH", 2, 1, 1)))
    brands = box(b"ftyp", b"heic\0\0\0\0mif1heic")

    def meta(data_at):
        places, at = b"", data_at
        for n, item in enumerate(items, 1):
            places += struct.pack(">HHHII", n, 0, 1, at, len(item))
            at += len(item)
        return full(b"meta", 0, 0,
                    full(b"hdlr", 0, 0, struct.pack(">I4s12s", 0, b"pict", b""), b"\0"),
                    full(b"pitm", 0, 0, struct.pack(">H", 1)),
                    full(b"iloc", 0, 0, struct.pack(">BBH", 0x44, 0, len(items)), places),
                    full(b"iinf", 0, 0, struct.pack(">H", len(entries)),
                         *(full(b"infe", 2, 0, struct.pack(">HH4s", n, 0, kind), b"\0") for n, kind in entries)),
                    reference,
                    box(b"iprp", box(b"ipco", *properties),
                        full(b"ipma", 0, 0, struct.pack(">IHB", 1, 1, len(links)), links)))
    size = len(brands) + len(meta(0)) + 8
    return brands + meta(size) + box(b"mdat", *items)


def sequence(movie):
    """The HEIF image sequence (brand msf1, handler pict) of an MP4 with one HEVC track."""
    out = bytearray(movie)
    start, end = boxes.find(movie, b"ftyp")
    brands = b"msf1\0\0\0\0" + b"msf1hevcmif1iso8"
    new = box(b"ftyp", brands.ljust(end - start - 8, b"\0")[:end - start - 8])
    out[start:end] = new
    at, _ = boxes.find(movie, b"hdlr")
    out[at + 16:at + 20] = b"pict"
    return bytes(out)
