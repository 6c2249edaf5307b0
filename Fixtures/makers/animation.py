"""Animations whose every composited frame is known, and the pictures of those frames in Fixtures/expected/."""
import math
import os

from . import card, gif, png

CLEAR, RED, GREEN, BLUE, YELLOW, WHITE = range(6)
PALETTE = [(0, 0, 0), (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0), (255, 255, 255)]
BITS = gif.table_bits(PALETTE)


def filled(x, y, width, height, index):
    return gif.image(x, y, width, height, [index] * (width * height), BITS)


def full_frames(colours, control=lambda n: gif.control(10), width=80, height=60):
    """Full-size frames of one colour, each with a white square that moves to the right."""
    out = b""
    for n, colour in enumerate(colours):
        indices = [WHITE if 20 <= y < 32 and 4 + 18 * n <= x < 16 + 18 * n else colour for y in range(height) for x in range(width)]
        out += control(n) + gif.image(0, 0, width, height, indices, BITS)
    return out


def disposal_gif():
    head = gif.screen(64, 48, PALETTE) + gif.loop(0)
    hole = [CLEAR if 8 <= x < 16 and 4 <= y < 12 else GREEN for y in range(16) for x in range(24)]
    return (head
            + gif.control(10, gif.KEEP) + filled(0, 0, 64, 48, BLUE)
            + gif.control(20, gif.BACKGROUND, CLEAR) + filled(8, 8, 24, 16, RED)
            + gif.control(30, gif.PREVIOUS, CLEAR) + gif.image(32, 8, 24, 16, hole, BITS)
            + gif.control(40, gif.KEEP, CLEAR) + filled(8, 28, 24, 12, YELLOW)
            + gif.control(50, gif.KEEP, CLEAR) + filled(0, 0, 16, 16, WHITE) + gif.TRAILER)


class Canvas:
    """What a viewer must show: RGBA pixels."""

    def __init__(self, width, height):
        self.width, self.rows = width, [[(0, 0, 0, 0)] * width for _ in range(height)]

    def fill(self, x, y, width, height, colour):
        for row in self.rows[y:y + height]:
            row[x:x + width] = [colour] * width

    def png(self):
        return png.png([bytes(v for p in row for v in p) for row in self.rows], self.width, colour=png.RGBA)


def disposal_gif_expected():
    opaque = [c + (255,) for c in PALETTE]
    c = Canvas(64, 48)
    frames = []
    c.fill(0, 0, 64, 48, opaque[BLUE])
    frames.append(c.png())
    c.fill(8, 8, 24, 16, opaque[RED])
    frames.append(c.png())
    c.fill(8, 8, 24, 16, (0, 0, 0, 0))        # frame 2 is disposed of
    c.fill(32, 8, 24, 16, opaque[GREEN])
    c.fill(40, 12, 8, 8, opaque[BLUE])        # the hole of frame 3
    frames.append(c.png())
    c.fill(32, 8, 24, 16, opaque[BLUE])       # frame 3 is undone
    c.fill(8, 28, 24, 12, opaque[YELLOW])
    frames.append(c.png())
    c.fill(0, 0, 16, 16, opaque[WHITE])
    frames.append(c.png())
    return frames


def dispose_apng():
    return png.apng(64, 48, [
        (card.solid(64, 48, (0, 0, 255, 255)), 0, 0, 100, png.KEEP, png.SOURCE),
        (card.solid(24, 16, (255, 0, 0, 128)), 8, 8, 200, png.CLEAR, png.OVER),
        (card.solid(24, 16, (0, 255, 0, 128)), 20, 16, 300, png.PREVIOUS, png.SOURCE),
        (card.solid(16, 12, (255, 255, 0, 255)), 40, 32, 400, png.KEEP, png.OVER)])


