#!/usr/bin/env python3
"""Saves PyTorch's distributed checkpoints by processes of gloo. The elements of each tensor count from 0 on in row-major
order, or are those of a seeded module.

By hand, to make tests/formats/fixtures/distributed again: save_distributed.py DIRECTORY, with that PyTorch's Python. Each
folder CASE-RANKS has beside it CASE-RANKS.pt: what PyTorch's own dcp_to_torch_save() finds in it."""
import os
import sys
import tempfile
import warnings

sys.dont_write_bytecode = True
import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
import torch.distributed.checkpoint as dcp  # noqa: E402
import torch.multiprocessing as processes  # noqa: E402
from torch.distributed.device_mesh import init_device_mesh  # noqa: E402
from torch.distributed.tensor import Replicate, Shard, distribute_tensor  # noqa: E402

warnings.filterwarnings("ignore")


def counted(*shape, dtype=torch.float32):
    return torch.arange(torch.Size(shape).numel(), dtype=torch.float64).reshape(shape).to(dtype)


def plain_state():
    return {
        "model": {
            "weight": counted(6, 5),
            "half": counted(3, 2, dtype=torch.bfloat16),
            "scalar": torch.tensor(7, dtype=torch.int64),
            "empty": torch.zeros(0, 4),
            "turned": counted(4, 6).t(),
            "channels_last": counted(2, 3, 2, 2).to(memory_format=torch.channels_last),
            "view": counted(8, 4)[2:5],
            "parameter": torch.nn.Parameter(counted(3)),
            "flags": torch.tensor([True, False, True]),
        },
        "blocks": [counted(2), {"bias": counted(3)}],
        "epoch": 3,
        "note": "text",
        "schedule": {"steps": [1, 2, 3], "rate": 0.5, "last": None},
    }


def dtensor_state(ranks):
    row = init_device_mesh("cpu", (ranks,))
    state = {
        "rows": distribute_tensor(counted(8, 4), row, [Shard(0)]),
        "uneven": distribute_tensor(counted(ranks + 1, 3), row, [Shard(0)]),
        "few": distribute_tensor(counted(1, 3), row, [Shard(0)]),
        "columns": distribute_tensor(counted(4, 8), row, [Shard(1)]),
        "copies": distribute_tensor(counted(3, 3), row, [Replicate()]),
        "number": torch.tensor(2.5),
    }
    if ranks == 4:
        grid = init_device_mesh("cpu", (2, 2), mesh_dim_names=("a", "b"))
        state["tiles"] = distribute_tensor(counted(6, 6), grid, [Shard(0), Shard(1)])
        state["nested"] = distribute_tensor(counted(8, 3), grid, [Shard(0), Shard(0)])
        state["half_copies"] = distribute_tensor(counted(4, 6), grid, [Replicate(), Shard(1)])
    return state


def trained(module):
    optimizer = torch.optim.Adam(module.parameters(), lr=0.01)
    for _ in range(2):
        optimizer.zero_grad()
        module(counted(4, 6) / 24).sum().backward()
        optimizer.step()
    return optimizer


# Each of 4 ranks has rows of each tensor: with FSDP1, PyTorch does not load what a rank without rows has saved.
def module():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4))


def state_of_training(model, optimizer):
    from torch.distributed.checkpoint.state_dict import get_state_dict

    model_state, optimizer_state = get_state_dict(model, optimizer)
    return {"model": model_state, "optimizer": optimizer_state, "epoch": 2}


def fsdp2_state(ranks):
    from torch.distributed.fsdp import fully_shard

    model = module()
    mesh = init_device_mesh("cpu", (ranks,))
    for layer in (model[0], model[2]):
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    return state_of_training(model, trained(model))


def fsdp1_state(ranks):
    from torch.distributed.fsdp import FullyShardedDataParallel, StateDictType

    model = FullyShardedDataParallel(module(), device_id=torch.device("cpu"), use_orig_params=True)
    optimizer = trained(model)
    FullyShardedDataParallel.set_state_dict_type(model, StateDictType.SHARDED_STATE_DICT)
    return state_of_training(model, optimizer)


STATES = {
    "plain": lambda ranks: plain_state(),
    "dtensor": dtensor_state,
    "fsdp1": fsdp1_state,
    "fsdp2": fsdp2_state,
    "adam": lambda ranks: (lambda model: {"model": model.state_dict(), "optimizer": trained(model).state_dict()})(module()),
}


def run(rank, ranks, store, case, folder):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=ranks)
    state = STATES[case](ranks)
    dcp.save(state, checkpoint_id=folder)
    dist.destroy_process_group()


def save(case, ranks, folder):
    with tempfile.TemporaryDirectory() as directory:
        processes.spawn(run, args=(ranks, os.path.join(directory, "store"), case, folder), nprocs=ranks)


def main():
    from torch.distributed.checkpoint.format_utils import dcp_to_torch_save

    os.chdir(sys.argv[1])  # The metadata has the folder's name as it is given.
    for case, ranks in (("plain", 1), ("dtensor", 4), ("fsdp1", 2), ("fsdp2", 2)):
        folder = f"{case}-{ranks}"
        save(case, ranks, folder)
        dcp_to_torch_save(folder, folder + ".pt")


if __name__ == "__main__":
    main()
