#!/usr/bin/env python3
"""Checkpoints between PyTorch in Python and gcsflux, each writing what the other reads: interop.py FORMATS_TOOL

Started as /usr/bin/python3, which Debian's PyTorch belongs to. Exit status 77: there is no PyTorch here, which under CI is a
failure. `judge` below says what our files may be made of.
"""
import collections
import json
import os
import pickletools
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

try:
    import numpy
    import torch
except ImportError as error:
    print(f"interop: SKIPPED: {error} (apt-get install python3-torch)")
    sys.exit(1 if os.environ.get("CI") else 77)

TOOL = sys.argv[1]

# What torch.load(weights_only=True) knows since 2.6, as docs and torch/_weights_only_unpickler.py have it.
OPCODES = set(
    "PROTO STOP MARK NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 LONG1 BINFLOAT BINUNICODE EMPTY_TUPLE EMPTY_LIST "
    "EMPTY_DICT EMPTY_SET TUPLE TUPLE1 TUPLE2 TUPLE3 APPEND APPENDS SETITEM SETITEMS BINPERSID GLOBAL REDUCE NEWOBJ BUILD "
    "BINPUT LONG_BINPUT BINGET LONG_BINGET".split()
)
DTYPES = (
    "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex32 complex64 complex128".split()
)
STORAGES = (
    "Bool Byte Char Short Int Long Half BFloat16 Float Double ComplexHalf ComplexFloat ComplexDouble".split()
)
GLOBALS = (
    {
        "collections OrderedDict",
        "torch._utils _rebuild_tensor_v2",
        "torch._utils _rebuild_parameter",
        "torch Size",
        "torch device",
        "_codecs encode",
        "builtins set",
        "builtins complex",
        "builtins bytearray",
    }
    | {f"torch {name}" for name in DTYPES}
    | {f"torch {name}Storage" for name in STORAGES}
)


def judge(path):
    """Fails where a file of ours is not what PyTorch's own are: its archive, its opcodes, its globals."""
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        for entry in archive.infolist():
            assert entry.compress_type == zipfile.ZIP_STORED, entry
            with open(path, "rb") as file:
                file.seek(entry.header_offset)
                header = struct.unpack("<4sHHHHHIIIHH", file.read(30))
                assert header[0] == b"PK\x03\x04"
                assert (entry.header_offset + 30 + header[9] + header[10]) % 64 == 0, entry
        (pickle,) = [name for name in archive.namelist() if name.endswith("/data.pkl")]
        for opcode, argument, _ in pickletools.genops(archive.read(pickle)):
            assert opcode.name in OPCODES, opcode.name
            if opcode.name == "GLOBAL":
                assert argument in GLOBALS, argument


