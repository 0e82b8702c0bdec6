#!/usr/bin/env python3
"""The names of libtorch's own modules and of Python's, compared: builtin_modules.py TOOL HEADERS...

HEADERS are the folders of libtorch's headers. Started as /usr/bin/python3, which Debian's PyTorch belongs to. Exit status 77:
there is no PyTorch here, which under CI is a failure."""
import collections  # noqa: F401: expressions of the tool use it
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import torch
    from torch import nn
except ImportError as error:
    print(f"builtin_modules: SKIPPED: {error} (apt-get install python3-torch)")
    sys.exit(1 if os.environ.get("CI") else 77)

TOOL, *HEADERS = sys.argv[1:]
# A function as a module has no counterpart in Python.
ONLY_IN_CPP = {"Functional"}
# A module without tensors, which in C++ is a function.
ONLY_IN_PYTHON = {"distance_function"}


def tool(*arguments):
    done = subprocess.run([TOOL, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def classes_of_headers():
    names = set()
    for folder in HEADERS:
        for header in pathlib.Path(folder, "torch/nn/modules").rglob("*.h"):
            text = re.sub(r"//.*|#define[^\n]*(\\\n[^\n]*)*", "", header.read_text())
            names.update(re.findall(r"TORCH_MODULE(?:_IMPL)?\((\w+)", text))
            names.update(re.findall(r"ModuleHolder<(\w+)Impl>", text))
    return names


class BuiltinModules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cpp = [json.loads(line) for line in tool("list").splitlines()]
        torch.manual_seed(5)
        cls.modules = [eval(entry["python"]) for entry in cls.cpp]

    def test_compares_every_common_class(self):
        headers = classes_of_headers()
        self.assertGreater(len(headers), 100)
        compared = {type(module).__name__ for module in self.modules}
        self.assertEqual(headers - compared, ONLY_IN_CPP)

    def test_optimizers_number_the_parameters_alike(self):
        for entry, module in zip(self.cpp, self.modules):
            with self.subTest(module=entry["python"]):
                self.assertEqual(entry["parameters"], [name for name, _ in module.named_parameters()])

    def test_state_dicts_round_trip_through_cpp(self):
        with tempfile.TemporaryDirectory() as theirs, tempfile.TemporaryDirectory() as ours:
            for number, module in enumerate(self.modules):
                torch.save(module.state_dict(), f"{theirs}/{number}.pt")
            tool("load", theirs, ours)
            for number, (entry, module) in enumerate(zip(self.cpp, self.modules)):
                with self.subTest(module=entry["python"]):
                    self.same(torch.load(f"{ours}/{number}.pt"), module.state_dict())
                    eval(entry["python"]).load_state_dict(torch.load(f"{ours}/{number}.pt"))

    def same(self, got, want):
        self.assertEqual(list(got), list(want))
        versions = {name: entry for name, entry in want._metadata.items() if name not in ONLY_IN_PYTHON}
        self.assertEqual(got._metadata, versions)
        for name, tensor in want.items():
            self.assertTrue(torch.equal(got[name], tensor), name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
