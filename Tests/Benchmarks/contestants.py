"""Who takes part, and how each is run over a folder of photos."""
import os

import outputs

CORES = os.cpu_count()


class Contestant:
    """A way to prepare a folder of photos.

    `commands(photos, folder, out)` are the programs to run side by side; `outputs(photos, out)` checks and returns what
    they made.
    """

    def __init__(self, name, title, commands, outputs, environment=None):
        self.name = name
        self.title = title
        self.commands = commands
        self.outputs = outputs
        self.environment = environment or {}


def contestants(enclosure, python, here):
    """All of them, Enclosure first."""
    peers = os.path.join(here, "peers")

    def batch(photos, folder, out):
        return [[enclosure, "batch", folder, "--out", out]]

    def vipsthumbnail(photos, folder, out):
        # Every second photo each: the shares are alike.
        return [
            ["vipsthumbnail", *photos[share::CORES], "--size", "1024x1024>", "-o", f"{out}/%s.jpg[Q=80,strip]"]
            for share in range(CORES)]

    def script(name):
        return lambda photos, folder, out: [[python, os.path.join(peers, name), folder, out, str(CORES)]]

    one_worker = {"VIPS_CONCURRENCY": "1"}
    return [
        Contestant("enclosure", "enclosure batch", batch, outputs.batch_outputs),
        Contestant("vipsthumbnail", f"vipsthumbnail, {CORES} processes", vipsthumbnail, outputs.plain_outputs, one_worker),
        Contestant("pyvips", f"pyvips script, {CORES} threads", script("pyvips_thumbnails.py"), outputs.scripted_outputs,
                   one_worker),
        Contestant("pillow", f"Pillow script, {CORES} processes", script("pillow_thumbnails.py"),
                   outputs.scripted_outputs),
    ]
