"""ISO base media boxes: finding, making and patching them (MP4, MOV, HEIF)."""
import struct

CONTAINERS = {b"moov", b"trak", b"mdia", b"minf", b"stbl", b"dinf", b"edts", b"udta", b"mvex", b"moof", b"traf"}
# Bytes between the header of a sample entry and its first child box.
ENTRY_FIELDS = {b"avc1": 78, b"hvc1": 78, b"hev1": 78, b"av01": 78}


def box(kind, *parts):
    body = b"".join(parts)
    return struct.pack(">I4s", 8 + len(body), kind) + body


def full(kind, version, flags, *parts):
    return box(kind, struct.pack(">I", version << 24 | flags), *parts)


def walk(data, start=0, end=None, path=()):
    """Yields (path, start, end) of every box, parents first; `start` is where its size field stands."""
    end = len(data) if end is None else end
    while start + 8 <= end:
        size, kind = struct.unpack(">I4s", data[start:start + 8])
        head = 8
        if size == 1:
            size, head = struct.unpack(">Q", data[start + 8:start + 16])[0], 16
        stop = start + size if size else end
        yield path + (kind,), start, stop
        if kind in CONTAINERS:
            yield from walk(data, start + head, stop, path + (kind,))
        elif kind == b"stsd":
            yield from walk(data, start + 16, stop, path + (kind,))
        elif kind in ENTRY_FIELDS:
            yield from walk(data, start + 8 + ENTRY_FIELDS[kind], stop, path + (kind,))
        start = stop


def find(data, kind, nth=0):
    """(start, end) of the nth box of this kind."""
    return [(s, e) for p, s, e in walk(data) if p[-1] == kind][nth]


def body(data, kind, nth=0):
    start, end = find(data, kind, nth)
    return data[start + 8:end]


def set_durations(data, seconds):
    """Writes a false duration into mvhd, and into tkhd and mdhd of every track; the sample tables stay as they are."""
    out = bytearray(data)
    timescale = struct.unpack(">I", body(data, b"mvhd")[12:16])[0]
    for path, start, _ in walk(data):
        at = start + 8
        kind = path[-1]
        if kind == b"mvhd":
            struct.pack_into(">I", out, at + 16, seconds * timescale)
        elif kind == b"tkhd":
            struct.pack_into(">I", out, at + 20, seconds * timescale)
        elif kind == b"mdhd":
            struct.pack_into(">I", out, at + 16, seconds * struct.unpack(">I", data[at + 12:at + 16])[0])
    return bytes(out)


def set_rotation(data, clockwise):
    """Turns the first track, which is the video, with its display matrix."""
    out = bytearray(data)
    start, _ = find(data, b"tkhd")
    width, height = struct.unpack(">II", data[start + 84:start + 92])
    a, b, c, d, x, y = {90: (0, 1, -1, 0, height, 0), 180: (-1, 0, 0, -1, width, height), 270: (0, -1, 1, 0, 0, width)}[clockwise]
    struct.pack_into(">9i", out, start + 48, a << 16, b << 16, 0, c << 16, d << 16, 0, x, y, 1 << 30)
    return bytes(out)


def drop_edit_lists(data):
    """Renames edts to free, which keeps every offset."""
    out = bytearray(data)
    for path, start, _ in walk(data):
        if path[-1] == b"edts":
            out[start + 4:start + 8] = b"free"
    return bytes(out)


def set_edit(data, start_seconds, length_seconds):
    """Makes each track's edit list one entry that shows [start, start + length) of the media."""
    out = bytearray(data)
    movie = struct.unpack(">I", body(data, b"mvhd")[12:16])[0]
    scales = [struct.unpack(">I", data[s + 20:s + 24])[0] for p, s, _ in walk(data) if p[-1] == b"mdhd"]
    track = -1
    for path, start, _ in walk(data):
        at = start + 8
        if path[-1] == b"trak":
            track += 1
        if path[-1] == b"tkhd":
            struct.pack_into(">I", out, at + 20, length_seconds * movie)
        if path[-1] == b"mvhd":
            struct.pack_into(">I", out, at + 16, length_seconds * movie)
        if path[-1] == b"elst":
            count = struct.unpack(">I", data[at + 4:at + 8])[0]
            entry = at + 8
            media = struct.unpack(">i", data[entry + 4:entry + 8])[0]
            assert count == 1 and media >= 0, "the source must have one plain edit"
            # The first edit's media time is the encoder's delay: keep it.
            struct.pack_into(">Ii", out, entry, length_seconds * movie, media + start_seconds * scales[track])
    return bytes(out)


def add_user_data(data, texts):
    """Adds QuickTime texts ({b"\xa9xyz": "…"}) to the movie's udta, which must end the file, so that no offset changes."""
    entries = b"".join(box(k, struct.pack(">HH", len(t.encode()), 0), t.encode()) for k, t in texts.items())
    out = bytearray(data + entries)
    for kind in (b"moov", b"udta"):
        start, end = find(data, kind)
        assert end == len(data), "moov and in it udta must come last"
        struct.pack_into(">I", out, start, end - start + len(entries))
    return bytes(out)


def remove(data, kind):
    """Removes a box of the top level."""
    start, end = find(data, kind)
    return data[:start] + data[end:]
