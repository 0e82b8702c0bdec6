"""gcsfs, the file system that fsspec, pandas and Dask open gs:// with."""

import os

# Its way into zonal buckets is gRPC, which the emulator does not serve. It is read when the module is.
os.environ["GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT"] = "false"

import gcsfs  # noqa: E402
import torch_loader  # noqa: E402

BLOCK = 64 << 20  # of a file that is written or read


class Peer:
    CANNOT = {}

    def __init__(self, endpoint):
        self._fs = gcsfs.GCSFileSystem(project="peers", token="anon", endpoint_url=endpoint, use_listings_cache=False)

    def read_small(self, bucket, names, at_once):
        paths = [f"{bucket}/{name}" for name in names]
        found = self._fs.cat(paths, batch_size=at_once)
        return [found[path] for path in paths]

    def read_large(self, bucket, name, _size, ranges):
        return self._fs.cat_file(f"{bucket}/{name}", concurrency=ranges)

    @staticmethod
    def make_loader(make_peer, bucket, names, batch, workers):
        return torch_loader.of_reads(make_peer, bucket, names, batch, workers)

    def list_names(self, bucket):
        return [path.partition("/")[2] for path in self._fs.find(bucket)]

    def open_to_write(self, bucket, name):
        return self._fs.open(f"{bucket}/{name}", "wb", block_size=BLOCK)

    def open_to_read(self, bucket, name):
        return self._fs.open(f"{bucket}/{name}", "rb", block_size=BLOCK, cache_type="readahead")

    def upload(self, directory, names, bucket, at_once):
        paths = [f"{bucket}/{name}" for name in names]
        self._fs.put([f"{directory}/{name}" for name in names], paths, batch_size=at_once)
