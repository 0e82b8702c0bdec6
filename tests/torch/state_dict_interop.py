#!/usr/bin/env python3
"""A training run that goes on in C++, and then in Python again: state_dict_interop.py FORMATS_TOOL STATE_DICT_TOOL

Started as /usr/bin/python3, which Debian's PyTorch belongs to."""
import functools
import math
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
STATE_DICT_TOOL = sys.argv.pop(2)
import interop  # noqa: E402: it takes the arguments
import torch  # noqa: E402

STEPS = 20
KINDS = {
    "Adam": {"lr": 0.01, "betas": (0.8, 0.99), "weight_decay": 0.01, "amsgrad": True},
    "AdamW": {"lr": 0.01, "eps": 1e-7},
    "SGD": {"lr": 0.05, "momentum": 0.9, "nesterov": True},
    "SGD of two groups": {"lr": 0.05, "momentum": 0.5},
    "RMSprop": {"lr": 0.01, "momentum": 0.5, "centered": True},
    "Adagrad": {"lr": 0.05, "lr_decay": 0.01},
}


def make(kind, parameters, **options):
    """An optimizer; of two groups, the second one has options of its own."""
    if kind != "SGD of two groups":
        return getattr(torch.optim, kind)(parameters, **options)
    first, second, *rest = parameters
    groups = [{"params": [first, second]}, {"params": rest, "lr": 0.01, "weight_decay": 0.1, "momentum": 0.9}]
    return torch.optim.SGD(groups, **options)


def go_on(model, optimizer, data):
    losses = []
    for batch in data:
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


class StateDicts(unittest.TestCase):
    def test_run_continues_in_cpp_and_then_in_python(self):
        torch.manual_seed(3)
        data = torch.randn(STEPS, 5, 1, 8, 8)
        for kind, options in KINDS.items():
            with self.subTest(optimizer=kind), tempfile.TemporaryDirectory() as directory:
                optimizer_class = functools.partial(make, kind)
                theirs, ours = os.path.join(directory, "theirs.pt"), os.path.join(directory, "ours.pt")
                model, optimizer = interop.trained(optimizer_class, **options)
                torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "data": data,
                            "epoch": 7, "name": "a run", "lr": 0.5}, theirs)
                done = subprocess.run([STATE_DICT_TOOL, kind, theirs, ours, str(STEPS)], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                want = go_on(model, optimizer, data)
                self.close(list(map(float, done.stdout.split())), want)

                interop.judge(ours)
                loaded = torch.load(ours)
                other = interop.conv_net()
                other.load_state_dict(loaded["model"])
                resumed = optimizer_class(other.parameters(), lr=0.5)  # which the checkpoint has otherwise
                resumed.load_state_dict(loaded["optimizer"])
                self.assertEqual(loaded["model"]._metadata, model.state_dict()._metadata)
                self.assertEqual(list(loaded["model"]), list(model.state_dict()))
                for resumed_group, group in zip(resumed.param_groups, optimizer.param_groups, strict=True):
                    for name in options:
                        self.assertEqual(resumed_group[name], group[name], name)
                self.close(go_on(other, resumed, data), go_on(model, optimizer, data))

    def close(self, got, want):
        self.assertEqual(len(got), len(want))
        for a, b in zip(got, want):
            self.assertTrue(math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-7), f"{got}\n{want}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
