"""A small baseline JPEG encoder that can write what cjpeg will not: CMYK, YCCK, RGB, odd markers, 16-bit tables."""
import math
import struct

from .exif import segment

ZIGZAG = sorted(range(64), key=lambda i: (i // 8 + i % 8, (i // 8 if (i // 8 + i % 8) % 2 else i % 8)))
COSINES = [[math.cos((2 * x + 1) * u * math.pi / 16) * (math.sqrt(1 / 8) if u == 0 else 0.5) for x in range(8)] for u in range(8)]
# Flat Huffman codes (every symbol the same length) are legal, and the pictures are small.
DC_SYMBOLS = list(range(12))
AC_SYMBOLS = [0x00, 0xF0] + [run << 4 | size for run in range(16) for size in range(1, 11)]
DC_BITS, AC_BITS = 4, 8


def transform(block):
    """The discrete cosine transform of 64 samples that are centred on zero."""
    rows = [[sum(c[x] * block[8 * y + x] for x in range(8)) for c in COSINES] for y in range(8)]
    return [sum(COSINES[v][y] * rows[y][u] for y in range(8)) for v in range(8) for u in range(8)]


class Bits:
    def __init__(self):
        self.out, self.value, self.count = bytearray(), 0, 0

    def put(self, value, count):
        self.value = self.value << count | value
        self.count += count
        while self.count >= 8:
            self.count -= 8
            byte = self.value >> self.count
            self.value &= (1 << self.count) - 1
            self.out.append(byte)
            if byte == 0xFF:
                self.out.append(0)

    def align(self):
        if self.count:
            self.put((1 << (8 - self.count)) - 1, 8 - self.count)


def put_number(bits, v):
    size = abs(v).bit_length()
    if size:
        bits.put(v if v > 0 else v + (1 << size) - 1, size)


def put_block(bits, block, previous):
    diff = block[0] - previous
    bits.put(DC_SYMBOLS.index(abs(diff).bit_length()), DC_BITS)
    put_number(bits, diff)
    run = 0
    for v in block[1:]:
        if v == 0:
            run += 1
            continue
        while run > 15:
            bits.put(AC_SYMBOLS.index(0xF0), AC_BITS)
            run -= 16
        bits.put(AC_SYMBOLS.index(run << 4 | abs(v).bit_length()), AC_BITS)
        put_number(bits, v)
        run = 0
    if run:
        bits.put(AC_SYMBOLS.index(0), AC_BITS)


def huffman_table(kind, symbols, length):
    counts = bytes(len(symbols) if i == length else 0 for i in range(1, 17))
    return segment(0xC4, bytes([kind << 4]) + counts + bytes(symbols))


def jpeg(planes, width, height, *, step=2.0, identifiers=None, adobe=None, jfif=False, before=b"", wide_tables=False):
    """A JPEG of full-size component planes (bytes, one sample a pixel), not subsampled.

    adobe: None for no APP14, else its transform byte (0 none, 1 YCbCr, 2 YCCK).
    wide_tables: 16-bit quantisation tables (then extended sequential, SOF1).
    """
    identifiers = identifiers or list(range(1, len(planes) + 1))
    quant = [max(1, round(step * (1 + 0.35 * (i // 8 + i % 8)))) for i in range(64)]
    if wide_tables:
        quant[63] = 300  # does not fit into 8 bits
    cache = {}

    def quantised(block):
        if block not in cache:
            c = transform([v - 128 for v in block])
            cache[block] = [round(c[i] / quant[i]) for i in ZIGZAG]
        return cache[block]

    bits, previous = Bits(), [0] * len(planes)
    for by in range(0, height, 8):
        ys = [min(by + y, height - 1) * width for y in range(8)]
        for bx in range(0, width, 8):
            xs = [min(bx + x, width - 1) for x in range(8)]
            for n, plane in enumerate(planes):
                block = quantised(bytes(plane[y + x] for y in ys for x in xs))
                put_block(bits, block, previous[n])
                previous[n] = block[0]
    bits.align()

    out = b"\xff\xd8"
    if jfif:
        out += segment(0xE0, b"JFIF\0\1\1\1\0\x48\0\x48\0\0")
    out += before
    if adobe is not None:
        out += segment(0xEE, b"Adobe" + struct.pack(">HHHB", 100, 0, 0, adobe))
    table = [quant[i] for i in ZIGZAG]
    out += segment(0xDB, b"\x10" + struct.pack(">64H", *table) if wide_tables else b"\0" + bytes(table))
    out += segment(0xC1 if wide_tables else 0xC0, struct.pack(">BHHB", 8, height, width, len(planes))
                   + b"".join(bytes([i, 0x11, 0]) for i in identifiers))
    out += huffman_table(0, DC_SYMBOLS, DC_BITS) + huffman_table(1, AC_SYMBOLS, AC_BITS)
    out += segment(0xDA, bytes([len(planes)]) + b"".join(bytes([i, 0]) for i in identifiers) + b"\0\x3f\0")
    return out + bytes(bits.out) + b"\xff\xd9"


# Colour: planes of pictures made of RGB rows --------------------------------------------------------------------------
def planes_of(rows, convert, count):
    cache, out = {}, [bytearray() for _ in range(count)]
    for r in rows:
        for i in range(0, len(r), 3):
            p = bytes(r[i:i + 3])
            if p not in cache:
                cache[p] = convert(*p)
            for n, v in enumerate(cache[p]):
                out[n].append(v)
    return out


def clamp(v):
    return min(255, max(0, round(v)))


def ycc(r, g, b):
    return (clamp(0.299 * r + 0.587 * g + 0.114 * b), clamp(128 - 0.168736 * r - 0.331264 * g + 0.5 * b),
            clamp(128 + 0.5 * r - 0.418688 * g - 0.081312 * b))


def ink(r, g, b):
    """The plain separation: 0 is no ink, 255 is full ink."""
    k = 255 - max(r, g, b)
    if k == 255:
        return 0, 0, 0, 255
    return tuple(clamp(255 * (255 - k - v) / (255 - k)) for v in (r, g, b)) + (k,)


def inverted_ink(r, g, b):
    """As Adobe stores it: 255 is no ink."""
    return tuple(255 - v for v in ink(r, g, b))


def ycck(r, g, b):
    """Adobe's YCCK: RGB is the complement of the (inverted) stored CMY, so the ink itself; it becomes YCbCr, K is inverted."""
    c, m, y, k = ink(r, g, b)
    return ycc(c, m, y) + (255 - k,)
