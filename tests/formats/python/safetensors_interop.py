#!/usr/bin/env python3
"""Files of safetensors between its own Python package and gcsflux, each writing what the other reads: ... FORMATS_TOOL"""
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy
import safetensors
import safetensors.numpy

TOOL = sys.argv[1]
TYPES = {
    "bool": "BOOL", "uint8": "U8", "int8": "I8", "int16": "I16", "int32": "I32", "int64": "I64", "uint16": "U16",
    "uint32": "U32", "uint64": "U64", "float16": "F16", "float32": "F32", "float64": "F64",
}  # fmt: skip


def tool(*arguments):
    done = subprocess.run([TOOL, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def arrays():
    random = numpy.random.RandomState(1)
    made = {name: (random.rand(3, 4) * 100).astype(name) for name in TYPES}
    made |= {"scalar": numpy.array(5.0), "empty": numpy.empty((0, 3), numpy.float32), "größe \"\\ 重": numpy.ones(2)}
    return made


def as_described(made):
    return {
        name: {"dtype": TYPES[str(array.dtype)], "shape": list(array.shape), "data": array.tobytes().hex()}
        for name, array in made.items()
    }


class SafetensorsInterop(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.theirs = os.path.join(directory.name, "theirs.safetensors")
        self.ours = os.path.join(directory.name, "ours.safetensors")

    def test_reads_files_of_python(self):
        for metadata in (None, {"format": "pt", "note": "\"€\"\n"}, {}):
            safetensors.numpy.save_file(arrays(), self.theirs, metadata=metadata)
            described = json.loads(tool("describe_safetensors", self.theirs))
            self.assertEqual(described["tensors"], as_described(arrays()))
            self.assertEqual(dict(described["metadata"]), metadata or {})
            self.assertFalse(described["verifiable"])

    def test_python_reads_our_files(self):
        safetensors.numpy.save_file(arrays(), self.theirs, metadata={"format": "pt"})
        tool("rewrite_safetensors", self.theirs, self.ours)
        loaded = safetensors.numpy.load_file(self.ours)
        self.assertEqual(as_described(loaded), as_described(arrays()))
        with safetensors.safe_open(self.ours, framework="numpy") as file:
            metadata = file.metadata()
            self.assertEqual(metadata["format"], "pt")
            self.assertEqual(sum(key.startswith("crc32c:") for key in metadata), len(arrays()))
            numpy.testing.assert_array_equal(file.get_slice("int32")[1:2], arrays()["int32"][1:2])
        described = json.loads(tool("describe_safetensors", self.ours))
        self.assertTrue(described["verifiable"])

    def test_python_reads_a_step_of_a_run(self):
        tool("make_run_state", self.ours)
        loaded = safetensors.numpy.load_file(self.ours)
        weights = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
        numpy.testing.assert_array_equal(loaded["model.weight"], weights)
        numpy.testing.assert_array_equal(loaded["model.turned"], weights.T)
        numpy.testing.assert_array_equal(loaded["optimizer.state.0.avg"], numpy.array([0.5, 0.25]))
        with safetensors.safe_open(self.ours, framework="numpy") as file:
            state = json.loads(file.metadata()["gcsflux.state"])
        self.assertEqual(state["numbers"], {"step": 42})
        self.assertEqual(state["texts"], {"name": "grösse"})
        self.assertEqual(state["model"]["weight"], {"$tensor": "model.weight"})
        self.assertEqual(state["optimizer"]["betas"], {"$tuple": [0.9, 0.999]})
        self.assertEqual(state["optimizer"]["state"], {"$dict": [[0, {"avg": {"$tensor": "optimizer.state.0.avg"}}]]})

    def test_python_joins_the_slices_of_a_sharded_step(self):
        directory = os.path.dirname(self.ours)
        tool("make_sharded", directory)
        names = sorted(name for name in os.listdir(directory) if name.startswith("shard-"))
        self.assertEqual(names, [f"shard-{rank:05}-model-00001-of-00001.safetensors" for rank in (1, 2, 3)])
        slices = {}
        for name in names:
            with safetensors.safe_open(os.path.join(directory, name), framework="numpy") as file:
                info = json.loads(file.metadata()["DCP_SHARDING_INFO"])
                self.assertEqual(set(info), set(file.keys()))
                for key in file.keys():
                    slices.setdefault(key, []).append((info[key]["saved_offsets"], file.get_tensor(key)))
        self.assertEqual({key: len(found) for key, found in slices.items()},
                         {"rows": 3, "columns": 3, "copied": 3, "alone": 1})
        shapes = {"rows": (7, 4), "columns": (3, 8), "copied": (3000, 2), "alone": ()}
        for key, found in slices.items():
            joined = numpy.full(shapes[key], -1, found[0][1].dtype)
            for offsets, array in found:
                place = tuple(slice(offset, offset + size) for offset, size in zip(offsets, array.shape, strict=True))
                self.assertTrue((joined[place] == -1).all(), f"{key}: slices overlap")
                joined[place] = array
            numpy.testing.assert_array_equal(joined, numpy.arange(joined.size).reshape(joined.shape), key)

    def test_reads_types_that_numpy_lacks(self):
        for theirs, name, size in (("bfloat16", "BF16", 2), ("float8_e4m3fn", "F8_E4M3", 1), ("float8_e5m2", "F8_E5M2", 1)):
            with self.subTest(type=name):
                data = bytes(range(4 * size))
                memory = ctypes.create_string_buffer(data, len(data))
                spec = safetensors.TensorSpec(
                    dtype=theirs, shape=[2, 2], data_ptr=ctypes.addressof(memory), data_len=len(data)
                )
                safetensors.serialize_file({"x": spec}, self.theirs, None)
                tool("rewrite_safetensors", self.theirs, self.ours)
                with open(self.ours, "rb") as file:
                    ((key, value),) = safetensors.deserialize(file.read())
                self.assertEqual((key, value["dtype"], list(value["shape"]), bytes(value["data"])), ("x", name, [2, 2], data))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
