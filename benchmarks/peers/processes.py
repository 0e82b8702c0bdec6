"""Processes of clients, and what they use."""

import os
import signal
import subprocess
import tempfile
import threading
import time

PATIENCE_S = 600


class Failed(Exception):
    """A process ended with an error, or did not end."""


class Done:
    """What a process has printed, as a file, and what it and those that it started have used."""

    def __init__(self, output, seconds, usage):
        self.output, self.seconds = output, seconds
        self.cpu_seconds = usage.ru_utime + usage.ru_stime
        self.peak_bytes = usage.ru_maxrss * 1024  # of the largest of these processes; never below this one's at the start


def run(command, variables):
    """Runs it to its end. Its output is closed by the caller."""
    output = tempfile.TemporaryFile("w+")
    with tempfile.TemporaryFile("w+") as errors:
        begin = time.perf_counter()
        child = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
                                 env=variables, start_new_session=True)
        killer = threading.Timer(PATIENCE_S, os.killpg, [child.pid, signal.SIGKILL])
        killer.start()
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:  # of a signal's handler
            os.killpg(child.pid, signal.SIGKILL)
            raise
        finally:
            killer.cancel()
        seconds = time.perf_counter() - begin
        child.returncode = os.waitstatus_to_exitcode(status)  # so that Popen does not wait for it
        if child.returncode != 0:
            errors.seek(0)
            lines = errors.read().strip().splitlines() or ["it says nothing"]
            output.close()
            raise Failed(f"exit status {child.returncode}: {lines[-1]}")
    output.seek(0)
    return Done(output, seconds, usage)
