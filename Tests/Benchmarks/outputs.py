"""Looks at what a contestant left: nobody gets a time for work that was not done."""
import hashlib
import json
import os

SIDE = 1024
# Luminance quantisation of quality 80 by the formula of the JPEG reference software, in zigzag order.
_ANNEX_K = (16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26, 24, 22, 22, 24, 49, 35, 37, 29, 40, 58,
            51, 61, 60, 57, 51, 56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87, 95, 98, 103, 104, 103,
            62, 77, 113, 121, 112, 100, 120, 92, 101, 103, 99)
QUALITY_80 = [(value * 40 + 50) // 100 for value in _ANNEX_K]


class Wrong(Exception):
    """An output is missing or is not what it should be."""


class Output:
    """One prepared picture."""

    def __init__(self, path, sha256=None):
        self.path = path
        with open(path, "rb") as file:
            data = file.read()
        self.bytes = len(data)
        self.width, self.height, luminance = read_header(data, path)
        if max(self.width, self.height) != SIDE:
            raise Wrong(f"{path} is {self.width}x{self.height}; its longer side must be {SIDE}")
        if luminance != QUALITY_80:
            raise Wrong(f"{path} is not of quality 80")
        if sha256 is not None and hashlib.sha256(data).hexdigest() != sha256:
            raise Wrong(f"{path} is not what its manifest says: the hash differs")


def read_header(data, path):
    """Width, height and the luminance quantisation table of a JPEG."""
    tables = {}
    position = 2
    if data[:2] != b"\xff\xd8" or data[-2:] != b"\xff\xd9":
        raise Wrong(f"{path} is no whole JPEG")
    while position + 4 <= len(data):
        marker, length = data[position + 1], int.from_bytes(data[position + 2:position + 4], "big")
        segment = data[position + 4:position + 2 + length]
        if marker == 0xDB:
            while segment:
                size = 128 if segment[0] >> 4 else 64
                tables[segment[0] & 15] = list(segment[1:65]) if size == 64 else None
                segment = segment[1 + size:]
        elif 0xC0 <= marker <= 0xC2:
            height, width = (int.from_bytes(segment[at:at + 2], "big") for at in (1, 3))
            return width, height, tables.get(segment[8])
        position += 2 + length
    raise Wrong(f"{path} has no frame header")


def plain_outputs(photos, out):
    """The outputs of programs that keep the photo's name."""
    return {photo: Output(os.path.join(out, os.path.basename(photo))) for photo in photos}


def scripted_outputs(photos, out):
    """The same with a manifest `NAME.json` beside each."""
    outputs = {}
    for photo in photos:
        name = os.path.basename(photo)
        (attachment,) = _read_json(os.path.join(out, name + ".json"))["attachments"]
        outputs[photo] = Output(os.path.join(out, attachment["location"]), attachment["sha256"])
    return outputs


def batch_outputs(photos, out):
    """What `enclosure batch` made: every photo is in the index and has its manifest and its attachment."""
    with open(os.path.join(out, "index.jsonl")) as file:
        index = {line["id"]: line for line in map(json.loads, file)}
    outputs = {}
    for photo in photos:
        name = os.path.basename(photo)
        if name not in index:
            raise Wrong(f"index.jsonl has no line for {name}")
        manifest = _read_json(os.path.join(out, index[name]["manifest"]))
        if manifest["status"] != "ready":
            raise Wrong(f"{name} was rejected: {manifest['rejections']}")
        (attachment,) = manifest["attachments"]
        source = attachment["source"]
        if source["bytes"] != os.path.getsize(photo) or len(source["sha256"]) != 64:
            raise Wrong(f"the manifest of {name} does not describe its source")
        outputs[photo] = Output(os.path.join(out, attachment["location"]), attachment["sha256"])
    return outputs


def require_distinct(outputs):
    """Different photos cannot have become the same file."""
    if len({output.path for output in outputs.values()}) != len(outputs):
        raise Wrong("several photos share one prepared file")


def _read_json(path):
    with open(path) as file:
        return json.load(file)
