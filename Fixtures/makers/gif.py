"""GIF, written block by block, with its own LZW."""
import struct

KEEP, BACKGROUND, PREVIOUS = 1, 2, 3  # disposal methods
TRAILER = b"\x3b"


def lzw(indices, minimum):
    """The LZW code stream of `indices` in sub-blocks, `minimum` being the code size byte that stands before them."""
    clear, end = 1 << minimum, (1 << minimum) + 1
    table, size, next_code = {}, minimum + 1, end + 1
    bits, count, out = clear, size, bytearray()
    prefix = None
    for i in indices:
        if prefix is None:
            prefix = i
            continue
        known = table.get((prefix, i))
        if known is not None:
            prefix = known
            continue
        bits |= prefix << count
        count += size
        if next_code < 4096:
            table[(prefix, i)] = next_code
            if next_code == 1 << size and size < 12:
                size += 1
            next_code += 1
        else:
            bits |= clear << count
            count += size
            table, size, next_code = {}, minimum + 1, end + 1
        prefix = i
        while count >= 8:
            out.append(bits & 255)
            bits >>= 8
            count -= 8
    bits |= prefix << count
    count += size
    # A decoder adds an entry after each code, so the width may step up once more before the end code.
    if next_code == 1 << size and size < 12:
        size += 1
    bits |= end << count
    count += size
    out += bits.to_bytes((count + 7) // 8, "little")
    blocks = b"".join(bytes([len(out[i:i + 255])]) + bytes(out[i:i + 255]) for i in range(0, len(out), 255))
    return bytes([minimum]) + blocks + b"\0"


def table_bits(palette):
    """Exponent n of the colour table size 2**n that holds the palette (at least 2 entries)."""
    return max(1, (len(palette) - 1).bit_length())


def table(palette):
    return b"".join(bytes(c) for c in palette).ljust(3 << table_bits(palette), b"\0")


def screen(width, height, palette, background=0):
    """Signature, logical screen and global colour table."""
    n = table_bits(palette)
    return b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF0 | (n - 1), background, 0) + table(palette)


def loop(count):
    """The Netscape extension: 0 repeats for ever, n repeats n more times after the first showing."""
    return b"\x21\xff\x0bNETSCAPE2.0\x03\x01" + struct.pack("<H", count) + b"\0"


def control(centiseconds, disposal=KEEP, transparent=None):
    return (b"\x21\xf9\x04" + bytes([disposal << 2 | (transparent is not None)])
            + struct.pack("<HB", centiseconds, transparent or 0) + b"\0")


def image(x, y, width, height, indices, bits):
    """An image block; `bits` is the exponent of the colour table in force."""
    return b"\x2c" + struct.pack("<HHHHB", x, y, width, height, 0) + lzw(indices, max(2, bits))


def comment(text):
    return b"\x21\xfe" + bytes([len(text)]) + text + b"\0"
