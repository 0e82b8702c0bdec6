"""gcsflux.emulator() and the programs of the package."""

from __future__ import annotations

import subprocess
import sys

import pytest

import gcsflux


def test_an_emulator_lives_as_long_as_its_block():
    with gcsflux.emulator(project="mine") as emulator:
        client = emulator.client()
        client.create_bucket("bucket")
        client.write("bucket/object", b"x")
        assert client.read("bucket/object") == b"x"
        assert emulator.counters()["requests"] == 3
        assert [request["bucket"] for request in emulator.journal()] == ["bucket"] * 3
        emulator.reset()
        assert client.list_buckets() == []
    with pytest.raises(ConnectionError):
        emulator.client(metadata_retry_max_attempts=1).get_bucket("bucket")


def test_a_wrong_flag_is_an_error():
    with pytest.raises(RuntimeError, match="status 2"):
        gcsflux.emulator(no_such_flag=1)


def test_quotas_and_faults_are_set_by_calls(gcsflux_emulator, gcsflux_client, gcsflux_bucket):
    gcsflux_client.write("test-bucket/object", b"x" * 1_000)
    gcsflux_emulator.set_faults(
        {"rules": [{"name": "busy", "match": {"operation": "storage.objects.get", "nth": 1},
                    "action": {"type": "status", "status": 503}}]}
    )
    assert len(gcsflux_client.read("test-bucket/object")) == 1_000
    assert gcsflux_emulator.fired("busy") == 1 and gcsflux_client.counters()["retries"] == 1
    gcsflux_emulator.clear_faults()
    gcsflux_emulator.set_quotas({"reads_per_second": 1})
    client = gcsflux_emulator.client(download_retry_max_attempts=1, pace_throttled=False)
    with pytest.raises(gcsflux.UnavailableError) as raised:
        for _ in range(100):
            client.read("test-bucket/object")
    assert raised.value.code == "RATE_LIMITED"


def test_programs_are_run_by_the_module():
    for words, text in ((["emulator", "--version"], "gcsflux-emulator 0.1.0"), (["--version"], "gcsflux 0.1.0")):
        ran = subprocess.run([sys.executable, "-m", "gcsflux", *words], capture_output=True, text=True, check=True)
        assert text in ran.stdout
