"""Two landscapes out of nothing but noise: mountains over a lake, at sunset and at noon."""
import math
import os
import random

from . import card

WIDTH, HEIGHT = 1600, 1200
HORIZON = 730
SIDE = 256  # of the periodic noise lattice


class Noise:
    """Smooth value noise and its fractal sum, both between 0 and 1."""

    def __init__(self, seed):
        source = random.Random(seed)
        self.lattice = [source.random() for _ in range(SIDE * SIDE)]

    def at(self, x, y):
        ix, iy = math.floor(x), math.floor(y)
        fx, fy = x - ix, y - iy
        fx, fy = fx * fx * (3 - 2 * fx), fy * fy * (3 - 2 * fy)
        x0, x1 = ix & 255, (ix + 1) & 255
        y0, y1 = (iy & 255) << 8, ((iy + 1) & 255) << 8
        g = self.lattice
        a, c = g[y0 + x0], g[y1 + x0]
        a += fx * (g[y0 + x1] - a)
        c += fx * (g[y1 + x1] - c)
        return a + fy * (c - a)

    def fractal(self, x, y, octaves, gain=0.5):
        total, weight, amplitude = 0.0, 0.0, 1.0
        for n in range(octaves):
            total += amplitude * self.at(x, y + 17.3 * n)
            weight += amplitude
            amplitude *= gain
            x, y = x * 2.03 + 5.1, y * 2.03
        return total / weight

    def ridged(self, x, y, octaves):
        """Sharp crests where the noise crosses its middle."""
        total, weight, amplitude = 0.0, 0.0, 1.0
        for n in range(octaves):
            total += amplitude * (1 - abs(2 * self.at(x, y + 11.7 * n) - 1))
            weight += amplitude
            amplitude *= 0.5
            x, y = x * 2.1 + 3.7, y * 2.1
        return total / weight


def mix(a, b, t):
    return (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t)


def smooth(low, high, v):
    t = min(1.0, max(0.0, (v - low) / (high - low)))
    return t * t * (3 - 2 * t)


def ramp(stops, t):
    for (t0, c0), (t1, c1) in zip(stops, stops[1:]):
        if t <= t1:
            return mix(c0, c1, (t - t0) / (t1 - t0))
    return stops[-1][1]


SUNSET = dict(
    seed=20, sky=[(0, (34, 42, 92)), (0.3, (84, 70, 130)), (0.58, (190, 104, 120)), (0.8, (246, 152, 98)), (1, (255, 208, 138))],
    sun=(826, 492), sun_radius=40, sun_colour=(255, 232, 176), glow=(130, 74, 20), cloud_light=(255, 186, 132), cloud_dark=(104, 70, 112),
    cloudiness=(0.47, 0.72), haze=(196, 118, 130), near=(26, 20, 48), light=(255, 150, 90), snow=0.6, snow_colour=(255, 176, 150),
    sparkle=(255, 206, 134), water=(18, 26, 58), water_tint=0.28, bank=(9, 9, 18))
NOON = dict(
    seed=6, sky=[(0, (46, 104, 178)), (0.5, (104, 160, 214)), (1, (206, 226, 238))],
    sun=(380, -200), sun_radius=1, sun_colour=(255, 255, 245), glow=(40, 34, 20), cloud_light=(255, 255, 252), cloud_dark=(166, 180, 200),
    cloudiness=(0.5, 0.66), haze=(188, 208, 224), near=(36, 66, 36), light=(255, 240, 190), snow=0.9, snow_colour=(250, 252, 255),
    sparkle=(226, 240, 244), water=(16, 92, 108), water_tint=0.42, bank=(20, 34, 16))
# Mountain ranges, far to near: height of the base line, how far crests rise above it, width of a mountain, seed.
RANGES = [(600, 330, 430, 1), (640, 250, 330, 2), (676, 190, 270, 3), (702, 130, 210, 4), (724, 80, 150, 5)]


def sky_pixel(style, noise, x, y):
    t = y / HORIZON
    sx, sy = style["sun"]
    distance = math.hypot(x - sx, (y - sy) * 1.15)
    colour = ramp(style["sky"], t)
    glow = math.exp(-distance / 330)
    colour = [c + g * glow for c, g in zip(colour, style["glow"])]
    disc = smooth(style["sun_radius"] + 2, style["sun_radius"] - 2, distance) if distance < 90 else 0.0
    # Clouds get flatter towards the horizon.
    depth = 1.12 - t
    u, v = (x - 800) / (depth * 300) + 40, 60 / depth * 0.11
    density = noise.fractal(u, v, 6, 0.55)
    low, high = style["cloudiness"]
    cover = smooth(low, high, density) * smooth(1.0, 0.72, t) * 0.92
    if cover > 0.003:
        towards = noise.fractal(u + 0.1 * max(-1.0, min(1.0, (sx - x) / 300)), v + 0.07, 4, 0.55)
        lit = min(1.0, max(0.0, 0.55 + 3.4 * (density - towards) + 0.35 * glow))
        colour = mix(colour, mix(style["cloud_dark"], style["cloud_light"], lit), cover)
    return mix(colour, style["sun_colour"], disc * (1 - 0.5 * cover))


def crest(noise, layer, x):
    base, rise, width, seed = layer
    h = noise.ridged(x / width + seed * 13.1, seed * 7.7, 2) * 0.62 + noise.fractal(x / width * 2.2 + seed, seed * 3.3, 7, 0.52) * 0.38
    return base - rise * (h - 0.42) * 1.75


