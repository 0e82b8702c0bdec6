"""Google's connector for PyTorch (gcs-torch-dataflux)."""

import os

import torch_loader
from dataflux_core import fast_list
from dataflux_pytorch import dataflux_checkpoint, dataflux_mapstyle_dataset
from google.cloud import storage
from torch.utils.data import DataLoader

EPOCH_THREADS = 2  # of a worker: a batch of 64 is two composites, which have 32 objects at most
LISTERS = 4  # processes


class Peer:
    CANNOT = {"upload": "it stores checkpoints only"}

    def __init__(self, endpoint):
        os.environ["STORAGE_EMULATOR_HOST"] = endpoint
        self._client = storage.Client(project="peers")

    def prepare_small(self, bucket, threads):
        """Its dataset lists the bucket when it is made."""
        self._dataset = _dataset(bucket, threads)

    def read_small(self, _bucket, names, _threads):
        return self._dataset.__getitems__(range(len(names)))

    def read_large(self, bucket, name, _size, _ranges):
        return self._client.bucket(bucket).blob(name).download_as_bytes()  # as its dataset reads what is not small

    @staticmethod
    def make_loader(make_peer, bucket, _names, batch, workers):
        make_peer()  # sets where the service is
        return DataLoader(_dataset(bucket, EPOCH_THREADS, torch_loader.sample_of), batch_size=batch, shuffle=True,
                          num_workers=workers)

    def list_names(self, bucket):
        lister = fast_list.ListingController(max_parallelism=LISTERS, project="peers", bucket=bucket)
        lister.client = self._client
        return [name for name, _ in lister.run()]

    def open_to_write(self, bucket, name):
        return dataflux_checkpoint.DatafluxCheckpoint("peers", bucket, self._client).writer(name)

    def open_to_read(self, bucket, name):
        return dataflux_checkpoint.DatafluxCheckpoint("peers", bucket, self._client).reader(name)


def _dataset(bucket, threads, transform=bytes):
    config = dataflux_mapstyle_dataset.Config(threads_per_process=threads, sort_listing_results=True)
    return dataflux_mapstyle_dataset.DataFluxMapStyleDataset("peers", bucket, config, data_format_fn=transform)
