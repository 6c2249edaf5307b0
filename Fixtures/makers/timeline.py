"""Clips whose time stamps, headers, edit lists and streams are out of the ordinary. They are tiny: 64x48, a few pictures."""
import os
import struct
import subprocess

from . import boxes

# As everywhere in make.sh: one thread, no version strings, no dates.
EXACT = ["-fflags", "+bitexact", "-flags", "+bitexact", "-map_metadata", "-1", "-threads", "1"]
AAC = ["-c:a", "aac", "-b:a", "16k", "-ac", "1", "-ar", "22050"]


def x264(key=10, extra=""):
    return ["-c:v", "libx264", "-preset", "medium", "-crf", "40", "-g", str(key), "-pix_fmt", "yuv420p",
            "-x264-params", "threads=1:log-level=error:bframes=2:scenecut=0" + extra]


def picture(seconds, rate=10, size="64x48"):
    return ["-f", "lavfi", "-i", f"testsrc2=size={size}:rate={rate}:duration={seconds}"]


def tone(seconds, frequency=440):
    return ["-f", "lavfi", "-i", f"sine=frequency={frequency}:sample_rate=22050:duration={seconds}"]


class Maker:
    def __init__(self, media, work):
        self.folder = os.path.join(media, "timeline")
        self.work = work
        os.makedirs(self.folder, exist_ok=True)

    def ffmpeg(self, *arguments, out):
        """Makes a file in the work folder and returns its bytes."""
        path = os.path.join(self.work, out)
        subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", "-threads", "1", "-filter_threads", "1", *arguments, *EXACT, path],
                       check=True)
        with open(path, "rb") as file:
            return file.read()

    def path(self, name):
        return os.path.join(self.work, name)

    def write(self, name, data):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(data)


def write_all(media, work):
    maker = Maker(media, work)
    # Two seconds with B-frames, its moov at the end: boxes can grow there without moving anything.
    base = maker.ffmpeg(*picture(2), *tone(2), *x264(), *AAC, out="base.mp4")
    silent = maker.ffmpeg("-i", maker.path("base.mp4"), "-an", "-c", "copy", out="base-silent.mp4")
    maker.ffmpeg(*picture(2), *tone(2), *x264(extra=":bframes=0"), *AAC, out="plain.mp4")
    write_headers(maker, base, silent)
    write_edits(maker, silent)
    write_fragments(maker)
    write_matroska(maker)
    write_others(maker)
    write_streams(maker)
    write_bad(maker, base, silent)


# --- headers that lie ---------------------------------------------------------------------------------------------------
def write_headers(maker, base, silent):
    bare = boxes.drop_edit_lists(base)
    maker.write("header-zero.mp4", boxes.set_durations(bare, 0))
    maker.write("header-60.mp4", boxes.set_durations(bare, 60))
    maker.write("header-60-edit.mp4", boxes.set_edit(boxes.set_durations(base, 60), 0, 60))
    # A time scale of 0 would be a division by zero.
    maker.write("timescale-zero.mp4", patch(base, b"mdhd", 12, ">I", 0))
    # Every picture is shown for 2^31 - 1 ticks: some 58 hours.
    maker.write("stts-huge.mp4", patch(boxes.drop_edit_lists(silent), b"stts", 12, ">I", 0x7FFFFFFF))
    # More than a signed number holds: libavformat takes it for a step back.
    maker.write("stts-negative.mp4", patch(boxes.drop_edit_lists(silent), b"stts", 12, ">I", 0xFFFFF000))
    maker.write("stts-zero.mp4", patch(boxes.drop_edit_lists(silent), b"stts", 12, ">I", 0))


def patch(data, kind, offset, form, value, nth=0):
    """Overwrites a number in the content of the nth box of this kind."""
    out = bytearray(data)
    start, _ = boxes.find(data, kind, nth)
    struct.pack_into(form, out, start + 8 + offset, value)
    return bytes(out)


