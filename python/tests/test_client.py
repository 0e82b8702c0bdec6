"""gcsflux.Client: what is stored is what is read, listed, copied and deleted."""

from __future__ import annotations

import array
import pathlib
import pickle
import random

import pytest

import gcsflux


def content(size: int) -> bytes:
    return random.Random(size).randbytes(size)


@pytest.fixture
def client(gcsflux_client, gcsflux_bucket):
    return gcsflux_client


@pytest.mark.parametrize("size", [0, 1, 100_000, 40_000_000])
def test_what_is_written_is_read(client, size):
    data = content(size)
    stored = client.write("test-bucket/object", data)
    assert (stored.uri, stored.size) == ("gs://test-bucket/object", size)
    assert client.read("gs://test-bucket/object") == data
    assert client.read_many(["test-bucket/object"]) == [data]


def test_names_are_text_bytes_or_paths_with_and_without_scheme(client):
    client.write("gs://test-bucket/dir/ünï", b"x")
    for name in (
        "test-bucket/dir/ünï",
        "gcs://test-bucket/dir/ünï",
        "gcsflux://test-bucket/dir/ünï",
        "gs://test-bucket/dir/ünï".encode(),
        pathlib.PurePosixPath("test-bucket/dir/ünï"),
    ):
        assert client.read(name) == b"x", name
    for wrong in ("s3://bucket/name", "", "gs:/test-bucket/dir", "test-bucket"):
        with pytest.raises(ValueError):
            client.read(wrong)
    with pytest.raises(TypeError):
        client.read(7)


def test_ranges(client):
    data = content(1_000_000)
    client.write("test-bucket/object", data)
    assert client.read("test-bucket/object", offset=10, length=20) == data[10:30]
    assert client.read("test-bucket/object", offset=999_990) == data[999_990:]
    assert client.read("test-bucket/object", offset=10, length=0) == b""
    ranges = [(0, 10), (500_000, 100_000), (5, 10), (999_999, 1)]
    assert client.read_ranges("test-bucket/object", ranges) == [data[o : o + n] for o, n in ranges]
    with pytest.raises(gcsflux.InvalidArgumentError) as raised:
        client.read("test-bucket/object", offset=1_000_000)
    assert raised.value.code == "OUT_OF_RANGE"
    with pytest.raises(gcsflux.InvalidArgumentError):
        client.read_ranges("test-bucket/object", [(999_999, 2)])


def test_reads_fill_writable_contiguous_buffers(client):
    data = content(300_000)
    client.write("test-bucket/object", data)
    for buffer in (bytearray(300_000), array.array("H", bytes(300_000)), memoryview(bytearray(300_000))):
        assert client.read_into("test-bucket/object", buffer) == 300_000
        assert bytes(buffer) == data
    halves = bytearray(300_000)
    view = memoryview(halves)
    client.read_ranges_into("test-bucket/object", [(0, view[:150_000]), (150_000, view[150_000:])])
    assert halves == data
    for wrong in (b"constant", memoryview(bytearray(10))[::2], memoryview(b"constant")):
        with pytest.raises(BufferError, match="contiguous"):
            client.read_into("test-bucket/object", wrong)
    with pytest.raises(TypeError):
        client.read_into("test-bucket/object", "text")


def test_many_objects_are_read_by_one_call(client):
    objects = {f"test-bucket/many/{i:03}": content(i * 1_000) for i in range(100)}
    client.write_many(list(objects.items()))
    assert client.read_many(objects) == list(objects.values())
    listed = client.list("test-bucket/many/")
    before = client.counters()["requests"]
    assert client.read_many(listed) == list(objects.values())
    assert client.counters()["requests"] - before == 99  # The empty one is not requested.

    buffers = [bytearray(len(data) + 7) for data in objects.values()]
    assert client.read_many_into(listed, buffers) == [len(data) for data in objects.values()]
    assert [bytes(b[:-7]) for b in buffers] == list(objects.values())
    with pytest.raises(ValueError, match="has 3 bytes"):
        client.read_many_into(listed[9:10], [bytearray(3)])


