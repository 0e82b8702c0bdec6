#!/usr/bin/env python3
"""How benchmarks/peers judges what clients say: peers_test.py PROJECT_ROOT BIN_DIR"""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(sys.argv.pop(1))
BIN = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "benchmarks" / "peers"))
import compare
import processes
import rows
import service

FIGURES = {"seconds": 1, "cpu_seconds": 1, "peak_bytes": 1 << 20, "resident_before": 0}


class Client:
    """Says what it is told to; an exception among these is raised."""

    def __init__(self, *reports):
        self._reports = list(reports)

    def report(self, *_):
        report = self._reports.pop(0)
        if isinstance(report, Exception):
            raise report
        return {**FIGURES, **report}


class PeersTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        files = service.Files(pathlib.Path(directory.name), 2, 1 << 20)
        self.row = rows.Row("small_reads", "small", [f"--seed_dir=small={files.small}"], names=files.small_names)
        with service.Emulator(BIN / "gcsflux-emulator", *self.row.flags) as emulator:
            self.stored = emulator.content_of("small")

    def run_client(self, *reports):
        comparison = compare.Comparison(BIN, {"client": Client(*reports)})
        comparison.prepare([self.row])
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            comparison.run("none", self.row, "client", is_timed=True)
        return comparison

    def test_counts_what_is_stored(self):
        self.assertEqual((self.stored["items"], self.stored["bytes"]), (2, 2 * service.SMALL_BYTES))

    def test_keeps_the_figures_of_what_came_whole(self):
        comparison = self.run_client(self.stored)
        self.assertEqual(comparison.cells, {("none", "small_reads", "client"): [FIGURES]})
        self.assertEqual((comparison.reasons, comparison.repeated), ({}, {}))

    def test_refuses_other_content(self):
        for name in ("items", "bytes", "crc32c_sum"):
            comparison = self.run_client({**self.stored, name: self.stored[name] - 1})
            self.assertEqual(comparison.cells, {}, name)
            self.assertRegex(comparison.reasons["small_reads", "client"], f"^failed: {name} is")

    def test_repeats_a_process_that_failed(self):
        comparison = self.run_client(processes.Failed("once"), self.stored)
        self.assertEqual(len(comparison.cells["none", "small_reads", "client"]), 1)
        self.assertEqual(comparison.repeated, {("small_reads", "client"): 1})
        self.assertEqual(comparison.reasons, {})

    def test_gives_up_after_some_attempts(self):
        comparison = self.run_client(*[processes.Failed("always")] * compare.ATTEMPTS)
        self.assertEqual(comparison.reasons, {("small_reads", "client"): "failed: always"})

    def test_refuses_a_checkpoint_that_loads_as_another_one(self):
        saved = {"items": 1, "bytes": rows.TENSOR_BYTES, "crc32c_sum": 7}
        self.row = rows.Row("checkpoint_save", "checkpoints", then=rows.Row("checkpoint_load", "checkpoints", tensors=1), tensors=1)
        comparison = self.run_client(saved, {**saved, "crc32c_sum": 8})
        self.assertEqual(set(comparison.reasons), {("checkpoint_save", "client"), ("checkpoint_load", "client")})

    def test_tells_what_a_client_cannot_do(self):
        comparison = self.run_client({"cannot": "it has no way"})
        self.assertEqual((comparison.cells, comparison.reasons), ({}, {("small_reads", "client"): "it has no way"}))

    def test_measures_a_process_and_tells_its_last_words(self):
        done = processes.run([sys.executable, "-c", "print(sum(range(10 ** 6)))"], {})
        with done.output:
            self.assertEqual(done.output.read(), "499999500000\n")
        self.assertGreater(done.cpu_seconds, 0)
        self.assertGreater(done.peak_bytes, 1 << 20)
        with self.assertRaisesRegex(processes.Failed, "exit status 3: why"):
            processes.run([sys.executable, "-c", "import sys; print('why', file=sys.stderr); sys.exit(3)"], {})


if __name__ == "__main__":
    unittest.main()
