"""Google's Python client."""

import datetime
import io
import os

from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage
from google.cloud.storage import transfer_manager

from emulator import Emulator, content


def main() -> None:
    with Emulator() as emulator:
        os.environ["STORAGE_EMULATOR_HOST"] = emulator.endpoint
        client = storage.Client(project="test", credentials=AnonymousCredentials())
        bucket = client.create_bucket("bucket")
        check_small_and_large(bucket)
        check_ranges_and_streams(bucket)
        check_lists(client, bucket)
        check_copies_and_moves(client, bucket)
        check_metadata(bucket)
        check_preconditions(bucket)
        check_batch(client, bucket)
        check_transfer_manager(bucket)
        check_resumed(bucket, emulator)
        check_bucket_settings(client, bucket)
        bucket.delete(force=True)
        assert [b.name for b in client.list_buckets()] == []
    print("google-cloud-storage: ok")


def check_small_and_large(bucket) -> None:
    for size in (0, 1, 300_000, 12_000_001):
        blob = bucket.blob(f"sizes/{size}", chunk_size=1 << 20 if size > 1_000_000 else None)
        blob.upload_from_string(content(size), checksum="crc32c")
        assert bucket.blob(f"sizes/{size}").download_as_bytes(checksum="crc32c") == content(size)
    bucket.blob("md5").upload_from_file(io.BytesIO(content(1000)), checksum="md5")
    assert bucket.blob("md5").download_as_bytes(checksum="md5") == content(1000)


def check_ranges_and_streams(bucket) -> None:
    data = content(2_000_000)
    with bucket.blob("stream").open("wb", chunk_size=256 << 10) as file:
        file.write(data)
    assert bucket.blob("stream").download_as_bytes(start=100, end=999) == data[100:1000]
    with bucket.blob("stream").open("rb", chunk_size=256 << 10) as file:
        file.seek(1_500_000)
        assert file.read(1000) == data[1_500_000:1_501_000]


def check_lists(client, bucket) -> None:
    for name in ("lists/a", "lists/dir/b", "lists/ünï + %/c"):
        bucket.blob(name).upload_from_string("x")
    listed = client.list_blobs(bucket, prefix="lists/", delimiter="/")
    assert [blob.name for blob in listed] == ["lists/a"] and listed.prefixes == {"lists/dir/", "lists/ünï + %/"}
    assert [blob.name for blob in client.list_blobs(bucket, match_glob="lists/**/b")] == ["lists/dir/b"]
    assert len(list(client.list_blobs(bucket, prefix="lists/", page_size=1))) == 3


def check_copies_and_moves(client, bucket) -> None:
    blob = bucket.blob("from")
    blob.upload_from_string("bytes")
    other = client.create_bucket("other")
    assert bucket.copy_blob(blob, other, "copied").download_as_bytes() == b"bytes"
    rewritten = other.blob("rewritten")
    assert rewritten.rewrite(blob)[0] is None
    assert bucket.move_blob(blob, "moved").download_as_bytes() == b"bytes"
    assert not bucket.blob("from").exists()
    bucket.blob("composed").compose([bucket.blob("moved"), bucket.blob("moved")])
    assert bucket.blob("composed").download_as_bytes() == b"bytesbytes"
    other.delete(force=True)


def check_metadata(bucket) -> None:
    blob = bucket.blob("described")
    blob.metadata = {"color": "red"}
    blob.custom_time = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=datetime.timezone.utc)
    blob.upload_from_string("x", content_type="text/css")
    read = bucket.get_blob("described")
    assert read.metadata == {"color": "red"} and read.content_type == "text/css" and read.custom_time == blob.custom_time
    read.metadata = {"color": None, "size": "small"}
    read.patch()
    assert bucket.get_blob("described").metadata == {"size": "small"}


def check_preconditions(bucket) -> None:
    blob = bucket.blob("conditional")
    blob.upload_from_string("first", if_generation_match=0)
    for action in (lambda: blob.upload_from_string("second", if_generation_match=0),
                   lambda: blob.upload_from_string(content(12_000_000), if_generation_match=0),
                   lambda: blob.delete(if_generation_match=1)):
        try:
            action()
            raise AssertionError("the precondition held")
        except exceptions.PreconditionFailed:
            pass
    assert blob.download_as_bytes() == b"first"


def check_batch(client, bucket) -> None:
    for i in range(5):
        bucket.blob(f"batch/{i}").upload_from_string("x")
    with client.batch():
        for i in range(5):
            bucket.blob(f"batch/{i}").delete()
    assert list(client.list_blobs(bucket, prefix="batch/")) == []


def check_transfer_manager(bucket) -> None:
    data = content(12_000_000)
    with open("large", "wb") as file:
        file.write(data)
    transfer_manager.upload_chunks_concurrently("large", bucket.blob("parallel"), chunk_size=5 << 20,
                                                worker_type=transfer_manager.THREAD, max_workers=3)
    transfer_manager.download_chunks_concurrently(bucket.blob("parallel"), "back", chunk_size=1 << 20,
                                                  worker_type=transfer_manager.THREAD, max_workers=3)
    with open("back", "rb") as file:
        assert file.read() == data


def check_resumed(bucket, emulator) -> None:
    emulator.load_faults({"rules": [{
        "name": "once",
        "match": {"operation": "storage.objects.insert", "phase": "chunk", "nth": 2},
        "action": {"type": "status", "status": 503},
    }]})
    blob = bucket.blob("resumed", chunk_size=1 << 20)
    blob.upload_from_string(content(12_000_000), if_generation_match=0)
    assert emulator.fired("once") == 1
    emulator.clear_faults()
    assert blob.download_as_bytes() == content(12_000_000)


def check_bucket_settings(client, bucket) -> None:
    bucket.versioning_enabled = True
    bucket.labels = {"team": "data"}
    bucket.patch()
    bucket.blob("versions").upload_from_string("1")
    bucket.blob("versions").upload_from_string("2")
    versions = list(client.list_blobs(bucket, prefix="versions", versions=True))
    assert len(versions) == 2
    for blob in client.list_blobs(bucket, versions=True):
        blob.delete()
    assert client.get_bucket("bucket").labels == {"team": "data"}


if __name__ == "__main__":
    main()
