"""Files that must be rejected. None of them does anything when opened; each only asks a decoder to do too much, or to look elsewhere."""
import io
import os
import struct
import zipfile

from . import card, gif, png

SVG = ('<svg xmlns="http://www.w3.org/2000/svg" width="120" height="80"><rect width="120" height="80" fill="#58c"/>'
       '<circle cx="60" cy="40" r="24" fill="#fc3"/></svg>\n')
# Port 9 of the loopback (discard) is closed nearly everywhere: whoever follows the reference gets a refused connection, no data.
ELSEWHERE = "http://127.0.0.1:9/"
SVG_EXTERNAL = ('<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="120" height="80">'
                '<image width="120" height="80" xlink:href="%spicture.png"/></svg>\n' % ELSEWHERE)
MVG = "push graphic-context\nviewbox 0 0 120 80\nfill 'url(%spicture.jpg)'\nrectangle 0,0 120,80\npop graphic-context\n" % ELSEWHERE
PLAYLIST = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:4\n#EXTINF:4.0,\n%ssegment-0.ts\n#EXT-X-ENDLIST\n" % ELSEWHERE
CONCAT = "ffconcat version 1.0\nfile '../video/faststart.mp4'\nfile '%sclip.mp4'\n" % ELSEWHERE
SDP = ("v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=fixture\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"
       "m=video 9 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\n")
HTML = "<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>\n"
JSON = '{"error":{"code":403,"message":"The signed URL has expired."}}\n'


def archive():
    """A zip with one text file and a fixed date."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr(zipfile.ZipInfo("readme.txt", (2026, 1, 1, 0, 0, 0)), "Not a picture.\n" * 8)
    return out.getvalue()


def pdf():
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
               b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 120 80]/Contents 4 0 R>>",
               b"<</Length 32>>\nstream\n0.3 0.5 0.8 rg 0 0 120 80 re f \n\nendstream"]
    out, places = b"%PDF-1.4\n", []
    for n, o in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % n + o + b"\nendobj\n"
    table = b"xref\n0 5\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % p for p in places)
    return out + table + b"trailer\n<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % len(out)


def bomb_png():
    """IHDR claims 60000 x 60000 grey pixels (3.6 gigapixel); the data are ten rows."""
    return (png.SIGNATURE + png.header(60000, 60000, 8, png.GREY)
            + png.chunk(b"IDAT", png.deflate([bytes(60000)] * 10)) + png.chunk(b"IEND", b""))


def many_frames_gif(count=10000):
    frame = gif.control(2) + gif.image(0, 0, 1, 1, [1], 1)
    return gif.screen(1, 1, [(0, 0, 0), (255, 0, 0)]) + gif.loop(0) + frame * count + gif.TRAILER


def huge_screen_gif():
    """A logical screen of 65535 x 65535 with a single frame of one pixel."""
    return (gif.screen(65535, 65535, [(0, 0, 0), (255, 0, 0)]) + gif.control(10) + gif.image(0, 0, 1, 1, [1], 1) + gif.TRAILER)


def bad_checksum_png():
    good = png.png(card.card(120, 80), 120)
    at = good.index(b"IDAT")
    end = at + 4 + struct.unpack(">I", good[at - 4:at])[0]
    return good[:end] + bytes(b ^ 0x55 for b in good[end:end + 4]) + good[end + 4:]


def broken_header_jpeg():
    """SOI and JFIF, a frame header with no components and a nonsense length, then bytes that are no markers."""
    return b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\1\0\x48\0\x48\0\0" + b"\xff\xc0\0\x02\x08\0\0\0\0\0" + bytes(range(1, 200)) + b"\xff\xd9"


def write_all(media):
    folder = os.path.join(media, "bad")
    files = {
        "empty.jpg": b"", "text.jpg": b"This is not a picture. It only says so in its name.\n", "page.jpg": HTML, "archive.jpg": archive(),
        "bomb-60000.png": bomb_png(), "frames-10000.gif": many_frames_gif(), "huge-screen.gif": huge_screen_gif(),
        "playlist.mp4": PLAYLIST, "drawing.svg": SVG, "external-reference.svg": SVG_EXTERNAL, "document.pdf": pdf(),
        "mvg.jpg": MVG, "bad-checksum.png": bad_checksum_png(), "broken-header.jpg": broken_header_jpeg(), "json.webp": JSON,
        "concat.mp4": CONCAT, "session.sdp": SDP,
    }
    for name, body in files.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(body if isinstance(body, bytes) else body.encode())
