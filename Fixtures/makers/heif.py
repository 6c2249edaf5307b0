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


def grid(movies, columns, tile, output, rotation):
    """A HEIC of several tiles, the way phones write theirs: a derived image joins them, crops to `output` and turns.

    tile, output: (width, height) of a coded tile, and of the joined picture before rotation.
    """
    configs = [boxes.body(m, b"hvcC") for m in movies]
    assert len(set(configs)) == 1, "the tiles must share their decoder configuration"
    rows = len(movies) // columns
    pictures = [boxes.body(m, b"mdat") for m in movies]
    join = struct.pack(">BBBBHH", 0, 0, rows - 1, columns - 1, *output)
    last = len(movies) + 1  # the item of the derived image; the tiles are 1, 2, …
    properties = [box(b"hvcC", configs[0]), full(b"ispe", 0, 0, struct.pack(">II", *tile)),
                  full(b"ispe", 0, 0, struct.pack(">II", *output)), box(b"irot", bytes([rotation])),
                  box(b"colr", b"nclx" + struct.pack(">HHHB", 1, 13, 6, 0x80))]
    links = b"".join(struct.pack(">HBBBB", n, 3, 0x81, 2, 5) for n in range(1, last)) + struct.pack(">HBBBB", last, 3, 3, 0x84, 5)
    entries = [full(b"infe", 2, 1, struct.pack(">HH4s", n, 0, b"hvc1"), b"\0") for n in range(1, last)]
    entries.append(full(b"infe", 2, 0, struct.pack(">HH4s", last, 0, b"grid"), b"\0"))
    items = pictures + [join]
    brands = box(b"ftyp", b"heic\0\0\0\0mif1heic")

    def meta(data_at):
        places, at = b"", data_at
        for n, item in enumerate(items, 1):
            places += struct.pack(">HHHII", n, 0, 1, at, len(item))
            at += len(item)
        return full(b"meta", 0, 0,
                    full(b"hdlr", 0, 0, struct.pack(">I4s12s", 0, b"pict", b""), b"\0"),
                    full(b"pitm", 0, 0, struct.pack(">H", last)),
                    full(b"iloc", 0, 0, struct.pack(">BBH", 0x44, 0, len(items)), places),
                    full(b"iinf", 0, 0, struct.pack(">H", len(entries)), *entries),
                    full(b"iref", 0, 0, box(b"dimg", struct.pack(">HH", last, len(movies)), struct.pack(">%dH" % len(movies), *range(1, last)))),
                    box(b"iprp", box(b"ipco", *properties), full(b"ipma", 0, 0, struct.pack(">I", last), links)))
    return brands + meta(len(brands) + len(meta(0)) + 8) + box(b"mdat", *items)


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


def write_sequence(movie, path):
    with open(movie, "rb") as f:
        data = f.read()
    with open(path, "wb") as f:
        f.write(sequence(data))
