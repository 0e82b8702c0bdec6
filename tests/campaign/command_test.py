"""The program campaign: replays, shrinks, is interrupted, and refuses what is damaged. Argument: the program."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
FAILS = "step 0 7 no such operation\n"
RULES = "rule status 1\nrule cut 12\n"


def case(steps):
    return "seed 5\nthreads 2\nquotas 0\n" + RULES + steps


def passing(count):
    return "".join(f"step {i % 2} {i} get metadata\n" for i in range(count))


class CampaignTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = pathlib.Path(self.folder.name) / "some.case"

    def run_campaign(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=self.folder.name, check=False)

    def test_replays_a_case_that_passes(self):
        self.file.write_text(case(passing(20)))
        ended = self.run_campaign(f"--replay={self.file}", "--tries=1")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("20 steps, 2 rules: all promises are kept", ended.stdout)

    def test_replays_a_case_that_fails(self):
        self.file.write_text(case(passing(3) + FAILS))
        ended = self.run_campaign(f"--replay={self.file}")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("there is no operation", ended.stdout)

    def test_shrinks_to_the_step_that_fails(self):
        self.file.write_text(case(passing(30) + FAILS + passing(30)))
        ended = self.run_campaign(f"--shrink={self.file}")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("1 steps and 0 rules: campaign --replay=", ended.stdout)
        self.assertEqual(pathlib.Path(f"{self.file}.shrunk").read_text(), "seed 5\nthreads 2\nquotas 0\n" + FAILS)

    def test_prints_the_best_so_far_when_it_is_interrupted(self):
        self.file.write_text(case(passing(30) + FAILS))
        with subprocess.Popen([PROGRAM, f"--shrink={self.file}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as shrinking:
            self.assertIn("fails", shrinking.stderr.readline())
            os.kill(shrinking.pid, signal.SIGINT)
            stdout, _ = shrinking.communicate()
        self.assertEqual(shrinking.returncode, 0)
        self.assertIn("interrupted; the best so far, ", stdout)
        self.assertIn(FAILS, pathlib.Path(f"{self.file}.shrunk").read_text())

    def test_refuses_what_is_damaged(self):
        plan = pathlib.Path(self.folder.name) / "plan.json"
        plan.write_text('{"rules": [{"action": {"type": "unheard of"}}]}')
        self.file.write_text("seed 5\nthreads 2\nstep 9 1 read whole\n")
        for arguments, message in (
            ([f"--replay={self.file}"], "there is no such worker"),
            (["--replay=missing.case"], "cannot read missing.case"),
            ([f"--plan={plan}", "--seconds=1"], "unheard of"),
            (["--plan=missing.json", "--seconds=1"], "cannot read the plan missing.json"),
            (["--seconds=0"], "--seconds and --threads must be 1"),
        ):
            ended = self.run_campaign(*arguments)
            self.assertEqual(ended.returncode, 2, arguments)
            self.assertIn(message, ended.stderr)


if __name__ == "__main__":
    unittest.main()
