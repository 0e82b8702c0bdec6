"""What is tried for the other clients before a row is timed; the fastest is used. gcsflux has its defaults.

The number is how many objects, ranges or files are under way at the same time; of an epoch, how many workers a DataLoader has.
The first one is that of the run that checks everything.
"""

WORKERS = (2, 4, 8, 16)

TRIES = {
    "gcsfs": {"small_reads": (64, 32, 128, 256), "large_read": (8, 4, 16), "epoch": WORKERS, "upload": (64, 32, 128)},
    "obstore": {"small_reads": (64, 32, 128, 256), "large_read": (16, 32, 64), "epoch": WORKERS, "upload": (64, 32, 128)},
    "tensorstore": {"small_reads": (64, 32, 128, 256), "large_read": (16, 32, 64), "epoch": WORKERS, "upload": (64, 32, 128)},
    # Threads for small reads, which go into memory; processes, 8 by default, for the rest.
    "google_cloud_storage": {"small_reads": (16, 8, 32, 64), "large_read": (8, 4, 16), "epoch": WORKERS, "upload": (8, 4, 16, 32)},
    # Threads that make a composite each, and one read that it cannot divide.
    "connector": {"small_reads": (4, 8, 16, 32), "epoch": WORKERS},
}


def of(client, row):
    """One that is not used if there is nothing to choose."""
    return TRIES.get(client, {}).get(row, (0,))
