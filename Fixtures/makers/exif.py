"""EXIF, XMP and the JPEG segments that carry them."""
import struct

SHORT, LONG, RATIONAL, ASCII, BYTE = 3, 4, 5, 2, 1
SIZES = {SHORT: 2, LONG: 4, RATIONAL: 8, ASCII: 1, BYTE: 1}


def ifd(entries, offset, following=0):
    """An image file directory at `offset` (little-endian); entries are (tag, type, values), values that are bytes stay as they are."""
    entries = sorted(entries)
    heap_at = offset + 2 + 12 * len(entries) + 4
    out, heap = struct.pack("<H", len(entries)), b""
    for tag, kind, values in entries:
        if isinstance(values, bytes):
            body, count = values, len(values) // SIZES[kind]
        elif kind == RATIONAL:
            body, count = b"".join(struct.pack("<II", *v) for v in values), len(values)
        else:
            body, count = struct.pack("<%d%s" % (len(values), "H" if kind == SHORT else "I"), *values), len(values)
        if len(body) <= 4:
            field = body.ljust(4, b"\0")
        else:
            field = struct.pack("<I", heap_at + len(heap))
            heap += body + b"\0" * (len(body) & 1)
        out += struct.pack("<HHI", tag, kind, count) + field
    return out + struct.pack("<I", following) + heap


def tiff(orientation=None, make=None, model=None, gps=None):
    """A TIFF-structured EXIF block. `gps` is (latitude, longitude) in degrees."""
    entries = []
    if orientation:
        entries.append((0x0112, SHORT, [orientation]))
    if make:
        entries.append((0x010F, ASCII, make.encode() + b"\0"))
    if model:
        entries.append((0x0110, ASCII, model.encode() + b"\0"))
    if not gps:
        return b"II*\0" + struct.pack("<I", 8) + ifd(entries, 8)
    length = len(ifd(entries + [(0x8825, LONG, [0])], 8))
    head = ifd(entries + [(0x8825, LONG, [8 + length])], 8)

    def sexagesimal(v):
        v = round(abs(v) * 360000)
        return [(v // 360000, 1), (v // 6000 % 60, 1), (v % 6000, 100)]
    position = [(0, BYTE, b"\2\3\0\0"), (1, ASCII, b"N\0" if gps[0] >= 0 else b"S\0"), (2, RATIONAL, sexagesimal(gps[0])),
                (3, ASCII, b"E\0" if gps[1] >= 0 else b"W\0"), (4, RATIONAL, sexagesimal(gps[1]))]
    return b"II*\0" + struct.pack("<I", 8) + head + ifd(position, 8 + length)


def segment(marker, body):
    return bytes([0xFF, marker]) + struct.pack(">H", len(body) + 2) + body


def app1(block):
    return segment(0xE1, b"Exif\0\0" + block)


def xmp(text):
    return segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + text.encode())


def icc(profile):
    """APP2 segments; the profiles here fit into one."""
    return segment(0xE2, b"ICC_PROFILE\0\1\1" + profile)


def insert(jpeg, *segments):
    """Puts segments into a JPEG: behind its JFIF segment if it has one, as cameras and editors do."""
    at = 2
    if jpeg[2:4] == b"\xff\xe0":
        at = 4 + struct.unpack(">H", jpeg[4:6])[0]
    return jpeg[:at] + b"".join(segments) + jpeg[at:]


def write_segment(orientation, path):
    with open(path, "wb") as f:
        f.write(app1(tiff(int(orientation), "Fixture Works", "Invented One")))
