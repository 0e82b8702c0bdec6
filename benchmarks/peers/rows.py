"""The rows of the comparison: what is stored, and what a client is told of it."""

TENSOR_BYTES = 16 << 20
BATCH = 64


class Sizes:
    def __init__(self, scale):
        self.small = max(1, round(2000 * scale))
        self.large_bytes = max(1 << 20, round((1 << 30) * scale))
        self.names = max(1, round(100_000 * scale))
        self.tensors = max(1, round((1 << 30) * scale / TENSOR_BYTES))


class Row:
    """`flags` of the emulator fill the bucket; without any it is empty. `then` is a row that follows in the same emulator,
    on what this one has stored. `what` is for the client."""

    def __init__(self, name, bucket, flags=(), then=None, **what):
        self.name, self.bucket, self.flags, self.then = name, bucket, list(flags), then
        self.what = {"bucket": bucket, **what}


def rows_of(sizes, files):
    small = f"--seed_dir=small={files.small}"
    load = Row("checkpoint_load", "checkpoints", tensors=sizes.tensors)
    return [
        Row("small_reads", "small", [small], names=files.small_names),
        Row("large_read", "large", [f"--seed_dir=large={files.large}"], names=["object"], object_bytes=sizes.large_bytes),
        Row("epoch", "small", [small], names=files.small_names, batch=BATCH),
        Row("list", "names", [f"--virtual_buckets=names:{sizes.names}:100KiB:d"]),
        Row("checkpoint_save", "checkpoints", then=load, tensors=sizes.tensors),
        Row("upload", "uploads", names=files.small_names, directory=str(files.small)),
    ]


NAMES = ["small_reads", "large_read", "epoch", "list", "checkpoint_save", "checkpoint_load", "upload"]