def tool(*arguments):
    done = subprocess.run([TOOL, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Tagger:
    """A Python value as formats_tool says it: each with its type, tensors with their elements."""

    def __init__(self):
        self.storages = {}

    def number(self, storage):
        return self.storages.setdefault(storage._cdata, len(self.storages))

    def raw(self, tensor):
        if tensor.numel() == 0:
            return ""
        flat = tensor.detach().resolve_conj().contiguous().clone().reshape(-1)
        return bytes(flat.view(torch.uint8) if flat.dtype != torch.bool else flat.to(torch.uint8)).hex()

    def tensor(self, value):
        storage = self.number(value.storage().untyped())
        return [
            "tensor", str(value.dtype).removeprefix("torch."), list(value.shape), list(value.stride()),
            value.storage_offset(), storage, value.requires_grad, isinstance(value, torch.nn.Parameter), self.raw(value),
        ]  # fmt: skip

    def integer(self, value):
        if -(2**63) <= value < 2**63:
            return ["int", str(value)]
        return ["long", value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True).hex()]

    def number_array(self, value):
        data = value.tobytes(order="A")
        return ["array", str(value.dtype), list(value.shape), value.flags.fnc, data.hex()]

    def of(self, value):
        if value is None:
            return ["none"]
        if isinstance(value, (bool, numpy.bool_)):
            return ["bool", bool(value)]
        if isinstance(value, numpy.integer):
            return self.integer(int(value))
        if isinstance(value, numpy.floating):
            return ["float", struct.pack(">d", float(value)).hex()]
        if isinstance(value, torch.Tensor):
            return self.tensor(value)
        if isinstance(value, torch.Size):
            return ["Size", list(value)]
        if isinstance(value, int):
            return self.integer(value)
        if isinstance(value, float):
            return ["float", struct.pack(">d", value).hex()]
        if isinstance(value, complex):
            return ["complex", struct.pack(">d", value.real).hex(), struct.pack(">d", value.imag).hex()]
        if isinstance(value, str):
            return ["str", value]
        if isinstance(value, (bytes, bytearray)):
            return [type(value).__name__, value.hex()]
        if isinstance(value, (list, tuple, set, frozenset)):
            return [type(value).__name__, [self.of(item) for item in value]]
        if isinstance(value, torch.dtype):
            return ["dtype", str(value).removeprefix("torch.")]
        if isinstance(value, torch.device):
            return ["device", value.type, value.index]
        if isinstance(value, numpy.ndarray):
            return self.number_array(value)
        if isinstance(value, dict):
            entries = [[self.of(key), self.of(item)] for key, item in value.items()]
            attributes = [[["str", key], self.of(item)] for key, item in vars(value).items()] if hasattr(value, "__dict__") else []
            return [type(value).__name__, entries, attributes if type(value) is collections.OrderedDict else []]
        raise AssertionError(f"no tag for {type(value)}")


def normal(tagged):
    """Sets have no order."""
    if isinstance(tagged, list) and tagged and tagged[0] in ("set", "frozenset"):
        return [tagged[0], sorted(map(normal, tagged[1]), key=repr)]
    return [normal(item) for item in tagged] if isinstance(tagged, list) else tagged


def seeded(model):
    torch.manual_seed(7)
    return model


def conv_net():
    return torch.nn.Sequential(
        torch.nn.Conv2d(1, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 3)
    )


def trained(optimizer_class, steps=3, **options):
    model = seeded(conv_net())
    optimizer = optimizer_class(model.parameters(), **options)
    train(model, optimizer, steps)
    return model, optimizer


def train(model, optimizer, steps):
    generator = torch.Generator().manual_seed(11)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model(torch.randn(5, 1, 8, 8, generator=generator)).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def every_type():
    names = [name for name in DTYPES if name not in ("complex32",)]
    return {name: torch.tensor([0, 1, 1, 0, 1]).to(getattr(torch, name)) for name in names}


def views():
    base = torch.arange(24.0).reshape(4, 6)
    return {
        "base": base, "transposed": base.t(), "row": base[2], "column": base[:, 3], "every other": base[::2, ::3],
        "expanded": base[0].expand(5, 6), "again": base, "scalar": torch.tensor(5), "empty": torch.empty(0, 3),
        "slice of nothing": base[4:],
    }  # fmt: skip


def plain_values():
    return {
        "none": None, "bools": [True, False], "ints": [0, 1, -1, 255, 256, 65535, 65536, 2**31 - 1, -(2**31), 2**31, 2**63 - 1],
        "long ints": [2**63, -(2**63) - 1, 2**100, -(2**500)], "floats": [0.0, -0.0, 1.5, 1e300, float("inf")],
        "complex": 1 + 2j, "text": "häß €😀\n\x00", "bytes": [b"", b"\x00\xff\x80", b"plain"], "bytearray": bytearray(b"\x00\xfe"),
        "list": [], "tuples": [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)], "set": {1, 2, "x"}, "size": torch.Size([2, 3]),
        "dtypes": [torch.float16, torch.int64], "devices": [torch.device("cpu"), torch.device("cuda", 1)],
        "nested": {"a": {"b": [{"c": 1}]}}, 5: "a number as a key", "ordered": collections.OrderedDict(x=1),
    }  # fmt: skip


def checkpoint(optimizer_class, **options):
    model, optimizer = trained(optimizer_class, **options)
    return {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3, "lr": 0.1}


CASES = {
    "state_dict": lambda: seeded(conv_net()).state_dict(),
    "parameters": lambda: dict(seeded(conv_net()).named_parameters()),
    "adam": lambda: checkpoint(torch.optim.Adam, lr=0.01),
    "adamw": lambda: checkpoint(torch.optim.AdamW, lr=0.01, amsgrad=True),
    "sgd": lambda: checkpoint(torch.optim.SGD, lr=0.01, momentum=0.9),
    "rmsprop": lambda: checkpoint(torch.optim.RMSprop, lr=0.01),
    "adagrad": lambda: checkpoint(torch.optim.Adagrad, lr=0.01),
    "rng": lambda: {"rng": torch.get_rng_state(), "seed": torch.initial_seed()},
    "every type": every_type,
    "views": views,
    "values": plain_values,
    "unicode names": lambda: {"gewicht.größe": torch.ones(2), "重み": torch.zeros(3), "": torch.ones(1)},
    "one tensor": lambda: torch.arange(6).reshape(2, 3),
    "many tensors": lambda: collections.OrderedDict((f"t{i}", torch.full((3,), i)) for i in range(1000)),
}
# What we read, and do not write.
READ_ONLY = {
    "counter": lambda: {"c": collections.Counter("hello"), "d": collections.defaultdict(list, {"a": [1]}), "f": frozenset([1])},
    "numpy": lambda: {
        "scalars": [numpy.float32(1.5), numpy.float64(2.5), numpy.int64(-3), numpy.uint8(200), numpy.bool_(True)],
        "array": numpy.arange(6, dtype=numpy.float32).reshape(2, 3),
        "fortran": numpy.asfortranarray(numpy.arange(6).reshape(2, 3)),
        "rng": numpy.random.RandomState(1).get_state(),
    },
}


