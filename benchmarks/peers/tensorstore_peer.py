"""tensorstore's key-value store."""

import os
import pathlib

import tensorstore
import torch_loader

RANGE = 16 << 20  # of a large object


class Peer:
    CANNOT = dict.fromkeys(("checkpoint_save", "checkpoint_load"), "it has no file that torch.save and torch.load take")

    def __init__(self, endpoint):
        os.environ["TENSORSTORE_GCS_HTTP_URL"] = endpoint
        os.environ["GOOGLE_AUTH_TOKEN_FOR_TESTING"] = "none"  # else it looks for a metadata server

    @staticmethod
    def _store(bucket, requests):
        context = tensorstore.Context({"gcs_request_concurrency": {"limit": requests}})
        return tensorstore.KvStore.open({"driver": "gcs", "bucket": bucket}, context=context).result()

    def read_small(self, bucket, names, at_once):
        store = self._store(bucket, at_once)
        reads = [store.read(name) for name in names]
        return [read.result().value for read in reads]

    def read_large(self, bucket, name, size, ranges):
        store, whole = self._store(bucket, ranges), bytearray(size)
        starts = range(0, size, RANGE)
        reads = [store.read(name, byte_range=slice(start, min(start + RANGE, size))) for start in starts]
        for start, read in zip(starts, reads):
            value = read.result().value
            whole[start:start + len(value)] = value
        return whole

    @staticmethod
    def make_loader(make_peer, bucket, names, batch, workers):
        return torch_loader.of_reads(make_peer, bucket, names, batch, workers)

    def list_names(self, bucket):
        return [key.decode() for key in self._store(bucket, 32).list().result()]

    def upload(self, directory, names, bucket, at_once):
        store = self._store(bucket, at_once)
        writes = [store.write(name, pathlib.Path(directory, name).read_bytes()) for name in names]
        for write in writes:
            write.result()