def dispose_apng_expected():
    c = Canvas(64, 48)
    frames = []
    c.fill(0, 0, 64, 48, (0, 0, 255, 255))
    frames.append(c.png())
    c.fill(8, 8, 24, 16, (128, 0, 127, 255))
    frames.append(c.png())
    c.fill(8, 8, 24, 16, (0, 0, 0, 0))        # frame 2 is disposed of
    c.fill(20, 16, 24, 16, (0, 255, 0, 128))
    frames.append(c.png())
    c.fill(20, 16, 24, 16, (0, 0, 255, 255))  # frame 3 is undone: blue, and the corner that frame 2 had cleared
    c.fill(20, 16, 12, 8, (0, 0, 0, 0))
    c.fill(40, 32, 16, 12, (255, 255, 0, 255))
    frames.append(c.png())
    return frames


def hidden_default_apng():
    return png.apng(64, 48, [
        (card.solid(64, 48, (0, 255, 0, 255)), 0, 0, 100, png.KEEP, png.SOURCE),
        (card.solid(64, 48, (0, 0, 255, 255)), 0, 0, 100, png.KEEP, png.SOURCE)],
        plays=2, hidden_default=card.solid(64, 48, (255, 0, 0, 255)))


def plain_apng():
    """Three opaque full frames: red, green, blue."""
    return png.apng(64, 48, [(card.solid(64, 48, c + (255,)), 0, 0, 150, png.KEEP, png.SOURCE)
                             for c in (card.RED, card.GREEN, card.BLUE)])


def bouncing_gif(width, height, frames):
    """A ball on a striped ground, for animations that must be shrunk."""
    out = gif.screen(width, height, PALETTE) + gif.loop(0)
    radius = height // 6
    for n in range(frames):
        cx, cy = width * (n + 1) // (frames + 1), height - radius - int(abs(math.sin(n * 0.9)) * height * 0.6)
        rows = bytearray()
        for y in range(height):
            row = bytearray([BLUE if y * 12 // height % 2 else GREEN]) * width
            if abs(y - cy) < radius:
                half = int(math.sqrt(radius * radius - (y - cy) ** 2))
                row[max(0, cx - half):cx + half] = bytes([RED]) * (min(width, cx + half) - max(0, cx - half))
            rows += row
        out += gif.control(8) + gif.image(0, 0, width, height, rows, BITS)
    return out + gif.TRAILER


def noisy_gif(width=1000, height=800, frames=20):
    """Noise cannot be compressed: more than 10 MB."""
    import random
    palette = [(i, (i * 7) & 255, 255 - i) for i in range(256)]
    out = gif.screen(width, height, palette) + gif.loop(0)
    for n in range(frames):
        out += gif.control(6) + gif.image(0, 0, width, height, random.Random(n).randbytes(width * height), 8)
    return out + gif.TRAILER


def write_all(media, expected):
    folder = os.path.join(media, "animation")
    head = gif.screen(80, 60, PALETTE)
    colours = (RED, GREEN, BLUE, YELLOW)
    zero = [gif.control(0)] * 4
    truncated = head + gif.loop(0) + full_frames(colours) + gif.TRAILER
    files = {
        "simple.gif": head + gif.loop(0) + full_frames(colours) + gif.TRAILER,
        "disposal.gif": disposal_gif(),
        "no-control.gif": head + gif.loop(0) + full_frames(colours[:3], lambda n: b"") + gif.TRAILER,
        "zero-delay.gif": head + gif.loop(0) + full_frames(colours, lambda n: zero[n]) + gif.TRAILER,
        "loop-3.gif": head + gif.loop(3) + full_frames(colours) + gif.TRAILER,
        "no-loop.gif": head + full_frames(colours) + gif.TRAILER,
        "truncated-last-frame.gif": truncated[:-60],
        "large-1600x900.gif": bouncing_gif(1600, 900, 6),
        "dispose-blend.png": dispose_apng(),
        "plain.apng": plain_apng(),
        "hidden-default.png": hidden_default_apng(),
    }
    for name, body in files.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(body)
    for name, frames in (("disposal-gif", disposal_gif_expected()), ("dispose-blend-png", dispose_apng_expected())):
        for n, body in enumerate(frames, 1):
            with open(os.path.join(expected, "%s-%d.png" % (name, n)), "wb") as f:
                f.write(body)


def write_noisy(path):
    with open(path, "wb") as f:
        f.write(noisy_gif())
