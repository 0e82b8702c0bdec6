"""scripts/proofs: sums, sections without results, results that are damaged. Argument: the script."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)


def campaign(seed, kept=True):
    return {"kind": "campaign", "seed": seed, "seconds": 1800, "kept": kept, "verified": 10, "requests": 1000,
            "operations": {"compose": {"done": 5, "cancelled": 1, "failed": 2}}, "fired": {"cut": 600, "outage": 90},
            "fired_by_operation": {"cut": {"storage.objects.insert": 40, "storage.objects.get": 60}},
            "kills": {"stream as parts": 7}}


class ProofsTest(unittest.TestCase):
    def page(self, *results):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number, result in enumerate(results):
                paths.append(pathlib.Path(folder) / f"{number}.json")
                paths[-1].write_text(result if isinstance(result, str) else json.dumps(result))
            out = pathlib.Path(folder) / "page.md"
            ended = subprocess.run([SCRIPT, f"--out={out}", *map(str, paths)], capture_output=True, text=True, check=False)
            return ended, out.read_text() if out.exists() else ""

    def test_adds_campaigns(self):
        ended, page = self.page(campaign(3), campaign(4))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        for text in ("2 campaigns, 1.00 hours, seeds 3, 4: 16 calls, 2,000 requests, **1,200 faults fired** (and 180",
                     "**14 processes killed**", "20 objects", "All promises were kept", "| cut | 1,200 |",
                     "Of the 200 faults", "80 met uploads", "| storage.objects.insert | 80 | cut 80 |",
                     "| compose | 10 | 2 | 4 |", "| stream as parts | 14 |"):
            self.assertIn(text, page)
        self.assertEqual(page.count("Not measured yet."), 5)

    def test_names_the_seeds_that_broke_promises(self):
        _, page = self.page(campaign(3), campaign(4, kept=False))
        self.assertIn("Promises were broken under the seeds 4.", page)

    def test_refuses_a_damaged_result_and_writes_nothing(self):
        for damaged in ("{", "[]", '{"seed": 1}'):
            ended, page = self.page(campaign(3), damaged)
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn("is no result", ended.stderr)
            self.assertEqual(page, "")


if __name__ == "__main__":
    unittest.main()
