"""Starts programs, times them, and looks at what they and their helpers use."""
import os
import subprocess
import time

TICK = 1 / os.sysconf("SC_CLK_TCK")


class Failed(Exception):
    """A program ended with another status than 0."""


class Cost:
    """What a run took: seconds by the clock, and seconds of processor time, all descendants included."""

    def __init__(self, seconds, processor):
        self.seconds = seconds
        self.processor = processor


def run_together(commands, log, environment=None):
    """Runs commands side by side. Returns their cost from the first start to the last end."""
    start = time.monotonic()
    running = [_start(command, log, environment) for command in commands]
    processor = 0
    failures = []
    for command, process in zip(commands, running):
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        processor += usage.ru_utime + usage.ru_stime
        if process.returncode != 0:
            failures.append(f"{os.path.basename(command[0])} ended with status {process.returncode}; see {log}")
    seconds = time.monotonic() - start
    if failures:
        raise Failed("\n".join(failures))
    return Cost(seconds, processor)


def _start(command, log, environment):
    with open(log, "ab") as output:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            env={**os.environ, **(environment or {})})


class Watched:
    """A run of `enclosure` whose helpers were looked at while they worked.

    `peaks` holds each helper's largest resident memory in bytes, as the kernel kept it (VmHWM); `helpers` and
    `control` are processor seconds of the two planes.
    """

    def __init__(self, command, log, environment=None):
        start = time.monotonic()
        process = _start(command, log, environment)
        self.peaks = {}
        ticks = {}
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            for child in _children(process.pid):
                peak = _peak(child)
                if peak:
                    self.peaks[child] = max(peak, self.peaks.get(child, 0))
                ticks[child] = max(_ticks(child), ticks.get(child, 0))
            time.sleep(0.005)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise Failed(f"{os.path.basename(command[0])} ended with status {process.returncode}; see {log}")
        self.seconds = time.monotonic() - start
        self.helpers = sum(ticks.values()) * TICK
        self.control = usage.ru_utime + usage.ru_stime - self.helpers


def _children(parent):
    try:
        with open(f"/proc/{parent}/task/{parent}/children") as file:
            own = file.read().split()
        # Every thread has children of its own.
        for thread in os.listdir(f"/proc/{parent}/task"):
            if thread != str(parent):
                with open(f"/proc/{parent}/task/{thread}/children") as file:
                    own += file.read().split()
        return own
    except OSError:
        return []


def _peak(process):
    try:
        with open(f"/proc/{process}/comm") as file:
            # Between fork and exec it still is a copy of its parent.
            if not file.read().startswith("enclosure-media"[:15]):
                return 0
        with open(f"/proc/{process}/status") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def processor_seconds(process):
    """Processor time that a process, without its children, has used so far."""
    return _ticks(process) * TICK


def _ticks(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])
    except OSError:
        return 0


def memory_curve(command, log, environment=None):
    """Runs a command. Returns its resident memory in bytes, its helpers' not included, by seconds since its start."""
    start = time.monotonic()
    process = _start(command, log, environment)
    curve = []
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/statm") as file:
                curve.append((time.monotonic() - start, int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")))
        except OSError:
            pass
        time.sleep(0.1)
    if process.returncode != 0:
        raise Failed(f"{os.path.basename(command[0])} ended with status {process.returncode}; see {log}")
    return curve
