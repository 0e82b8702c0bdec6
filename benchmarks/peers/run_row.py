#!/usr/bin/env python3
"""One row of the comparison, done by one of the other clients: compare.py starts it, and judges what it prints.

run_row.py CLIENT ROW ENDPOINT JSON    JSON: what rows.py says of the row, and a number of settings.py

It prints {"cannot": REASON} if the client has no way to do that.
"""

import functools
import importlib
import json
import os
import resource
import sys
import time
import warnings
import zlib

sys.dont_write_bytecode = True
import google_crc32c  # noqa: E402


class Measurement:
    """Seconds, CPU of this process and of those that it started and that have ended, and memory before the row."""

    def __init__(self):
        with open("/proc/self/statm") as statm:
            self._resident = int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        self._cpu, self._begin = self._cpu_now(), time.perf_counter()

    def stop(self):
        self._seconds = time.perf_counter() - self._begin
        self._cpu_used = self._cpu_now() - self._cpu

    def of(self, items, size, checksum_sum):
        return {"seconds": self._seconds, "cpu_seconds": self._cpu_used, "resident_before": self._resident, "items": items,
                "bytes": size, "crc32c_sum": checksum_sum}

    @staticmethod
    def _cpu_now():
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def checksum_of(data):
    """In pieces: a copy of all would count as the client's memory."""
    view, checksum = memoryview(data).cast("B"), 0
    for begin in range(0, len(view), 1 << 20):
        checksum = google_crc32c.extend(checksum, bytes(view[begin:begin + (1 << 20)]))
    return checksum


def of_objects(measurement, objects):
    items = size = checksums = 0
    for data in objects:
        items, size, checksums = items + 1, size + memoryview(data).nbytes, checksums + checksum_of(data)
    return measurement.of(items, size, checksums)


def small_reads(make_peer, row, _):
    peer = make_peer()
    if hasattr(peer, "prepare_small"):
        peer.prepare_small(row["bucket"], row["setting"])
    measurement = Measurement()
    objects = peer.read_small(row["bucket"], row["names"], row["setting"])
    measurement.stop()
    return of_objects(measurement, objects)


def large_read(make_peer, row, _):
    peer = make_peer()
    measurement = Measurement()
    data = peer.read_large(row["bucket"], row["names"][0], row["object_bytes"], row["setting"])
    measurement.stop()
    return of_objects(measurement, [data])


def epoch(make_peer, row, peer_class):
    """Checksums take CPU that is not the client's. So only a run that is not timed takes them."""
    import torch  # noqa: F401  not in the time

    loader = peer_class.make_loader(make_peer, row["bucket"], row["names"], row["batch"], row["setting"])
    items = size = checksums = 0
    measurement = Measurement()
    for batch in loader:
        items += batch.shape[0]
        size += batch.nbytes
        if row["sums"]:
            checksums += sum(checksum_of(sample.numpy()) for sample in batch)
    measurement.stop()
    return measurement.of(items, size, checksums)


def list_names(make_peer, row, _):
    peer = make_peer()
    measurement = Measurement()
    names = peer.list_names(row["bucket"])
    measurement.stop()
    return {**measurement.of(len(names), 0, 0), "names_sum": sum(zlib.crc32(name.encode()) for name in names)}


def upload(make_peer, row, _):
    peer = make_peer()
    measurement = Measurement()
    peer.upload(row["directory"], row["names"], row["bucket"], row["setting"])
    measurement.stop()
    return measurement.of(len(row["names"]), 0, 0)


def checkpoint_save(make_peer, row, _):
    import torch

    peer = make_peer()
    elements = (16 << 20) // 4
    state = {f"layer{i}": torch.arange(i, i + elements, dtype=torch.int32) for i in range(row["tensors"])}
    measurement = Measurement()
    with peer.open_to_write(row["bucket"], "checkpoint") as file:
        torch.save(state, file)
    measurement.stop()
    return of_objects(measurement, (tensor.numpy() for tensor in state.values()))


def checkpoint_load(make_peer, row, _):
    import torch

    peer = make_peer()
    measurement = Measurement()
    with peer.open_to_read(row["bucket"], "checkpoint") as file:
        state = torch.load(file, weights_only=True)
    measurement.stop()
    return of_objects(measurement, (tensor.numpy() for tensor in state.values()))


ROWS = {"small_reads": small_reads, "large_read": large_read, "epoch": epoch, "list": list_names, "upload": upload,
        "checkpoint_save": checkpoint_save, "checkpoint_load": checkpoint_load}


def main():
    client, row_name, endpoint, row = sys.argv[1:]
    warnings.simplefilter("ignore")
    peer_class = importlib.import_module(client + "_peer").Peer
    if row_name in peer_class.CANNOT:
        report = {"cannot": peer_class.CANNOT[row_name]}
    else:
        report = ROWS[row_name](functools.partial(peer_class, endpoint), json.loads(row), peer_class)
    print(json.dumps(report), flush=True)
    os._exit(0)  # the row is done, and threads of obstore can abort the end of the interpreter


if __name__ == "__main__":
    main()
