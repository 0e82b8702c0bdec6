"""tensorstore's key-value store."""

import os
import pathlib

import tensorstore
import torch_loader

REQUESTS = 64  # at the same time
RANGE = 16 << 20  # of a large object


class Peer:
    CANNOT = dict.fromkeys(("checkpoint_save", "checkpoint_load"), "it has no file that torch.save and torch.load take")

    def __init__(self, endpoint):
        os.environ["TENSORSTORE_GCS_HTTP_URL"] = endpoint
        os.environ["GOOGLE_AUTH_TOKEN_FOR_TESTING"] = "none"  # else it looks for a metadata server

    @staticmethod
    def _store(bucket):
        context = tensorstore.Context({"gcs_request_concurrency": {"limit": REQUESTS}})
        return tensorstore.KvStore.open({"driver": "gcs", "bucket": bucket}, context=context).result()

    def read_small(self, bucket, names):
        store = self._store(bucket)
        reads = [store.read(name) for name in names]
        return [read.result().value for read in reads]

    def read_large(self, bucket, name, size):
        store, whole = self._store(bucket), bytearray(size)
        starts = range(0, size, RANGE)
        reads = [store.read(name, byte_range=slice(start, min(start + RANGE, size))) for start in starts]
        for start, read in zip(starts, reads):
            value = read.result().value
            whole[start:start + len(value)] = value
        return whole

    @staticmethod
    def make_loader(make_peer, bucket, names, batch):
        return torch_loader.of_reads(make_peer, bucket, names, batch, workers=2)

    def list_names(self, bucket):
        return [key.decode() for key in self._store(bucket).list().result()]

    def upload(self, directory, names, bucket):
        store = self._store(bucket)
        writes = [store.write(name, pathlib.Path(directory, name).read_bytes()) for name in names]
        for write in writes:
            write.result()
