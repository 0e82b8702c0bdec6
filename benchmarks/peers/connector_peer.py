"""Google's connector for PyTorch (gcs-torch-dataflux)."""

import os

import torch_loader
from dataflux_core import fast_list
from dataflux_pytorch import dataflux_checkpoint, dataflux_mapstyle_dataset
from google.cloud import storage
from torch.utils.data import DataLoader

THREADS = 4  # of a process that fetches a batch: each makes composites of 32 objects at most
WORKERS = 4


class Peer:
    CANNOT = {"upload": "it stores checkpoints only"}

    def __init__(self, endpoint):
        os.environ["STORAGE_EMULATOR_HOST"] = endpoint
        self._client = storage.Client(project="peers")

    def prepare_small(self, bucket):
        """Its dataset lists the bucket when it is made."""
        self._dataset = _dataset(bucket)

    def read_small(self, _bucket, names):
        return self._dataset.__getitems__(range(len(names)))

    def read_large(self, bucket, name, _size):
        return self._client.bucket(bucket).blob(name).download_as_bytes()  # as its dataset reads what is not small

    @staticmethod
    def make_loader(make_peer, bucket, _names, batch):
        make_peer()  # sets where the service is
        return DataLoader(_dataset(bucket, torch_loader.sample_of), batch_size=batch, shuffle=True, num_workers=WORKERS)

    def list_names(self, bucket):
        lister = fast_list.ListingController(max_parallelism=WORKERS, project="peers", bucket=bucket)
        lister.client = self._client
        return [name for name, _ in lister.run()]

    def open_to_write(self, bucket, name):
        return dataflux_checkpoint.DatafluxCheckpoint("peers", bucket, self._client).writer(name)

    def open_to_read(self, bucket, name):
        return dataflux_checkpoint.DatafluxCheckpoint("peers", bucket, self._client).reader(name)


def _dataset(bucket, transform=bytes):
    config = dataflux_mapstyle_dataset.Config(threads_per_process=THREADS, sort_listing_results=True)
    return dataflux_mapstyle_dataset.DataFluxMapStyleDataset("peers", bucket, config, data_format_fn=transform)