def test_slices_of_many_objects_are_those_of_python(client):
    data = content(1_000)
    client.write("test-bucket/object", data)
    starts = [None, 0, 10, -7, -2_000, 990, 1_000, 20]
    ends = [None, 5, 20, None, -990, 2_000, None, 10]
    read = client.read_many(["test-bucket/object"] * len(starts), starts=starts, ends=ends)
    assert read == [data[start:end] for start, end in zip(starts, ends)]


def test_errors_stand_in_the_place_of_what_failed(client):
    client.write("test-bucket/here", b"x")
    names = ["test-bucket/here", "test-bucket/gone", "test-bucket/here"]
    here, gone, again = client.read_many(names, return_errors=True)
    assert (here, again) == (b"x", b"x") and isinstance(gone, FileNotFoundError)
    with pytest.raises(FileNotFoundError):
        client.read_many(names)
    assert [type(found) for found in client.stat_many(names, return_errors=True)] == [
        gcsflux.ObjectMetadata,
        gcsflux.NotFoundError,
        gcsflux.ObjectMetadata,
    ]
    deleted = client.delete_many(names[:2], return_errors=True)
    assert deleted[0] is None and isinstance(deleted[1], gcsflux.NotFoundError)


def test_a_listed_object_is_read_and_deleted_by_its_generation(client):
    client.write("test-bucket/object", b"old")
    (listed,) = client.list("test-bucket")
    client.write("test-bucket/object", b"new")
    with pytest.raises(FileNotFoundError):
        client.read(listed)
    with pytest.raises(FileNotFoundError):
        client.read_many([listed])
    with pytest.raises(FileNotFoundError):
        client.delete(listed)
    assert client.read("test-bucket/object") == b"new"


def test_listings(client):
    names = sorted(f"{folder}/{i}" for folder in ("a", "b") for i in range(10))
    client.write_many([(f"test-bucket/{name}", b"x") for name in names])
    assert [found.name for found in client.list("gs://test-bucket")] == names
    assert [found.name for found in client.list("test-bucket/a/", limit=3)] == names[:3]
    objects, prefixes = client.list_directory("test-bucket/")
    assert (objects, prefixes) == ([], ["a/", "b/"])
    objects, prefixes = client.list_directory("test-bucket/a/")
    assert [found.name for found in objects] == names[:10] and prefixes == []
    with pytest.raises(TypeError, match="unexpected keyword argument 'depth'"):
        client.list("test-bucket", depth=2)


def test_metadata_is_kept_and_changed(client):
    stored = client.write("test-bucket/object", b"x", content_type="text/css", metadata={"color": "red"})
    assert (stored.content_type, stored.metadata) == ("text/css", {"color": "red"})
    changed = client.patch("test-bucket/object", metadata={"color": None, "size": "1"}, content_type="text/plain")
    assert (changed.content_type, changed.metadata) == ("text/plain", {"size": "1"})
    found = client.stat("test-bucket/object", with_md5_hash=True)
    assert found.generation == stored.generation and found.md5_hash
    assert found.time_created.tzinfo is not None and abs((found.updated - found.time_created).total_seconds()) < 60


def test_modes_of_writing(client):
    first = client.write("test-bucket/object", b"1", mode="create")
    with pytest.raises(FileExistsError) as raised:
        client.write("test-bucket/object", b"2", mode="create")
    assert (raised.value.code, raised.value.outcome) == ("PRECONDITION_FAILED", "not_stored")
    second = client.write("test-bucket/object", b"2", mode="replace", generation=first.generation)
    with pytest.raises(gcsflux.AlreadyExistsError):
        client.write("test-bucket/object", b"3", mode="replace", generation=first.generation)
    assert client.stat("test-bucket/object").generation == second.generation
    with pytest.raises(ValueError, match="it takes create, replace, overwrite"):
        client.write("test-bucket/object", b"3", mode="append")


