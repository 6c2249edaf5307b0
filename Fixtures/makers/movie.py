"""Movies that no muxer writes: make.sh encodes them, and their boxes are patched here."""
import os

from . import boxes


def write_all(media, work):
    def read(name):
        with open(os.path.join(work, name), "rb") as f:
            return f.read()
    long = read("forty-seconds.mp4")
    files = {
        # Trimming without re-encoding, as a phone's editor does it.
        "edit-list-10-of-40.mp4": boxes.set_edit(long, 5, 10),
        # The headers say 5 s, the sample tables hold 40 s, and there is no edit list that would hide the rest.
        "lying-header.mp4": boxes.set_durations(boxes.drop_edit_lists(long), 5),
        # As phones held upright record; the angle is how far a player turns the picture clockwise.
        "rotation-90.mp4": boxes.set_rotation(read("turned-90.mp4"), 90),
        "rotation-270.mp4": boxes.set_rotation(read("turned-270.mp4"), 270),
        "location.mp4": boxes.add_user_data(read("moov-last.mp4"), {
            b"\xa9xyz": "+48.8584+002.2945/", b"\xa9mak": "Fixture Works", b"\xa9mod": "Invented One",
            b"\xa9cmt": "enclosure-fixture-comment"}),
        "no-moov.mp4": boxes.remove(read("moov-last.mp4"), b"moov"),
    }
    for name, body in files.items():
        with open(os.path.join(media, "video", name), "wb") as f:
            f.write(body)


def write_amr(path):
    """One second of AMR-NB at 12.2 kbit/s: 50 frames of 20 ms. Any bits are a valid frame; these are nearly silent."""
    frame = bytes([7 << 3 | 4]) + bytes(31)  # mode 7, good quality
    with open(path, "wb") as f:
        f.write(b"#!AMR\n" + frame * 50)
