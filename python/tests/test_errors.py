"""Errors are those of Python, with the code and the outcome of gcsflux."""

from __future__ import annotations

import errno
import pickle

import pytest

import gcsflux


def test_an_error_has_code_outcome_status_and_message(gcsflux_client, gcsflux_bucket):
    with pytest.raises(FileNotFoundError) as raised:
        gcsflux_client.read("test-bucket/gone")
    error = raised.value
    assert isinstance(error, gcsflux.NotFoundError) and isinstance(error, gcsflux.GcsfluxError)
    assert (error.code, error.outcome, error.http_status) == ("NOT_FOUND", "not_stored", 404)
    assert error.errno == errno.ENOENT and "gs://test-bucket/gone" in str(error)


def test_an_error_is_pickled(gcsflux_client, gcsflux_bucket):
    with pytest.raises(gcsflux.NotFoundError) as raised:
        gcsflux_client.read("test-bucket/gone")
    again = pickle.loads(pickle.dumps(raised.value))
    assert type(again) is gcsflux.NotFoundError
    assert (again.code, str(again)) == (raised.value.code, str(raised.value))


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [(403, "PERMISSION_DENIED", PermissionError), (401, "UNAUTHENTICATED", PermissionError),
     (503, "UNAVAILABLE", TimeoutError), (429, "RATE_LIMITED", TimeoutError)],
)
def test_statuses(gcsflux_emulator, gcsflux_bucket, status, code, kind):
    gcsflux_emulator.set_faults(
        {"rules": [{"name": "refuse", "match": {"operation": "storage.objects.get"},
                    "action": {"type": "status", "status": status}}]}
    )
    client = gcsflux_emulator.client(
        download_retry_max_attempts=2, download_retry_initial_delay_s=0.001, pace_throttled=False
    )
    with pytest.raises(kind) as raised:
        client.read("test-bucket/object")
    assert (raised.value.code, raised.value.http_status) == (code, status)
    assert gcsflux_emulator.fired("refuse") >= 1


def test_without_a_service_there_is_a_connection_error():
    client = gcsflux.Client(endpoint="http://127.0.0.1:1", metadata_retry_max_attempts=1)
    with pytest.raises(ConnectionError) as raised:
        client.stat("bucket/object")
    assert raised.value.code == "UNREACHABLE"


def test_corrupted_bytes_are_found(gcsflux_emulator, gcsflux_client, gcsflux_bucket):
    gcsflux_client.write("test-bucket/object", b"x" * 100_000)
    gcsflux_emulator.set_faults(
        {"rules": [{"name": "flip", "match": {"operation": "storage.objects.get"},
                    "action": {"type": "corrupt", "atByte": 7}}]}
    )
    with pytest.raises(gcsflux.CorruptedError) as raised:
        gcsflux_client.read("test-bucket/object")
    assert raised.value.code == "CORRUPTED" and gcsflux_emulator.fired("flip") >= 2
