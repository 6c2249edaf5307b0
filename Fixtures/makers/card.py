"""The test card: a letter F between four corners of different colours, so that every rotation and mirroring shows.

Pictures are lists of rows; a row is a bytearray of interleaved RGB samples.
"""

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
SLATE, YELLOW = (88, 108, 140), (250, 214, 80)


def card(width=240, height=160):
    """The upright card: top left red, top right green, bottom left blue, bottom right white, a yellow F on slate."""
    c = min(width, height) * 3 // 10  # side of a corner square: 48 px of a 240x160 card
    u = min(width, height) / 10
    cx, cy = width / 2, height / 2
    bars = [  # the F: a stem and two arms, as left, top, right, bottom
        (cx - 2 * u, cy - 4 * u, cx - u, cy + 4 * u),
        (cx - 2 * u, cy - 4 * u, cx + 2 * u, cy - 2.8 * u),
        (cx - 2 * u, cy - 0.6 * u, cx + u, cy + 0.6 * u)]
    spans = [(0, 0, c, c, RED), (width - c, 0, width, c, GREEN),
             (0, height - c, c, height, BLUE), (width - c, height - c, width, height, WHITE)]
    spans += [(*(round(v) for v in bar), YELLOW) for bar in bars]
    rows, cache = [], {}
    for y in range(height):
        key = tuple(s for s in spans if s[1] <= y < s[3])
        if key not in cache:
            row = bytearray(bytes(SLATE) * width)
            for left, _, right, _, colour in key:
                row[3 * left:3 * right] = bytes(colour) * (right - left)
            cache[key] = row
        rows.append(bytearray(cache[key]))
    return rows


def solid(width, height, colour):
    """One colour everywhere; the colour's length is the number of channels."""
    return [bytearray(bytes(colour) * width) for _ in range(height)]


def pixels(rows, channels=3):
    """Rows as lists of pixel tuples."""
    return [[tuple(r[i:i + channels]) for i in range(0, len(r), channels)] for r in rows]


def unpixels(grid):
    """The reverse of pixels()."""
    return [bytearray(b for p in line for b in p) for line in grid]


def rotate_clockwise(grid):
    return [list(line) for line in zip(*grid[::-1])]


def rotate_counterclockwise(grid):
    return [list(line) for line in zip(*grid)][::-1]


def mirror(grid):
    return [line[::-1] for line in grid]


def flip(grid):
    return grid[::-1]


def transpose(grid):
    return [list(line) for line in zip(*grid)]


def transverse(grid):
    return mirror(flip(transpose(grid)))


# What must be stored so that a viewer who applies EXIF orientation n sees the upright picture.
STORED_FOR_ORIENTATION = {
    1: lambda g: g, 2: mirror, 3: lambda g: mirror(flip(g)), 4: flip,
    5: transpose, 6: rotate_counterclockwise, 7: transverse, 8: rotate_clockwise}


def stored_for_orientation(rows, orientation):
    return unpixels(STORED_FOR_ORIENTATION[orientation](pixels(rows)))


def enlarge(rows, factor):
    """Each pixel becomes a square of factor x factor pixels."""
    out = []
    for line in pixels(rows):
        wide = bytearray(b"".join(bytes(p) * factor for p in line))
        out += [wide] * factor
    return out


def write_ppm(path, rows):
    with open(path, "wb") as f:
        f.write(b"P6\n%d %d\n255\n" % (len(rows[0]) // 3, len(rows)))
        for r in rows:
            f.write(r)
