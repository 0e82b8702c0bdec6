"""PyTorch's DataLoader over a client that reads the objects of a batch at the same time."""


def of_reads(make_peer, bucket, names, batch, workers):
    import torch.utils.data  # only rows with a loader take its memory

    return torch.utils.data.DataLoader(_Objects(make_peer, bucket, names), batch_size=batch, shuffle=True, num_workers=workers)


def sample_of(data):
    import numpy
    import torch

    return torch.from_numpy(numpy.frombuffer(data, dtype=numpy.uint8))


class _Objects:
    """Each worker makes a client of its own: none of them may be used behind a fork."""

    def __init__(self, make_peer, bucket, names):
        self._make_peer, self._bucket, self._names = make_peer, bucket, names
        self._peer = None

    def __len__(self):
        return len(self._names)

    def __getitems__(self, indices):
        self._peer = self._peer or self._make_peer()
        names = [self._names[index] for index in indices]
        return [sample_of(data) for data in self._peer.read_small(self._bucket, names, len(names))]