# --- edit lists ---------------------------------------------------------------------------------------------------------
def with_edits(data, entries, track=0):
    """Gives a track, by default the first, these edits: (seconds shown, seconds into the media or -1, rate). moov ends the file."""
    movie = struct.unpack(">I", boxes.body(data, b"mvhd")[12:16])[0]
    media = struct.unpack(">I", boxes.body(data, b"mdhd", track)[12:16])[0]
    start, end = boxes.find(data, b"edts", track)
    delay = struct.unpack(">i", data[start + 28:start + 32])[0]
    rows = b"".join(struct.pack(">Iihh", round(length * movie), -1 if at < 0 else round(at * media) + delay, rate, 0)
                    for length, at, rate in entries)
    edits = boxes.box(b"edts", boxes.full(b"elst", 0, 0, struct.pack(">I", len(entries)), rows))
    grown = len(edits) - (end - start)
    out = bytearray(data[:start] + edits + data[end:])
    for kind, nth in ((b"moov", 0), (b"trak", track)):
        at, stop = boxes.find(data, kind, nth)
        assert kind != b"moov" or stop == len(data), "moov must come last"
        struct.pack_into(">I", out, at, stop - at + grown)
    total = round(sum(length for length, _, _ in entries) * movie)
    struct.pack_into(">I", out, boxes.find(data, b"tkhd", track)[0] + 8 + 20, total)
    struct.pack_into(">I", out, boxes.find(data, b"mvhd")[0] + 8 + 16, total)
    return bytes(out)


def write_edits(maker, silent):
    edits = {
        "edit-joined.mp4": [(1, 0, 1), (1, 1, 1)],
        "edit-gap.mp4": [(0.5, 0, 1), (0.5, 1.2, 1)],
        "edit-gap-at-key.mp4": [(0.5, 0, 1), (0.5, 1, 1)],
        "edit-reversed.mp4": [(1, 1, 1), (1, 0, 1)],
        "edit-repeated.mp4": [(2, 0, 1)] * 20,
        "edit-late.mp4": [(1, -1, 1), (2, 0, 1)],
        "edit-pause.mp4": [(1, 0, 1), (1, -1, 1), (1, 1, 1)],
        "edit-empty-only.mp4": [(2, -1, 1)],
        "edit-still.mp4": [(40, 0.5, 0)],
        "edit-slow.mp4": [(2, 0, 1), (1, 0, 2)],
        "edit-late-long.mp4": [(29, -1, 1), (2, 0, 1)],
    }
    for name, entries in edits.items():
        maker.write(name, with_edits(silent, entries))


