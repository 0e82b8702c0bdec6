#!/usr/bin/env python3
"""PyTorch's distributed checkpoints between Python and gcsflux, each reading what the other wrote: distributed_interop.py
GCSFLUX RANKS...

Processes of gloo save each state. gcsflux verifies the folder and converts it, to one file, which must hold what
PyTorch's own dcp_to_torch_save() finds there, and from that to a folder again. Then the processes load that folder with
torch.distributed.checkpoint.load(), and so does one process without a group, and through fsspec."""
import os
import subprocess
import sys
import tempfile

import save_distributed
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.format_utils import dcp_to_torch_save
from torch.distributed.checkpoint.fsspec_filesystem import FsspecReader
from torch.distributed.tensor import DTensor

TOOL = sys.argv[1]


def local(tensor):
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


def shards(value):
    """The memory of this rank's part of a tensor of any kind."""
    if hasattr(value, "local_shards"):  # FSDP1's ShardedTensor
        return [shard.tensor for shard in value.local_shards()]
    return [local(value.detach())]


def is_tensor(value):
    return isinstance(value, torch.Tensor) or hasattr(value, "local_shards")


def compare(wanted, got, path=""):
    """Returns how many tensors were compared."""
    if is_tensor(wanted):
        for one, other in zip(shards(wanted), shards(got), strict=True):
            assert one.dtype == other.dtype and torch.equal(one, other), path
        return 1
    if isinstance(wanted, dict):
        assert wanted.keys() == got.keys(), f"{path}: {list(wanted)} and {list(got)}"
        return sum(compare(wanted[key], got[key], f"{path}.{key}") for key in wanted)
    if isinstance(wanted, list):
        assert len(wanted) == len(got), path
        return sum(compare(*pair, f"{path}.{i}") for i, pair in enumerate(zip(wanted, got)))
    assert wanted == got and type(wanted) is type(got), f"{path}: {wanted} and {got}"
    return 0


def erased(state):
    """The same shapes with other contents."""
    if is_tensor(state):
        for part in shards(state):
            part.zero_()
        return state
    if isinstance(state, dict):
        return {key: erased(value) for key, value in state.items()}
    if isinstance(state, list) and any(isinstance(item, (dict, torch.Tensor)) for item in state):
        return [erased(item) for item in state]
    return "erased"


def gcsflux(*arguments):
    subprocess.run([TOOL, "checkpoint", *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def convert(folder, ranks):
    gcsflux("verify", folder)
    gcsflux("convert", folder, folder + ".pt")
    dcp_to_torch_save(folder, folder + ".wanted.pt")
    wanted = torch.load(folder + ".wanted.pt", weights_only=False)
    assert compare(wanted, torch.load(folder + ".pt", weights_only=True)) > 0
    gcsflux("convert", "--format=distributed", f"--shards={ranks + 1}", folder + ".pt", folder + ".ours/")
    state = erased(torch.load(folder + ".wanted.pt", weights_only=False))
    dcp.load(state, storage_reader=FsspecReader("file://" + folder + ".ours"), no_dist=True)
    compare(wanted, state)


def run(rank, ranks, directory):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{directory}/store", rank=rank, world_size=ranks)
    for case, state_of in save_distributed.STATES.items():
        folder = os.path.join(directory, case)
        dcp.save(state_of(ranks), checkpoint_id=folder)
        if rank == 0:
            convert(folder, ranks)
        dist.barrier()
        loaded = erased(state_of(ranks))
        dcp.load(loaded, checkpoint_id=folder + ".ours")
        compared = compare(state_of(ranks), loaded)
        if rank == 0:
            print(f"{case}, {ranks} ranks: {compared} tensors are the same")
    dist.destroy_process_group()


def main():
    print(f"with PyTorch {torch.__version__}")
    for ranks in map(int, sys.argv[2:]):
        with tempfile.TemporaryDirectory() as directory:
            save_distributed.processes.spawn(run, args=(ranks, directory), nprocs=ranks)


if __name__ == "__main__":
    main()
