"""PNG and APNG, written chunk by chunk."""
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY, RGB, PALETTE, GREY_ALPHA, RGBA = 0, 2, 3, 4, 6
CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGBA: 4}
# Adam7: first column, first row, column step, row step of each pass.
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def header(width, height, depth, colour, interlaced=False):
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, int(interlaced)))


def deflate(rows):
    """Rows of packed bytes, filter 0 before each, as one zlib stream."""
    return zlib.compress(b"".join(b"\0" + bytes(r) for r in rows), 9)


def sub_filtered(rows, stride):
    """As deflate(), with filter 1 (difference to the pixel on the left), which suits gradients."""
    out = bytearray()
    for r in rows:
        out.append(1)
        out += bytes((r[i] - (r[i - stride] if i >= stride else 0)) & 255 for i in range(len(r)))
    return zlib.compress(bytes(out), 9)


def interlace(rows, stride):
    """The seven Adam7 passes of whole-byte pixels."""
    out = []
    for x0, y0, dx, dy in PASSES:
        for row in rows[y0::dy]:
            line = b"".join(bytes(row[x * stride:(x + 1) * stride]) for x in range(x0, len(row) // stride, dx))
            if line:
                out.append(line)
    return out


def png(rows, width, depth=8, colour=RGB, before=b"", interlaced=False, gradient=False):
    """A whole PNG. `rows` hold packed samples, `before` goes between IHDR and IDAT."""
    stride = CHANNELS[colour] * depth // 8
    body = (deflate(interlace(rows, stride)) if interlaced
            else sub_filtered(rows, stride) if gradient else deflate(rows))
    return (SIGNATURE + header(width, len(rows), depth, colour, interlaced) + before
            + chunk(b"IDAT", body) + chunk(b"IEND", b""))


# APNG -----------------------------------------------------------------------------------------------------------------
KEEP, CLEAR, PREVIOUS = 0, 1, 2  # dispose_op
SOURCE, OVER = 0, 1              # blend_op


def frame_control(sequence, width, height, x, y, milliseconds, dispose, blend):
    return chunk(b"fcTL", struct.pack(">IIIIIHHBB", sequence, width, height, x, y, milliseconds, 1000, dispose, blend))


def apng(width, height, frames, plays=0, hidden_default=None):
    """An RGBA APNG. A frame is (rows, x, y, milliseconds, dispose, blend).

    Without `hidden_default` the first frame is the IDAT; with it, IDAT holds that picture and is no part of the animation.
    """
    out = SIGNATURE + header(width, height, 8, RGBA) + chunk(b"acTL", struct.pack(">II", len(frames), plays))
    sequence = 0
    if hidden_default is not None:
        out += chunk(b"IDAT", deflate(hidden_default))
    for n, (rows, x, y, milliseconds, dispose, blend) in enumerate(frames):
        out += frame_control(sequence, len(rows[0]) // 4, len(rows), x, y, milliseconds, dispose, blend)
        sequence += 1
        if n == 0 and hidden_default is None:
            out += chunk(b"IDAT", deflate(rows))
        else:
            out += chunk(b"fdAT", struct.pack(">I", sequence) + deflate(rows))
            sequence += 1
    return out + chunk(b"IEND", b"")
