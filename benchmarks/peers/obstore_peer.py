"""obstore, Python's way to the object_store crate of Rust."""

import asyncio
import io
import pathlib

import obstore
import torch_loader
from obstore.store import GCSStore

RANGE = 16 << 20  # of a large object
BUFFER = 16 << 20  # of a file: a part that is written, a range that is read


class Peer:
    CANNOT = {}

    def __init__(self, endpoint):
        self._endpoint = endpoint

    def _store(self, bucket):
        return GCSStore(bucket, base_url=self._endpoint, bearer_token="none", client_options={"allow_http": True})

    @staticmethod
    def _gather(call, items, at_once):
        async def limited(gate, item):
            async with gate:
                return await call(item)

        async def all_of_them():
            gate = asyncio.Semaphore(at_once)
            return await asyncio.gather(*(limited(gate, item) for item in items))

        return asyncio.run(all_of_them())

    def read_small(self, bucket, names, at_once):
        store = self._store(bucket)

        async def read(name):
            return await (await obstore.get_async(store, name)).bytes_async()

        return self._gather(read, names, at_once)

    def read_large(self, bucket, name, size, ranges):
        store, whole = self._store(bucket), bytearray(size)

        async def read(start):
            end = min(start + RANGE, size)
            whole[start:end] = memoryview(await obstore.get_range_async(store, name, start=start, end=end))

        self._gather(read, range(0, size, RANGE), ranges)
        return whole

    @staticmethod
    def make_loader(make_peer, bucket, names, batch, workers):
        return torch_loader.of_reads(make_peer, bucket, names, batch, workers)

    def list_names(self, bucket):
        return [entry["path"] for page in obstore.list(self._store(bucket), chunk_size=1000) for entry in page]

    def open_to_write(self, bucket, name):
        return _WrittenFile(obstore.open_writer(self._store(bucket), name, buffer_size=BUFFER))

    def open_to_read(self, bucket, name):
        return io.BufferedReader(_RawFile(obstore.open_reader(self._store(bucket), name, buffer_size=BUFFER)))

    def upload(self, directory, names, bucket, at_once):
        store = self._store(bucket)
        self._gather(lambda name: obstore.put_async(store, name, pathlib.Path(directory, name)), names, at_once)


class _WrittenFile:
    """Its writer keeps a view of what it is given until a part is sent, and torch.save's memory is gone by then: without the copy
    other bytes are stored."""

    def __init__(self, writer):
        self._writer = writer

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        if failure is None:
            self._writer.close()

    def write(self, data):
        return self._writer.write(bytes(data))

    def flush(self):
        pass


class _RawFile(io.RawIOBase):
    """Its reader gives a type of its own, where torch.load insists on bytes."""

    def __init__(self, reader):
        self._reader = reader

    def readable(self):
        return True

    def seekable(self):
        return True

    def seek(self, offset, whence=io.SEEK_SET):
        return self._reader.seek(offset, whence)

    def tell(self):
        return self._reader.tell()

    def readinto(self, into):
        data = memoryview(self._reader.read(len(into)))
        into[:len(data)] = data
        return len(data)
