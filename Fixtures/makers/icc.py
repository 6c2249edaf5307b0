"""Two small colour profiles, written here byte by byte: Display P3, and an invented offset press (CMYK)."""
import struct


def s15(v):
    return struct.pack(">i", round(v * 65536))


def xyz(x, y, z):
    return b"XYZ \0\0\0\0" + s15(x) + s15(y) + s15(z)


def text(s):
    return b"text\0\0\0\0" + s.encode() + b"\0"


def description(s):
    """The version 2 form: ASCII, no Unicode, no ScriptCode."""
    body = s.encode() + b"\0"
    return b"desc\0\0\0\0" + struct.pack(">I", len(body)) + body + b"\0" * (4 + 4 + 2 + 1 + 67)


def unicode(s):
    """The version 4 form."""
    body = s.encode("utf-16-be")
    return b"mluc\0\0\0\0" + struct.pack(">II2s2sII", 1, 12, b"en", b"US", len(body), 28) + body


def profile(version, kind, space, connection, tags):
    table, heap, at = struct.pack(">I", len(tags)), b"", 128 + 4 + 12 * len(tags)
    places = {}
    for name, body in tags:
        if body not in places:  # equal tags share their bytes
            places[body] = at + len(heap)
            heap += body + b"\0" * (-len(body) % 4)
        table += struct.pack(">4sII", name, places[body], len(body))
    size = 128 + len(table) + len(heap)
    head = struct.pack(">I4sI4s4s4s6H4s4sI4s4sQI", size, b"\0\0\0\0", version << 24, kind, space, connection,
                       2026, 1, 1, 0, 0, 0, b"acsp", b"\0\0\0\0", 0, b"\0\0\0\0", b"\0\0\0\0", 0, 0)
    head += s15(0.9642) + s15(1.0) + s15(0.8249)  # D50, the white of the connection space
    return head.ljust(128, b"\0") + table + heap


def display_p3():
    """DCI-P3 primaries with D65 white, adapted to D50, and the sRGB curve."""
    curve = b"para\0\0\0\0\0\3\0\0" + s15(2.4) + s15(1 / 1.055) + s15(0.055 / 1.055) + s15(1 / 12.92) + s15(0.04045)
    adaptation = b"sf32\0\0\0\0" + b"".join(s15(v) for v in (
        1.04788, 0.02292, -0.05022, 0.02959, 0.99048, -0.01707, -0.00925, 0.01508, 0.75168))
    return profile(4, b"mntr", b"RGB ", b"XYZ ", [
        (b"desc", unicode("Display P3 (Enclosure fixture)")), (b"cprt", unicode("Public domain")),
        (b"wtpt", xyz(0.9642, 1.0, 0.8249)), (b"chad", adaptation),
        (b"rXYZ", xyz(0.51512, 0.24120, -0.00105)), (b"gXYZ", xyz(0.29198, 0.69225, 0.04189)),
        (b"bXYZ", xyz(0.15710, 0.06657, 0.78407)), (b"rTRC", curve), (b"gTRC", curve), (b"bTRC", curve)])


# Lab of the solid inks and their overprints on white paper. The inks are off on purpose (a teal cyan, a violet magenta, an amber
# yellow), so that a picture shows whether its profile was used. Keys are cyan, magenta, yellow.
SOLIDS = {(0, 0, 0): (100, 0, 0), (1, 0, 0): (60, -45, -20), (0, 1, 0): (42, 50, -45), (0, 0, 1): (86, 12, 85),
          (0, 1, 1): (45, 45, 15), (1, 0, 1): (50, -50, 45), (1, 1, 0): (28, 15, -50), (1, 1, 1): (22, 0, 0)}


def press_lab(c, m, y, k):
    """Multilinear between the overprints; black ink takes lightness and chroma away."""
    lab = [0.0, 0.0, 0.0]
    for (ic, im, iy), solid in SOLIDS.items():
        weight = (c if ic else 1 - c) * (m if im else 1 - m) * (y if iy else 1 - y)
        lab = [a + weight * b for a, b in zip(lab, solid)]
    return lab[0] * (1 - 0.9 * k) + 5 * k, lab[1] * (1 - k), lab[2] * (1 - k)


def lut16(inputs, outputs, grid, values):
    """An mft2 table with identity curves. `values` lists the grid, the last input varying fastest."""
    out = b"mft2\0\0\0\0" + bytes([inputs, outputs, grid, 0])
    out += b"".join(s15(v) for v in (1, 0, 0, 0, 1, 0, 0, 0, 1)) + struct.pack(">HH", 2, 2)
    out += struct.pack(">HH", 0, 65535) * inputs
    out += b"".join(struct.pack(">H", min(65535, max(0, round(v)))) for v in values)
    return out + struct.pack(">HH", 0, 65535) * outputs


def press():
    """CMYK of the invented press. Both directions, because a printer profile must have them; only A2B0 is meant to be used."""
    to_lab, n = [], 3
    steps = [i / (n - 1) for i in range(n)]
    for c in steps:
        for m in steps:
            for y in steps:
                for k in steps:
                    lightness, a, b = press_lab(c, m, y, k)
                    to_lab += [lightness * 652.8, (a + 128) * 256, (b + 128) * 256]
    to_ink = []
    for lightness in steps:  # grey component only: good enough for a direction nobody takes
        for _ in range(n * n):
            to_ink += [0, 0, 0, 65535 * (1 - lightness)]
    forward, backward = lut16(4, 3, n, to_lab), lut16(3, 4, n, to_ink)
    intents = [(b"A2B%d" % i, forward) for i in range(3)] + [(b"B2A%d" % i, backward) for i in range(3)]
    return profile(2, b"prtr", b"CMYK", b"Lab ", [
        (b"desc", description("Invented press (Enclosure fixture)")), (b"cprt", text("Public domain")),
        (b"wtpt", xyz(0.9642, 1.0, 0.8249))] + intents)