def test_files(client, tmp_path):
    data = content(40_000_000)
    (tmp_path / "up").write_bytes(data)
    client.upload_file(tmp_path / "up", "test-bucket/large")
    assert client.download_file("test-bucket/large", str(tmp_path / "down")) == len(data)
    assert (tmp_path / "down").read_bytes() == data
    with pytest.raises(FileExistsError):
        client.download_file("test-bucket/large", tmp_path / "down", may_replace=False)

    pairs = []
    for i in range(30):
        (tmp_path / f"{i}").write_bytes(content(i))
        pairs.append((tmp_path / f"{i}", f"test-bucket/files/{i}"))
    client.upload_files(pairs)
    client.download_files([(f"test-bucket/files/{i}", tmp_path / f"back{i}") for i in range(30)])
    assert [(tmp_path / f"back{i}").read_bytes() for i in range(30)] == [content(i) for i in range(30)]


def test_copies_moves_and_composites(client):
    client.write("test-bucket/a", b"a")
    client.copy("test-bucket/a", "test-bucket/b")
    client.move("test-bucket/b", "test-bucket/c")
    client.compose(["test-bucket/a", "gs://test-bucket/c"], "test-bucket/ac")
    assert client.read("test-bucket/ac") == b"aa"
    with pytest.raises(FileExistsError):
        client.copy("test-bucket/a", "test-bucket/c", if_generation_match=0)
    client.copy_many([("test-bucket/a", f"test-bucket/copy/{i}") for i in range(10)])
    client.move_many([(f"test-bucket/copy/{i}", f"test-bucket/moved/{i}") for i in range(10)])
    assert client.list("test-bucket/copy/") == []
    moved = client.list("test-bucket/moved/")
    assert client.delete_many(moved) == [None] * 10
    assert [found.name for found in client.list("test-bucket")] == ["a", "ac", "c"]


def test_buckets(gcsflux_client):
    made = gcsflux_client.create_bucket("gs://one", location="EU")
    assert (made.name, made.location) == ("one", "EU")
    with pytest.raises(FileExistsError):
        gcsflux_client.create_bucket("one")
    gcsflux_client.create_bucket("two")
    assert [bucket.name for bucket in gcsflux_client.list_buckets()] == ["one", "two"]
    gcsflux_client.write("two/object", b"x")
    with pytest.raises(OSError, match="not empty") as raised:
        gcsflux_client.delete_bucket("two")
    assert raised.value.code == "BUCKET_NOT_EMPTY"
    gcsflux_client.delete_bucket("one")
    with pytest.raises(FileNotFoundError):
        gcsflux_client.get_bucket("one")


def test_options_are_checked(gcsflux_emulator):
    with pytest.raises(TypeError, match="unexpected keyword argument 'endpiont'"):
        gcsflux.Client(endpiont="x")
    with pytest.raises(TypeError, match="max_concurrency cannot be 'many'"):
        gcsflux.Client(max_concurrency="many")
    with pytest.raises(ValueError, match="hedge_budget"):
        gcsflux.Client(hedge_budget=2.0)
    with pytest.raises(ValueError, match="strict, always, token"):
        gcsflux.Client(idempotency="never")
    client = gcsflux_emulator.client(download_retry_deadline_s=0.5, extra_headers={"x-team": "a"}, io_threads=1)
    assert client.list_buckets() == []


def test_a_client_is_pickled_with_its_options(client):
    client.write("test-bucket/object", b"x")
    again = pickle.loads(pickle.dumps(client))
    assert again.read("test-bucket/object") == b"x"


def test_signed_urls_need_a_service_account(client):
    with pytest.raises(PermissionError):
        client.sign("test-bucket/object")
