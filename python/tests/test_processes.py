"""Signals, threads, fork() and the end of the interpreter."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import threading

import pytest

import gcsflux


@pytest.fixture
def client(gcsflux_emulator, gcsflux_bucket):
    client = gcsflux_emulator.client(hedge_budget=0.0)
    client.write("test-bucket/stalls", b"x" * 1_000)
    client.write("test-bucket/object", b"x" * 1_000)
    return client


class Interrupted(Exception):
    pass


@pytest.fixture
def interrupt():
    """Lets a signal handler raise Interrupted while the main thread is in a call."""

    def handler(*_):
        raise Interrupted

    before = signal.signal(signal.SIGALRM, handler)
    yield lambda: signal.setitimer(signal.ITIMER_REAL, 0.1)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", ["read", "read_many", "open_reader"])
def test_a_signal_ends_a_call_that_waits(client, stall, interrupt, name):
    call = getattr(client, name)
    interrupt()
    with pytest.raises(Interrupted):
        call(["test-bucket/stalls"] if name == "read_many" else "test-bucket/stalls")
    assert stall() >= 1
    assert client.read("test-bucket/object") == b"x" * 1_000


def test_a_reader_works_after_a_signal(client, gcsflux_emulator, interrupt):
    reader = client.open_reader("test-bucket/stalls")
    gcsflux_emulator.set_faults(
        {"rules": [{"name": "once", "match": {"operation": "storage.objects.get", "nth": 1},
                    "action": {"type": "stall", "duration": "3600s"}}]}
    )
    interrupt()
    with pytest.raises(Interrupted):
        reader.read()
    assert gcsflux_emulator.fired("once") == 1
    assert reader.read() == b"x" * 1_000


def test_an_interrupted_writer_stores_nothing(client, gcsflux_emulator, interrupt):
    gcsflux_emulator.set_faults(
        {"rules": [{"name": "stall", "match": {"operation": "storage.objects.insert"},
                    "action": {"type": "stallUpload", "duration": "3600s"}}]}
    )
    writer = client.open_writer("test-bucket/new")
    writer.write(b"x")
    interrupt()
    with pytest.raises(Interrupted):
        writer.close()
    assert gcsflux_emulator.fired("stall") >= 1
    with pytest.raises(gcsflux.CancelledError):
        writer.close()
    assert [found.name for found in client.list("test-bucket")] == ["object", "stalls"]


def test_other_threads_run_while_a_call_waits(client, stall):
    done = threading.Event()
    thread = threading.Thread(target=lambda: (client.read("test-bucket/object"), done.set()))

    def wait():
        with contextlib.suppress(OSError):  # The emulator ends first.
            client.read("test-bucket/stalls")

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    thread.start()
    assert done.wait(60)
    thread.join()


def _read_in_child(client, queue):
    queue.put(client.read("test-bucket/object"))


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_client_works_in_a_child(client, method):
    client.read("test-bucket/object")
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    child = context.Process(target=_read_in_child, args=(client, queue))
    child.start()
    assert queue.get(timeout=60) == b"x" * 1_000
    child.join()
    assert child.exitcode == 0 and client.read("test-bucket/object") == b"x" * 1_000


def test_a_child_of_fork_works_while_a_thread_of_its_parent_waits(client, stall):
    def wait():
        with contextlib.suppress(OSError):  # The emulator ends first.
            client.read("test-bucket/stalls")

    threading.Thread(target=wait, daemon=True).start()
    while stall() == 0:
        pass
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_read_in_child, args=(client, queue))
    child.start()
    assert queue.get(timeout=60) == b"x" * 1_000
    child.join()
    assert child.exitcode == 0


def test_a_child_of_fork_may_not_continue_what_its_parent_began(client):
    reader = client.open_reader("test-bucket/object")
    writer = client.open_writer("test-bucket/new")
    writer.write(b"abc")
    pid = os.fork()
    if pid == 0:
        codes = []
        for use in (lambda: reader.read_at(0, 10), lambda: writer.write(b"x"), writer.close):
            try:
                use()
            except gcsflux.GcsfluxError as error:
                codes.append(error.code)
        del writer
        os._exit(0 if codes == ["FORKED"] * 3 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    writer.close()
    assert client.read("test-bucket/new") == b"abc" and reader.read_at(0, 10) == b"x" * 10


def run_python(program: str, endpoint: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "STORAGE_EMULATOR_HOST": endpoint}
    return subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def test_the_interpreter_ends_while_threads_wait(client, stall, gcsflux_emulator):
    ended = run_python(
        """
import gcsflux, threading
client = gcsflux.Client()
for _ in range(4):
    threading.Thread(target=client.read, args=("test-bucket/stalls",), daemon=True).start()
del client  # The last thread that ends destroys it.
import os, urllib.request
journal = os.environ["STORAGE_EMULATOR_HOST"] + "/_emulator/faults"
while b'"fired":4' not in urllib.request.urlopen(journal).read():
    pass
print("end")
""",
        gcsflux_emulator.endpoint,
    )
    assert (ended.returncode, ended.stdout) == (0, "end\n"), ended.stderr


def test_the_interpreter_ends_with_open_streams(client, gcsflux_emulator):
    ended = run_python(
        """
import gcsflux
client = gcsflux.Client()
reader = client.open_reader("test-bucket/object")
writer = client.open_writer("test-bucket/never")
writer.write(b"x" * 40_000_000)
client.read_many(client.list("test-bucket"))
import atexit
atexit.register(lambda: print(client.read("test-bucket/object")[:1]))
""",
        gcsflux_emulator.endpoint,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "b'x'\n", "")
    assert "never" not in [found.name for found in client.list("test-bucket", skip_composites=False)]


def test_an_import_is_light():
    heavy = run_python(
        "import gcsflux, sys; print([m for m in ('fsspec', 'asyncio', 'json', 'urllib', 'subprocess') if m in sys.modules])",
        "",
    )
    assert heavy.stdout == "[]\n", heavy.stderr