def mountain_pixel(style, noise, n, layer, top, x, y):
    base, rise, width, seed = layer
    below = y - top
    nearness = n / (len(RANGES) - 1)
    scale = width / 5.5
    u, v = x / scale + seed * 31, below / scale * 0.75 + seed * 9
    rock = noise.ridged(u, v, 5)
    shift = 0.16 * max(-1.0, min(1.0, (style["sun"][0] - x) / 200))
    slope = (noise.ridged(u + shift, v, 3) - noise.ridged(u - shift, v, 3)) * 1.5
    lit = min(1.0, max(0.0, 0.42 - slope))
    body = mix(style["near"], mix(style["near"], style["light"], 0.42), lit * (1.15 - nearness))
    body = [c * (0.55 + 0.8 * rock) for c in body]
    if n < 2:  # snow on the high ranges, in the gullies
        line = smooth(0.62, 0.34, below / (rise * 0.9) + (rock - 0.5) * 0.9)
        snow = [c * (0.62 + 0.46 * lit) for c in style["snow_colour"]]
        body = mix(body, snow, line * style["snow"])
    elif n >= 3:  # forest
        wood = noise.fractal(x / 5.0 + seed, y / 4.2, 3, 0.7)
        body = [c * (0.55 + 0.9 * wood) for c in body]
    haze = (0.74 - 0.62 * nearness) + 0.22 * smooth(0, 170, below) * (1 - nearness * 0.6)
    return mix(body, style["haze"], min(0.93, haze))


def pines(style):
    """Silhouettes on the near bank, as row spans: {row: [(left, right)]}."""
    source = random.Random(style["seed"] + 1)
    spans = {}
    places = [(source.gauss(150, 130), source.uniform(170, 420)) for _ in range(16)]
    places += [(source.gauss(1530, 60), source.uniform(120, 300)) for _ in range(7)]
    for x, tall in places:
        foot = HEIGHT - 60 + source.uniform(-10, 30)
        for y in range(max(0, int(foot - tall)), int(foot)):
            t = (y - (foot - tall)) / tall
            tier = (t * 11) % 1.0
            reach = tall * 0.2 * t * (0.5 + 0.62 * tier)
            left = reach * source.uniform(0.72, 1.12) + 1
            right = reach * source.uniform(0.72, 1.12) + 1
            spans.setdefault(y, []).append((int(x - left), int(x + right)))
    return spans


def scene(style):
    noise = Noise(style["seed"])
    crests = [[crest(noise, layer, x) for x in range(WIDTH)] for layer in RANGES]
    upper = []
    for y in range(HORIZON):
        row = []
        for x in range(WIDTH):
            for n in range(len(RANGES) - 1, -1, -1):
                edge = y + 0.5 - crests[n][x]
                if edge > 0:
                    pixel = mountain_pixel(style, noise, n, RANGES[n], crests[n][x], x, y)
                    break
            else:
                pixel = sky_pixel(style, noise, x, y)
            row.append(pixel)
        upper.append(row)

    rows = list(upper)
    sx = style["sun"][0]
    for y in range(HORIZON, HEIGHT):
        depth = (y - HORIZON) / (HEIGHT - HORIZON)
        calm = 2 + 26 * depth  # height of a wave on the screen
        row = []
        for x in range(WIDTH):
            wave = noise.fractal(x / (30 + 150 * depth), (y - HORIZON) / (calm * 0.33) + 50, 4, 0.55) - 0.5
            source_y = int(HORIZON - 1 - (y - HORIZON) * 1.02 + wave * 70 * (0.15 + depth))
            source_x = int(x + wave * 26 * depth)
            mirrored = upper[min(HORIZON - 1, max(0, source_y))][min(WIDTH - 1, max(0, source_x))]
            tint = min(0.85, style["water_tint"] + 0.38 * depth + 0.5 * max(0.0, wave))
            pixel = mix(mirrored, [0.4 * m + 0.6 * w for m, w in zip(mirrored, style["water"])], tint)
            track = math.exp(-abs(x - sx) / (50 + 190 * depth)) * smooth(0.02, 0.26, wave)
            row.append(mix(pixel, style["sparkle"], 0.8 * track))
        rows.append(row)

    trees = pines(style)
    out = []
    for y, row in enumerate(rows):
        line = bytearray()
        shore = HEIGHT - 70 + 40 * 0.5
        for x, pixel in enumerate(row):
            if y > HEIGHT - 150:
                edge = shore + 56 * (noise.fractal(x / 120, 3.3, 5, 0.6) - 0.5) - 54 * (abs(x - 860) / 800) ** 2
                if y > edge:
                    grass = noise.fractal(x / 3.0, y / 9.0, 3, 0.7)
                    pixel = [c * (0.5 + 1.3 * grass) for c in style["bank"]]
            grain = 1.6 * (noise.lattice[(x * 7 + y * 131) & 65535] - 0.5)
            line += bytes(min(255, max(0, int(c + grain + 0.5))) for c in pixel)
        for left, right in trees.get(y, ()):
            for x in range(max(0, left), min(WIDTH, right)):
                shade = 0.55 + 0.9 * noise.lattice[(x * 5 + y * 57) & 65535]
                line[3 * x:3 * x + 3] = bytes(int(c * shade) for c in style["bank"])
        out.append(line)
    return out


def write_all(work):
    card.write_ppm(os.path.join(work, "sunset.ppm"), scene(SUNSET))
    card.write_ppm(os.path.join(work, "noon.ppm"), scene(NOON))
