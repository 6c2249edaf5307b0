"""Still images whose bytes are made here. Those that need an encoder (WebP, HEIC, AVIF …) are made by make.sh from the work folder."""
import os

from . import bad, card, exif, heif, icc, jpeg, png, raster

WIDTH, HEIGHT = 240, 160
GPS = (48.8584, 2.2945)  # a public place, so that whoever finds it in an output knows where it came from
XMP = ('<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
       '<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" dc:source="enclosure-fixture-xmp"/></rdf:RDF></x:xmpmeta>')


def rgb_jpeg(rows, **options):
    planes = jpeg.planes_of(rows, jpeg.ycc, 3)
    return jpeg.jpeg(planes, len(rows[0]) // 3, len(rows), **options)


def ink_jpeg(rows, convert, **options):
    return jpeg.jpeg(jpeg.planes_of(rows, convert, 4), len(rows[0]) // 3, len(rows), **options)


def with_alpha(rows):
    """The card's slate ground fades from transparent (left) to opaque (right); corners and F stay opaque."""
    width = len(rows[0]) // 3
    return [[p + (255 if p != card.SLATE else 255 * x // (width - 1),) for x, p in enumerate(line)] for line in card.pixels(rows)]


def jpegs(rows):
    planes = jpeg.planes_of(rows, lambda r, g, b: (r, g, b), 3)
    plain = rgb_jpeg(rows, jfif=True)
    files = {"orientation-%d.jpg" % n: rgb_jpeg(card.stored_for_orientation(rows, n), before=exif.app1(exif.tiff(n))) for n in range(1, 9)}
    files |= {
        "cmyk-adobe.jpg": ink_jpeg(rows, jpeg.inverted_ink, adobe=0),
        "cmyk-plain.jpg": ink_jpeg(rows, jpeg.inverted_ink),
        "cmyk-icc.jpg": ink_jpeg(rows, jpeg.inverted_ink, adobe=0, before=exif.icc(icc.press())),
        "ycck.jpg": ink_jpeg(rows, jpeg.ycck, adobe=2),
        "grey.jpg": jpeg.jpeg(jpeg.planes_of(rows, lambda r, g, b: jpeg.ycc(r, g, b)[:1], 1), WIDTH, HEIGHT, jfif=True),
        "display-p3.jpg": rgb_jpeg(rows, jfif=True, before=exif.icc(icc.display_p3())),
        "rgb-adobe.jpg": jpeg.jpeg(planes, WIDTH, HEIGHT, adobe=0),
        "rgb-plain.jpg": jpeg.jpeg(planes, WIDTH, HEIGHT, identifiers=list(b"RGB")),
        "metadata.jpg": exif.insert(plain, exif.app1(exif.tiff(1, "Fixture Works", "Invented One", GPS)), exif.xmp(XMP),
                                    exif.segment(0xFE, b"enclosure-fixture-comment")),
        "trailing-zip.jpg": plain + bad.archive(),
        "wide-tables.jpg": rgb_jpeg(rows, jfif=True, wide_tables=True),
    }
    return files


def pngs(rows):
    alpha = with_alpha(rows)
    deep = [b"".join(bytes(c for v in p for c in (v, v)) for p in line) for line in alpha]
    grey = [[jpeg.ycc(*p[:3])[0] for p in line] for line in alpha]
    palette = [card.SLATE, card.YELLOW, card.RED, card.GREEN, card.BLUE, card.WHITE]
    indexed = [bytes(palette.index(p) for p in line) for line in card.pixels(rows)]
    bits = [bytes(sum((v > 128) << (7 - n) for n, v in enumerate(line[i:i + 8])) for i in range(0, len(line), 8)) for line in grey]
    plte = png.chunk(b"PLTE", b"".join(map(bytes, palette)))
    return {
        "rgb.png": png.png(rows, WIDTH),
        "rgba.png": png.png(card.unpixels(alpha), WIDTH, colour=png.RGBA, gradient=True),
        "rgba-opaque.png": png.png(card.unpixels([[p[:3] + (255,) for p in line] for line in alpha]), WIDTH, colour=png.RGBA),
        "rgba-16bit.png": png.png(deep, WIDTH, 16, png.RGBA, gradient=True),
        "palette-transparent.png": png.png(indexed, WIDTH, colour=png.PALETTE, before=plte + png.chunk(b"tRNS", b"\0")),
        "grey-alpha.png": png.png([bytes(v for g, p in zip(a, b) for v in (g, p[3])) for a, b in zip(grey, alpha)], WIDTH,
                                  colour=png.GREY_ALPHA, gradient=True),
        "interlaced.png": png.png(rows, WIDTH, interlaced=True),
        "one-bit.png": png.png(bits, WIDTH, 1, png.GREY),
        "orientation-6.png": png.png(card.stored_for_orientation(rows, 6), HEIGHT, before=png.chunk(b"eXIf", exif.tiff(6))),
        "one-pixel.png": png.png([bytes(card.RED)], 1),
        "tall-100x3000.png": png.png([bytes((y * 255 // 2999, 64, 255 - y * 255 // 2999)) * 100 for y in range(3000)], 100),
        "wide-3000x2.png": png.png([b"".join(bytes((x * 255 // 2999, 64, 0)) for x in range(3000))] * 2, 3000),
    }


def write_all(media, work):
    rows = card.card(WIDTH, HEIGHT)
    folder = os.path.join(media, "image")
    square = card.card(32, 32)
    files = jpegs(rows) | pngs(rows)
    files |= {
        "png-named.jpg": files["rgb.png"],
        "no-extension": files["orientation-1.jpg"],
        "card.tif": raster.tiff(rows),
        "three-pages.tif": raster.tiff(rows, card.solid(120, 80, card.RED), card.solid(60, 40, card.BLUE)),
        "card.bmp": raster.bmp(card.card(120, 80)),
        "card.ico": raster.ico((card.card(16, 16), 16), (square, 32), (card.card(64, 64), 64)),
        "card.psd": raster.psd(rows),
    }
    for name, body in files.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(body)
    # The tiles of grid.heic: a card 160x256 held upright, stored lying down as 256x160, cut into 128x128 and padded below.
    lying = card.stored_for_orientation(card.card(160, 256), 6)
    lying += [lying[-1]] * 96
    for n in range(4):
        x, y = n % 2 * 128, n // 2 * 128
        card.write_ppm(os.path.join(work, "tile-%d.ppm" % n), [row[3 * x:3 * (x + 128)] for row in lying[y:y + 128]])
    # For the encoders that make.sh runs.
    for name, picture in (("card", rows), ("card-clockwise", card.stored_for_orientation(rows, 8)),
                          ("card-counterclockwise", card.stored_for_orientation(rows, 6)),
                          ("portrait-clockwise", card.stored_for_orientation(card.card(HEIGHT, WIDTH), 8)),
                          ("portrait-counterclockwise", card.stored_for_orientation(card.card(HEIGHT, WIDTH), 6)),
                          ("card-large", card.enlarge(card.stored_for_orientation(card.card(300, 400), 6), 10))):
        card.write_ppm(os.path.join(work, name + ".ppm"), picture)
    with open(os.path.join(work, "card-alpha.png"), "wb") as f:
        f.write(files["rgba.png"])


def write_heics(media, work):
    """The HEIC variants; make.sh has put the coded pictures into the work folder as one-sample movies."""
    def movie(name):
        with open(os.path.join(work, name + ".mp4"), "rb") as f:
            return f.read()
    turned = exif.tiff(6, "Fixture Works", "Invented One")
    upright, clockwise, counter = movie("card"), movie("card-clockwise"), movie("card-counterclockwise")
    files = {
        "irot-90.heic": heif.heic(clockwise, HEIGHT, WIDTH, rotation=1),
        "irot-270-exif-6.heic": heif.heic(counter, HEIGHT, WIDTH, rotation=3, exif=turned),
        "exif-6-only.heic": heif.heic(upright, WIDTH, HEIGHT, exif=turned),
        "grid.heic": heif.grid([movie("tile-%d" % n) for n in range(4)], 2, (128, 128), (256, 160), rotation=3),
        "heic-named.jpg": heif.heic(upright, WIDTH, HEIGHT),
    }
    for name, body in files.items():
        with open(os.path.join(media, "image", name), "wb") as f:
            f.write(body)
