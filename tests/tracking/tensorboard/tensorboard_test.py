"""TensorBoard's own loaders, and protoc, read the event files of gcsflux: tensorboard_test.py BIN_DIR"""

import io
import json
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

os.environ["GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT"] = "false"

import fsspec  # noqa: E402
from PIL import Image  # noqa: E402
from tensorboard.backend.event_processing import directory_watcher, event_file_loader, io_wrapper  # noqa: E402
from tensorboard.backend.event_processing import plugin_event_accumulator  # noqa: E402
from numpy import float32  # noqa: E402
from tensorboard.compat.proto.event_pb2 import Event  # noqa: E402
from tensorboard.compat.proto.summary_pb2 import Summary  # noqa: E402
from tensorboard.summary.writer.record_writer import RecordWriter  # noqa: E402
from tensorboard.util import tensor_util  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent.parent / "clients" / "python"))
BIN = pathlib.Path(sys.argv[1])
os.environ["EMULATOR"] = str(BIN / "gcsflux-emulator")

from emulator import Emulator  # noqa: E402

NO_SERVICE = "http://127.0.0.1:1"  # Files of a local directory need none.


def write_some(directory, endpoint=NO_SERVICE):
    done = subprocess.run([BIN / "events_tool", endpoint, directory, "some"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def payloads(path):
    """The records' contents, without a look at their checksums."""
    data = path.read_bytes()
    while data:
        (size,) = struct.unpack("<Q", data[:8])
        yield data[12 : 12 + size]
        data = data[16 + size :]


class Endless:
    """The program that writes a step for each line."""

    def __init__(self, directory, endpoint=NO_SERVICE):
        command = [BIN / "events_tool", endpoint, directory, "endless"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def step(self):
        self.process.stdin.write("\n")
        return int(self.process.stdout.readline())

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def watcher_of(directory):
    """As TensorBoard watches a directory."""
    return directory_watcher.DirectoryWatcher(directory, event_file_loader.EventFileLoader, io_wrapper.IsSummaryEventsFile)


def steps_of(watcher):
    return [event.step for event in watcher.Load() for value in event.summary.value if value.tag == "step"]


class TensorBoard(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def loaded(self):
        write_some(self.directory)
        everything = plugin_event_accumulator.STORE_EVERYTHING_SIZE_GUIDANCE
        return plugin_event_accumulator.EventAccumulator(self.directory, size_guidance=everything).Reload()

    def tensor(self, accumulator, tag):
        (event,) = accumulator.Tensors(tag)
        return tensor_util.make_ndarray(event.tensor_proto)

    def test_loads_scalars(self):
        accumulator = self.loaded()
        values = {tag: [(e.step, float(tensor_util.make_ndarray(e.tensor_proto))) for e in accumulator.Tensors(tag)]
                  for tag in ("loss", "odd", "back", "bad_tag_")}
        self.assertEqual([step for step, _ in values["loss"]], list(range(100)))
        self.assertAlmostEqual(values["loss"][9][1], 0.1, places=6)
        self.assertTrue(math.isnan(values["odd"][0][1]))
        self.assertEqual([value for _, value in values["odd"][1:]], [math.inf, -math.inf])
        self.assertEqual(values["back"], [(5, 5.0), (4, 4.0)])
        self.assertEqual(values["bad_tag_"], [(1, 1.0)])

    def test_loads_text(self):
        accumulator = self.loaded()
        self.assertEqual(accumulator.SummaryMetadata("note").plugin_data.plugin_name, "text")
        self.assertEqual(self.tensor(accumulator, "note").tolist(), ["**gr????e**\n\n?".encode()])

    def test_loads_histograms(self):
        accumulator = self.loaded()
        buckets = self.tensor(accumulator, "weights")  # Left, right, count.
        self.assertEqual(buckets.shape, (30, 3))
        self.assertEqual((buckets[0][0], buckets[-1][1], buckets[:, 2].sum()), (0, 99, 1000))
        self.assertEqual(self.tensor(accumulator, "equal").tolist(), [[3, 3, 2]])

    def test_loads_images(self):
        accumulator = self.loaded()
        for channels in range(1, 5):
            width, height, png = self.tensor(accumulator, f"image/{channels}").tolist()
            self.assertEqual((width, height), (b"7", b"5"))
            image = Image.open(io.BytesIO(png))
            self.assertEqual((image.size, len(image.getbands())), ((7, 5), channels))
            planes = b"".join(plane.tobytes() for plane in image.split())
            self.assertEqual(list(planes), [i * 3 % 256 for i in range(35 * channels)])

    def test_protoc_knows_every_field(self):
        write_some(self.directory)
        (path,) = pathlib.Path(self.directory).glob("events.out.tfevents.*")
        decoded = ""
        for payload in payloads(path):
            command = ["protoc", f"--proto_path={HERE}", "--decode=Event", "events.proto"]
            done = subprocess.run(command, input=payload, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            text = done.stdout.decode()
            self.assertNotRegex(text, r"(?m)^\s*\d+[:{ ]", "a field that the messages do not have")
            decoded += text
        for found in ('file_version: "brain.Event:2"', 'tag: "loss"', "simple_value: nan", "simple_value: -inf", "step: 99",
                      'plugin_name: "text"', "dtype: DT_STRING", "colorspace: 4", "num: 1000"):
            self.assertIn(found, decoded)

    def test_a_killed_writer_leaves_whole_records(self):
        for seed in range(20):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as directory:
                program, rand = Endless(directory), random.Random(seed)
                last = [program.step() for _ in range(1 + seed % 4)][-1]
                program.process.stdin.write("\n" * 50)
                program.process.stdin.flush()
                for _ in range(rand.randrange(5)):
                    last = int(program.process.stdout.readline())
                program.kill()
                steps = steps_of(watcher_of(directory))
                self.assertEqual(steps, list(range(len(steps))))
                self.assertGreater(len(steps), last)

    def test_watches_a_running_job_in_a_bucket(self):
        with Emulator() as emulator:
            emulator.make_bucket("bucket")
            fsspec.config.conf["gs"] = fsspec.config.conf["gcs"] = {
                "token": "anon", "project": "test", "endpoint_url": emulator.endpoint, "use_listings_cache": False,
                "cache_timeout": 0}
            program = Endless("gs://bucket/runs/7", emulator.endpoint)
            watcher, seen = watcher_of("gs://bucket/runs/7"), []
            for step in range(26):  # Of 100 KB each.
                program.step()
                seen += steps_of(watcher)
                self.assertEqual(seen, list(range(step + 1)))
            program.kill()
            self.assertEqual(len(fsspec.filesystem("gs").glob("bucket/runs/7/events.out.tfevents.*")), 3)

    def test_gcsflux_reads_files_of_tensorboard(self):
        with open(os.path.join(self.directory, "events.out.tfevents.1.theirs"), "wb") as file:
            writer = RecordWriter(file)
            writer.write(Event(file_version="brain.Event:2").SerializeToString())
            for step in (1, 2):
                old = Summary.Value(tag="old", simple_value=step / 2)
                new = Summary.Value(tag="new", tensor=tensor_util.make_tensor_proto(step / 4, dtype=float32))
                text = Summary.Value(tag="text", tensor=tensor_util.make_tensor_proto("words"))
                writer.write(Event(step=step, summary=Summary(value=[old, new, text])).SerializeToString())
            writer.flush()
        with Emulator() as emulator:
            emulator.make_bucket("bucket")
            gcsflux = [BIN / "gcsflux", f"--endpoint={emulator.endpoint}"]
            subprocess.run([*gcsflux, "cp", "-rq", self.directory, "gs://bucket/runs/theirs"], check=True)
            listed = subprocess.run([*gcsflux, "runs", "ls", "--json", "gs://bucket/runs"], check=True, capture_output=True)
        run = json.loads(listed.stdout)
        self.assertEqual((run["step"], run["metrics"]), (2, {"new": 0.5, "old": 1}))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