def loads_with_weights_only(path):
    try:
        torch.load(path, weights_only=True)
        return True
    except Exception:  # Whatever it refuses.
        return False


class Interop(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.theirs = os.path.join(directory.name, "theirs.pt")
        self.ours = os.path.join(directory.name, "ours.pt")

    def describe(self, path):
        return json.loads(tool("describe", path))

    def test_reads_files_of_python(self):
        for name, make in {**CASES, **READ_ONLY}.items():
            for protocol in (2, 3, 4, 5):
                with self.subTest(name=name, protocol=protocol):
                    value = make()
                    torch.save(value, self.theirs, pickle_protocol=protocol)
                    self.assertEqual(normal(self.describe(self.theirs)["root"]), normal(Tagger().of(value)))

    def test_python_reads_our_files(self):
        for name, make in CASES.items():
            with self.subTest(name=name):
                value = make()
                torch.save(value, self.theirs)
                tool("rewrite", self.theirs, self.ours)
                judge(self.ours)
                self.assertEqual(normal(Tagger().of(torch.load(self.ours))), normal(Tagger().of(value)))
                if loads_with_weights_only(self.theirs):
                    got = torch.load(self.ours, weights_only=True)
                    self.assertEqual(normal(Tagger().of(got)), normal(Tagger().of(value)))

    def test_weights_only_reads_our_state_dicts(self):
        self.assertTrue(self.accepts("state_dict"))
        self.assertTrue(self.accepts("many tensors"))

    def accepts(self, name):
        torch.save(CASES[name](), self.theirs)
        tool("rewrite", self.theirs, self.ours)
        return loads_with_weights_only(self.ours)

    def test_training_continues_with_the_same_losses(self):
        for optimizer_class, options in (
            (torch.optim.Adam, {"lr": 0.01}), (torch.optim.AdamW, {"lr": 0.01}), (torch.optim.SGD, {"lr": 0.01, "momentum": 0.9}),
        ):  # fmt: skip
            with self.subTest(optimizer=optimizer_class.__name__):
                model, optimizer = trained(optimizer_class, **options)
                torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, self.theirs)
                tool("rewrite", self.theirs, self.ours)
                loaded = torch.load(self.ours)
                other = conv_net()
                other.load_state_dict(loaded["model"])
                resumed = optimizer_class(other.parameters(), **options)
                resumed.load_state_dict(loaded["optimizer"])
                self.assertEqual(train(other, resumed, 20), train(model, optimizer, 20))

    def test_refuses_by_name_and_reads_the_rest(self):
        value = {
            "weight": torch.ones(3), "sparse": torch.eye(3).to_sparse(), "range": range(3),
            "quantised": torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8), "meta": torch.empty(2, device="meta"),
        }  # fmt: skip
        torch.save(value, self.theirs)
        described = self.describe(self.theirs)
        self.assertEqual(list(described["tensors"]), ["weight"])
        self.assertIn("sparse tensors", described["refused"]["sparse"])
        self.assertIn("quantised", described["refused"]["quantised"])
        self.assertIn("meta tensors", described["refused"]["meta"])
        self.assertIn("xrange", described["refused"]["range"])

    def test_distinguishes_the_old_format_and_torchscript(self):
        torch.save({"a": torch.ones(1)}, self.theirs, _use_new_zipfile_serialization=False)
        done = subprocess.run([TOOL, "describe", self.theirs], capture_output=True, text=True)
        self.assertIn("save it again with torch.save()", done.stderr)
        torch.jit.script(torch.nn.Linear(2, 2)).save(self.theirs)
        described = json.loads(tool("describe", self.theirs))
        self.assertEqual(sorted(described["tensors"]), ["bias", "weight"])

    def test_python_reads_files_of_the_tool(self):
        tool("make", self.ours, "70000", "1")
        judge(self.ours)
        with zipfile.ZipFile(self.ours) as archive:
            self.assertEqual(len(archive.namelist()), 70000 + 3)
        loaded = torch.load(self.ours, weights_only=True)
        self.assertEqual(len(loaded), 70000)
        self.assertEqual(loaded["layer69999"].item(), 69999)

    def test_reads_a_file_over_4_gib(self):
        """Its data is a hole: Python's zipfile reads the directory and a record behind it."""
        tool("make_sparse", self.ours, str((2**32 + 4096) // 4))
        self.assertGreater(os.path.getsize(self.ours), 2**32)
        with zipfile.ZipFile(self.ours) as archive:
            names = archive.namelist()
            self.assertEqual(archive.getinfo("archive/data/0").file_size, 2**32 + 4096)
            self.assertEqual(archive.read("archive/version"), b"3\n")
            self.assertEqual(names[-1], "archive/version")
        described = json.loads(tool("list", self.ours))
        self.assertEqual(described["layer1"], [4])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], warnings="ignore")
