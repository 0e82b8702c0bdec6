"""gcsflux.Writer and gcsflux.Reader."""

from __future__ import annotations

import io
import random
import threading

import pytest

import gcsflux


@pytest.fixture
def client(gcsflux_client, gcsflux_bucket):
    return gcsflux_client


def test_a_writer_stores_all_or_nothing(client):
    data = random.Random(1).randbytes(50_000_000)
    with client.open_writer("test-bucket/object", content_type="text/plain") as writer:
        for start in range(0, len(data), 7_000_000):
            writer.write(data[start : start + 7_000_000])
        assert writer.tell() == len(data)
        with pytest.raises(FileNotFoundError):
            client.stat("test-bucket/object")
    assert writer.closed
    assert client.read("test-bucket/object") == data
    assert client.stat("test-bucket/object").content_type == "text/plain"


def test_an_exception_in_the_block_stores_nothing(client):
    with pytest.raises(ZeroDivisionError), client.open_writer("test-bucket/object") as writer:
        writer.write(b"x" * 40_000_000)
        _ = 1 / 0
    assert writer.closed and client.list("test-bucket", skip_composites=False) == []


def test_a_writer_that_is_dropped_stores_nothing(client):
    client.open_writer("test-bucket/object").write(b"x")
    assert client.list("test-bucket") == []


def test_a_writer_may_be_closed_twice_and_not_used_afterwards(client):
    writer = client.open_writer("test-bucket/object")
    writer.write(b"abc")
    assert writer.close().generation == writer.close().generation
    writer.abort()
    assert writer.tell() == 3 and client.read("test-bucket/object") == b"abc"
    with pytest.raises(ValueError, match="closed"):
        writer.write(b"x")
    aborted = client.open_writer("test-bucket/other")
    aborted.abort()
    with pytest.raises(ValueError, match="closed"):
        aborted.close()


def test_a_buffer_that_is_written_cannot_be_resized_meanwhile_and_may_be_changed_later(client):
    data = bytearray(b"abc")
    with client.open_writer("test-bucket/object") as writer:
        writer.write(data)
        data.clear()
        with pytest.raises(TypeError):
            writer.write("text")
    assert client.read("test-bucket/object") == b"abc"


def test_a_reader_is_a_file_of_one_generation(client):
    data = random.Random(2).randbytes(10_000_000)
    client.write("test-bucket/object", data)
    with client.open_reader("test-bucket/object") as reader:
        assert reader.read(10) == data[:10] and reader.tell() == 10
        assert reader.seek(-10, io.SEEK_END) == len(data) - 10 and reader.read() == data[-10:]
        assert reader.read() == b"" and reader.read_at(5, 5) == data[5:10] and reader.read_at(9_999_999, 5) == data[-1:]
        reader.seek(0)
        into = bytearray(1_000)
        assert reader.readinto(into) == 1_000 and into == data[:1_000]
        assert reader.read_at_into(9_999_990, into) == 10
        reader.verify()
        late = client.open_reader("test-bucket/object")
        client.write("test-bucket/object", b"other")
        with pytest.raises(gcsflux.GcsfluxError) as raised:
            late.read()
        assert raised.value.code == "ABORTED"
    reader.close()
    for use in (reader.read, reader.tell, lambda: reader.read_at(0, 1), lambda: reader.seek(0)):
        with pytest.raises(ValueError, match="closed"):
            use()


def test_wrong_positions_are_refused(client):
    client.write("test-bucket/object", b"abc")
    reader = client.open_reader("test-bucket/object")
    for offset, whence in ((-1, 0), (-4, 2), (0, 3)):
        with pytest.raises(ValueError):
            reader.seek(offset, whence)
    assert reader.seek(100) == 100 and reader.read() == b""
    with pytest.raises(BufferError):
        reader.readinto(b"constant")


def test_threads_share_a_client_and_a_reader(client):
    data = random.Random(3).randbytes(3_000_000)
    client.write("test-bucket/object", data)
    reader = client.open_reader("test-bucket/object")
    wrong = []

    def work(seed: int) -> None:
        generator = random.Random(seed)
        for i in range(20):
            offset = generator.randrange(len(data))
            if reader.read_at(offset, 1_000) != data[offset : offset + 1_000]:
                wrong.append(offset)
            client.write(f"test-bucket/{seed}/{i}", data[:i])

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [] and len(client.list("test-bucket")) == 161


def test_one_writer_takes_the_pieces_of_many_threads_whole(client):
    writer = client.open_writer("test-bucket/object")
    threads = [threading.Thread(target=lambda i=i: writer.write(bytes([i]) * 1_000)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    data = client.read("test-bucket/object")
    assert sorted(data[start] for start in range(0, 8_000, 1_000)) == list(range(8))
    assert all(len(set(data[start : start + 1_000])) == 1 for start in range(0, 8_000, 1_000))
