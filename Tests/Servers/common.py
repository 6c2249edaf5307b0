"""What the servers for tests have in common: they end with the process that started them."""

import json
import os
import sys
import threading
import time


def announce(**facts):
    """Says on standard output, in one line of JSON, that everything is ready."""
    print(json.dumps(facts), flush=True)


def end_with_parent(clean_up):
    """Ends this process when its parent has ended, however that comes about."""
    parent = os.getppid()

    def watch():
        while os.getppid() == parent:
            time.sleep(0.2)
        clean_up()
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


def die_with_parent():
    """For a child, before it runs its program: the system ends it with this process."""
    import ctypes
    import signal

    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def free_port():
    """A port of loopback that nobody uses now, and probably nobody does in a moment."""
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def fail(message):
    sys.exit(message)