# --- fragments ----------------------------------------------------------------------------------------------------------
def write_fragments(maker):
    fragments = ["-c", "copy", "-movflags", "+frag_keyframe+empty_moov+default_base_moof"]
    plain = maker.ffmpeg("-i", maker.path("base.mp4"), *fragments, out="fragments.mp4")
    # Segments of a broadcast: the first fragment says that it starts an hour in.
    out = bytearray(plain)
    for path, start, _ in boxes.walk(plain):
        if path[-1] == b"tfdt":
            scale = struct.unpack(">I", boxes.body(plain, b"mdhd", track_of(plain, start) - 1)[12:16])[0]
            old = struct.unpack(">Q", plain[start + 12:start + 20])[0]
            struct.pack_into(">Q", out, start + 12, old + 3600 * scale)
    maker.write("fragments-from-an-hour.mp4", bytes(out))
    maker.write("fragments-header-60.mp4", boxes.set_durations(plain, 60))
    maker.write("fragments-cut.mp4", plain[:len(plain) * 6 // 10])
    # Forty seconds that no header tells of.
    maker.ffmpeg(*picture(40, 2), *x264(20), out="long.mp4")
    maker.write("fragments-40.mp4", maker.ffmpeg("-i", maker.path("long.mp4"), *fragments, out="fragments-40.mp4"))


def track_of(data, position):
    """The track that a box inside a traf is about."""
    for path, start, end in boxes.walk(data):
        if path[-1] == b"traf" and start < position < end:
            at, _ = [(s, e) for p, s, e in boxes.walk(data) if p[-1] == b"tfhd" and start < s < end][0]
            return struct.unpack(">I", data[at + 12:at + 16])[0]
    raise ValueError("the box is in no traf")


# --- Matroska -----------------------------------------------------------------------------------------------------------
def set_matroska_duration(data, milliseconds, form=">d"):
    """Overwrites the Duration element, which libavformat writes as a float of 8 bytes."""
    at = data.index(b"\x44\x89\x88")
    return data[:at + 3] + struct.pack(form, milliseconds) + data[at + 11:]


def write_matroska(maker):
    copy = ["-c", "copy"]
    whole = maker.ffmpeg("-i", maker.path("base.mp4"), *copy, out="base.mkv")
    silent = maker.ffmpeg("-i", maker.path("base-silent.mp4"), *copy, out="silent.mkv")
    maker.write("duration-60.mkv", set_matroska_duration(silent, 60_000))
    maker.write("duration-60-sound.mkv", set_matroska_duration(whole, 60_000))
    maker.write("duration-1.mkv", set_matroska_duration(whole, 1))
    maker.write("duration-nan.mkv", set_matroska_duration(whole, float("nan")))
    maker.write("duration-negative.mkv", set_matroska_duration(whole, -5000))
    maker.write("cut.mkv", whole[:len(whole) * 6 // 10])
    maker.write("from-an-hour.mkv", maker.ffmpeg("-i", maker.path("base.mp4"), *copy, "-output_ts_offset", "3600", out="hour.mkv"))
    vp8 = ["-c:v", "libvpx", "-crf", "40", "-b:v", "20k", "-pix_fmt", "yuv420p"]
    maker.ffmpeg(*picture(2), *tone(2), *vp8, "-c:a", "libvorbis", "-q:a", "0", out="base.webm")
    maker.write("live.webm", maker.ffmpeg("-i", maker.path("base.webm"), *copy, "-live", "1", out="live.webm"))
    maker.ffmpeg(*picture(40, 1), *vp8, "-g", "100", out="long.webm")
    long = maker.ffmpeg("-i", maker.path("long.webm"), *copy, "-live", "1", out="live-40.webm")
    maker.write("live-40.webm", long)
    # A single picture, and nobody says how long it is shown.
    one = maker.ffmpeg("-i", maker.path("long.webm"), *copy, "-frames:v", "1", "-live", "1", out="one.webm")
    maker.write("one-picture.webm", strip_default_duration(one))


def strip_default_duration(data):
    """Makes the track's DefaultDuration a Void element of the same length."""
    at = data.find(b"\x23\xe3\x83")
    if at < 0:
        return data
    length = 3 + 1 + (data[at + 3] & 0x7F)
    return data[:at] + b"\xec" + bytes([0x80 | length - 2]) + bytes(length - 2) + data[at + length:]


# --- other containers ---------------------------------------------------------------------------------------------------
def write_others(maker):
    copy = ["-c", "copy"]
    maker.write("b-frames.avi", maker.ffmpeg("-i", maker.path("base.mp4"), *copy, "-bsf:v", "h264_mp4toannexb", out="base.avi"))
    avi = maker.ffmpeg("-i", maker.path("plain.mp4"), *copy, "-bsf:v", "h264_mp4toannexb", out="plain.avi")
    maker.write("h264-aac.avi", avi)
    # dwTotalFrames of the file's header and dwLength of the picture's.
    for name, frames in ("header-zero.avi", 0), ("header-long.avi", 100_000):
        out = bytearray(avi)
        struct.pack_into("<I", out, avi.index(b"avih") + 8 + 16, frames)
        struct.pack_into("<I", out, avi.index(b"strh") + 8 + 32, frames)
        maker.write(name, bytes(out))
    out = bytearray(avi)
    struct.pack_into("<II", out, avi.index(b"strh") + 8 + 20, 0, 0)
    maker.write("rate-zero.avi", bytes(out))
    flv = maker.ffmpeg("-i", maker.path("base.mp4"), *copy, out="base.flv")
    maker.write("h264-aac.flv", flv)
    at = flv.index(b"duration") + 9
    maker.write("duration-60.flv", flv[:at] + struct.pack(">d", 60) + flv[at + 8:])
    maker.write("duration-zero.flv", flv[:at] + struct.pack(">d", 0) + flv[at + 8:])
    maker.write("late.flv", maker.ffmpeg("-i", maker.path("base.mp4"), *copy, "-output_ts_offset", "100", out="late.flv"))
    maker.write("cut.flv", flv[:len(flv) * 6 // 10])
    ts = maker.ffmpeg("-i", maker.path("base.mp4"), *copy, "-pat_period", "10", "-sdt_period", "10", out="base.ts")
    # Program time stamps have 33 bits: these pass their end after a second.
    wrapping = 2**33 / 90_000 - 2.4
    maker.write("wrap.ts", maker.ffmpeg("-i", maker.path("base.mp4"), *copy, "-output_ts_offset", str(wrapping), out="wrap.ts"))
    # Two recordings, one behind the other, as downloaders of live streams leave them.
    maker.write("joined.ts", ts + ts)
    maker.write("cut.ts", ts[:len(ts) * 6 // 10 // 188 * 188 + 100])
    late = maker.ffmpeg("-i", maker.path("base.mp4"), "-itsoffset", "1", "-i", maker.path("base.mp4"), "-map", "1:v", "-map", "0:a",
                        *copy, out="late.ts")
    maker.write("late-picture.ts", late)
    maker.write("late-picture.mp4", maker.ffmpeg(
        "-i", maker.path("base.mp4"), "-itsoffset", "1", "-i", maker.path("base.mp4"), "-map", "1:v", "-map", "0:a", *copy, out="late.mp4"))
    maker.write("late-sound.mp4", maker.ffmpeg(
        "-i", maker.path("base.mp4"), "-itsoffset", "1", "-i", maker.path("base.mp4"), "-map", "0:v", "-map", "1:a", *copy, out="late-s.mp4"))
    maker.ffmpeg(*picture(2, 25), "-c:v", "mpeg2video", "-q:v", "20", out="mpeg2.mpg")
    maker.write("mpeg2.mpg", maker.ffmpeg("-i", maker.path("mpeg2.mpg"), *copy, "-f", "mpeg", out="mpeg2-only.mpg"))
    maker.write("theora.ogv", maker.ffmpeg(*picture(2), *tone(2), "-c:v", "libtheora", "-q:v", "1", "-c:a", "libvorbis", "-q:a", "0",
                                           out="theora.ogv"))
    maker.write("raw.m2v", maker.ffmpeg(
        "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=1", "-c:v", "mpeg2video", "-q:v", "8", "-f", "mpeg2video",
        out="raw.m2v"))
    maker.write("raw.h264", maker.ffmpeg("-i", maker.path("base-silent.mp4"), *copy, "-bsf:v", "h264_mp4toannexb", "-f", "h264", out="raw.h264"))


# --- streams ------------------------------------------------------------------------------------------------------------
def write_streams(maker):
    copy = ["-c", "copy"]
    # The second sound is the default one.
    maker.ffmpeg(*picture(2), *tone(2, 300), *tone(2, 1200), "-map", "0", "-map", "1", "-map", "2", *x264(), *AAC,
                 "-disposition:a:0", "0", "-disposition:a:1", "default", out="two-sounds.mkv")
    with open(maker.path("two-sounds.mkv"), "rb") as file:
        maker.write("two-sounds.mkv", file.read())
    maker.write("timecode.mov", maker.ffmpeg("-i", maker.path("base.mp4"), *copy, "-timecode", "01:00:00:00", out="timecode.mov"))
    # Parameter sets before every key picture, as broadcasters and cameras write them.
    maker.write("hevc.ts", maker.ffmpeg(*picture(2), *tone(2), "-c:v", "libx265", "-preset", "medium", "-crf", "40", "-pix_fmt", "yuv420p",
                                        "-x265-params", "log-level=error:info=0:pools=none:frame-threads=1:keyint=10:repeat-headers=1",
                                        *AAC, out="hevc.ts"))
    # The picture changes its size, and with it its parameter sets.
    small = maker.ffmpeg(*picture(1), *x264(), "-f", "mpegts", out="small.ts")
    large = maker.ffmpeg(*picture(1, size="96x64"), *x264(), "-f", "mpegts", "-output_ts_offset", "1", out="large.ts")
    maker.write("changing-size.ts", small + large)
    # The same size, other parameter sets.
    other = maker.ffmpeg(*picture(1), *x264(extra=":cabac=0:ref=1:8x8dct=0"), "-f", "mpegts", "-output_ts_offset", "1", out="other.ts")
    maker.write("changing-sets.ts", small + other)


    with open(maker.path("text.srt"), "w") as file:
        file.write("1\n00:00:00,200 --> 00:00:01,500\nenclosure-fixture-subtitle\n")
    with open(maker.path("font.ttf"), "w") as file:
        file.write("enclosure-fixture-attachment")
    maker.write("attachment.mkv", maker.ffmpeg(
        "-i", maker.path("base.mp4"), "-i", maker.path("text.srt"), "-map", "0", "-map", "1", *copy, "-attach", maker.path("font.ttf"),
        "-metadata:s:t:0", "mimetype=application/x-truetype-font", out="attachment.mkv"))


# --- what nobody can play -----------------------------------------------------------------------------------------------
def write_bad(maker, base, silent):
    key = ["-encryption_scheme", "cenc-aes-ctr", "-encryption_key", "00112233445566778899aabbccddeeff",
           "-encryption_kid", "ffeeddccbbaa99887766554433221100"]
    maker.write("encrypted.mp4", maker.ffmpeg("-i", maker.path("base-silent.mp4"), "-c", "copy", *key, out="encrypted.mp4"))
    with open(maker.path("base.ts"), "rb") as file:
        maker.write("scrambled.ts", scrambled(file.read()))
    # The sample entry's size is wrong, the parameter set's right.
    entry = boxes.find(base, b"avc1")[0]
    out = bytearray(base)
    struct.pack_into(">HH", out, entry + 8 + 24, 65535, 65535)
    maker.write("size-65535.mp4", bytes(out))
    # The parameter set's is absurd.
    maker.write("size-32768.mp4", with_parameter_set(silent, parameter_set(2048, 2048)))
    # The pictures are said to lie in another file.
    start, end = boxes.find(silent, b"dref")
    out = bytearray(silent)
    at = silent.index(b"url ", start)
    out[at:at + 8] = b"alis" + bytes(4)
    maker.write("elsewhere.mov", bytes(out))


def scrambled(data):
    """Marks every packet with pictures and sound as scrambled, and makes their content noise."""
    out = bytearray(data)
    for at in range(0, len(data), 188):
        if (data[at + 1] & 0x1F) << 8 | data[at + 2] < 0x100:
            continue
        out[at + 3] |= 0x80
        head = 4 + (1 + data[at + 4] if data[at + 3] & 0x20 else 0)
        for index in range(at + head, at + 188):
            out[index] = data[index] * 167 + index * 59 & 0xFF
    return bytes(out)


def parameter_set(width, height):
    """A sequence parameter set of the Baseline profile for a picture of so many macroblocks."""
    def ue(value):
        bits = bin(value + 1)[2:]
        return "0" * (len(bits) - 1) + bits
    bits = ue(0) + ue(0) + ue(2) + ue(1) + "0" + ue(width - 1) + ue(height - 1) + "1" + "1" + "0" + "0" + "1"
    bits += "0" * (-len(bits) % 8)
    return bytes([0x67, 66, 0, 51]) + bytes(int(bits[at:at + 8], 2) for at in range(0, len(bits), 8))


def with_parameter_set(data, new):
    """Puts a parameter set where avcC has its first. moov ends the file."""
    start, end = boxes.find(data, b"avcC")
    length = struct.unpack(">H", data[start + 14:start + 16])[0]
    grown = len(new) - length
    out = bytearray(data[:start + 14] + struct.pack(">H", len(new)) + new + data[start + 16 + length:])
    for path, at, stop in boxes.walk(data):
        if at <= start and stop >= end and path[0] == b"moov":
            struct.pack_into(">I", out, at, stop - at + grown)
    return bytes(out)
