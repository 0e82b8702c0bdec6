#!/usr/bin/env python3
"""What scripts/benchmarks writes: page_test.py PROJECT_ROOT BIN_DIR"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(sys.argv.pop(1))
BIN = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "scripts"))
import benchmarks_page

TEMPLATE = (ROOT / "scripts" / "benchmark_tables.md").read_text()
WITH_LIBTORCH = {"bench_checkpoint_runs", "bench_datasets", "bench_distributed", "bench_formats"}
CELLS = """scenario,policy,share_of_quota,worst_s,throttled_per_success,p99_s,jain_index,recovery_s
dip,gate,0.965,3.2,0.018,1.6,0.999,2.4
dip,none,1.001,7.5,12.5,1.7,0.999,
"""


def peers_report(scale=1):
    def run(seconds, resident_before=100 << 20):
        return {"seconds": seconds, "cpu_seconds": 0.25, "peak_bytes": 120 << 20, "resident_before": resident_before}

    return {"date": "2026-11-20", "num_cpus": 2, "load_before": 0.1, "scale": scale,
            "versions": {"gcsflux": "", "gcsfs": "1.2", "obstore": "3"}, "missing": {"obstore": "no network"},
            "reasons": [{"row": row, "client": "tensorstore", "reason": "it has no file"}
                        for row in ("checkpoint_save", "checkpoint_load")],
            "repeated": [{"row": "list", "client": "gcsfs", "runs": 2}],
            "cells": [{"service": "gcs", "row": "list", "client": "gcsflux", "runs": [run(1, None), run(3, None), run(1.5, None)]},
                      {"service": "gcs", "row": "list", "client": "gcsfs", "runs": [run(20), run(21), run(22)]},
                      {"service": "gcs", "row": "upload", "client": "gcsflux", "runs": [run(2, None)]}]}


def runs(name, *rates):
    return [{"run_name": name, "run_type": "iteration", "items_per_second": rate, "real_time": 1e3 / rate,
             "time_unit": "us"} for rate in rates]


class PageTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def render(self, template, benchmarks=(), cells=""):
        directory = pathlib.Path(self.directory.name)
        if benchmarks:
            context = {"date": "2026-11-20T10:00:00", "num_cpus": 2, "load_avg": [0.5, 1, 1]}
            report = {"context": context, "benchmarks": [run for group in benchmarks for run in group]}
            (directory / "bench_some.json").write_text(json.dumps(report))
        if cells:
            (directory / "retry_policy.csv").write_text(cells)
        return benchmarks_page.render(template, benchmarks_page.Results(directory))

    def test_shows_median_and_spread(self):
        page = self.render('{{ per_second(rate("BM_A/threads:2")) }}',
                           [runs("BM_A/threads:2/real_time", 900, 1000, 1100)])
        self.assertEqual(page, "1,000/s ± 10 %")

    def test_distinguishes_met_from_missed(self):
        template = '{{ compare(rate("BM_A"), rate("BM_B"), per_second, at_least=0.9) }}'
        self.assertEqual(self.render(template, [runs("BM_A", 950), runs("BM_B", 1000)]),
                         "1,000/s | 950/s | 0.95 | at least 0.9: met")
        self.assertEqual(self.render(template, [runs("BM_A", 850), runs("BM_B", 1000)]),
                         "1,000/s | 850/s | 0.85 | at least 0.9: **missed**")

    def test_keeps_a_section_without_measurements(self):
        template = '## A\n{{ per_second(rate("BM_A")) }}\n## B\nnew words {{ per_second(rate("BM_B")) }}\n'
        before = "## A\nold\n## B\nold\n"
        directory = pathlib.Path(self.directory.name)
        self.render("", [runs("BM_A", 1000)])
        page = benchmarks_page.render(template, benchmarks_page.Results(directory), before)
        self.assertEqual(page, "## A\n1,000/s\n## B\nold\n")

    def test_judges_bounds_by_the_worst_run(self):
        page = self.render('{{ judge(time("BM_A"), ms, at_most=3) }}', [runs("BM_A", 1, 0.5, 0.25)])
        self.assertEqual(page, "2 ms ± 75 % | at most 3: **missed**")

    def test_omits_errors(self):
        failed = [dict(run, error_occurred=True) for run in runs("BM_A", 5)]
        self.assertEqual(self.render('{{ per_second(rate("BM_A")) }}', [failed]), "not measured")

    def test_names_a_wrong_expression(self):
        with self.assertRaisesRegex(benchmarks_page.BadTemplate, r"\{\{ hours\(1\) \}\}.*'hours'"):
            self.render("{{ hours(1) }}")

    def test_shows_each_policy(self):
        page = self.render('{{ policies("dip") }} {{ judge(cell("dip", "gate", "recovery_s"), seconds, at_most=5) }}',
                           cells=CELLS)
        self.assertIn("| `gate` | 96.5 % | 0.018 | 3.20 s | 1.60 s | 0.999 | 2.4 s |", page)
        self.assertIn("| `none` | 100.1 % | 12.500 | 7.50 s | 1.70 s | 0.999 |  |", page)
        self.assertIn("2.40 s | at most 5: met", page)

    def test_compares_defaults_with_the_best_of_the_grid(self):
        cell = "kib:100/batch:16"
        grid = [runs(f"BM_ByHand/{cell}/connections:{count}/composed:1", rate) for count, rate in ((8, 0.5), (64, 1))]
        page = self.render('{{ by_hand("kib:100/batch:16") }}', [*grid, runs(f"BM_Defaults/{cell}", 0.8)])
        self.assertEqual(page, "1 ms (64 connections, composed) | 1.25 ms | 1.25 | at most 1.15: **missed**")

    def render_peers(self, template, report):
        directory = pathlib.Path(self.directory.name)
        (directory / "peers.json").write_text(json.dumps(report))
        return benchmarks_page.render(template, benchmarks_page.Results(directory))

    def test_shows_each_client_beside_the_fastest(self):
        page = self.render_peers('{{ peer_cells("list", "gcs") }}', peers_report())
        self.assertEqual(page, "**1.50 s** (1.00..3.00)<br>0.25 s CPU<br>120 MiB | "
                               "21.0 s (20.0..22.0)<br>0.25 s CPU<br>120 MiB, +20 |  |  |  | ")

    def test_a_row_without_runs_is_not_measured(self):
        self.assertEqual(self.render_peers('{{ peer_cells("list", "none") }}', peers_report()), "not measured")

    def test_tells_where_clients_were_measured_and_why_cells_are_empty(self):
        lines = self.render_peers("{{ peer_notes() }}", peers_report()).splitlines()
        self.assertRegex(lines[0], r"^- Measured 2026-11-20 on 2 cores \(.*\), \d+ GiB; .* load average was 0\.1\. Versions: "
                                   r"gcsfs 1\.2, obstore 3\.$")
        self.assertEqual(lines[1:], ["- Not measured: obstore: no network.",
                                     "- Not in this run (`--peers`): tensorstore, google-cloud-storage, connector for PyTorch.",
                                     "- No figure: tensorstore, a checkpoint saved and a checkpoint loaded: it has no file.",
                                     "- Failed and repeated: gcsfs, a list: 2 runs."])

    def test_warns_of_scaled_sizes(self):
        self.assertIn("**Sizes are scaled by 0.05", self.render_peers("{{ peer_notes() }}", peers_report(scale=0.05)))

    def test_writes_a_page_without_measurements(self):
        page = self.render(TEMPLATE)
        self.assertNotIn("{{", page)
        self.assertIn("not measured", page)

    TABLES = "# T\n## Reads (`a`)\n| n | | aim |\n|---|---|---|\n| 32 | CPU | met |\n| | rate | **missed** |\n## Lists\n| x |\n"

    def test_quotes_rows_under_their_header(self):
        self.assertEqual(benchmarks_page.quote('{{rows("Reads", "32")}} {{misses("Reads")}}', self.TABLES),
                         "| n | | aim |\n|---|---|---|\n| 32 | CPU | met | - 32; rate; **missed**")

    def test_quotes_the_notes_below_a_table(self):
        self.assertEqual(benchmarks_page.quote('{{notes("Lists")}} {{misses("Reads")}}', self.TABLES + "\n- why\nx\n- where\n"),
                         "- why\n- where - 32; rate; **missed**")

    def test_requires_a_reason_for_a_miss(self):
        with self.assertRaisesRegex(benchmarks_page.BadTemplate, "no reason.*Reads"):
            benchmarks_page.quote('{{rows("Reads", "32")}} {{misses("Lists")}}', self.TABLES)

    def test_names_a_missing_row(self):
        with self.assertRaisesRegex(benchmarks_page.BadTemplate, "no row of 'Reads' begins with '64'"):
            benchmarks_page.quote('{{rows("Reads", "64")}}', self.TABLES)
        with self.assertRaisesRegex(benchmarks_page.BadTemplate, "0 sections"):
            benchmarks_page.quote('{{misses("Writes")}}', self.TABLES)

    def test_short_page_matches_the_tables(self):
        template = (ROOT / "scripts" / "benchmarks_page.md").read_text()
        tables = (ROOT / "docs" / "benchmark_tables.md").read_text()
        self.assertEqual(benchmarks_page.quote(template, tables), (ROOT / "docs" / "benchmarks.md").read_text())

    def test_draws_each_policy(self):
        directory = pathlib.Path(self.directory.name)
        (directory / "retry_policy.csv").write_text("scenario,processes,threads,policy\ndip,4,64,gate\nopen,1,2,none\n")
        (directory / "retry_policy_seconds.csv").write_text(
            "scenario,policy,second,quota,delivered,worst_s\ndip,gate,0,1000,990,0.5\ndip,gate,1,200,190,0\nopen,none,0,,5,0.1\n")
        subprocess.run([ROOT / "scripts" / "plot_retry_policy", directory, directory / "plot.svg"], check=True)
        svg = (directory / "plot.svg").read_text()
        for text in ("dip: 4 x 64 threads", "open: 1 x 2 threads", "quota"):
            self.assertIn(f"<!-- {text} -->", svg)

    def test_draws_each_client(self):
        directory = pathlib.Path(self.directory.name)
        (directory / "peers.json").write_text(json.dumps(peers_report()))
        subprocess.run([ROOT / "scripts" / "plot_peers", directory / "peers.json", directory / "plot.svg"], check=True)
        svg = (directory / "plot.svg").read_text()
        for text in ("a list", "gcsflux", "21.0", "an upload", "no figure"):
            self.assertRegex(svg, f"<!-- +{text} -->")
        self.assertNotIn("<!-- tensorstore -->", svg)

    def test_page_uses_existing_benchmarks(self):
        names = set()
        programs = set(re.findall(r"bench_\w+", (ROOT / "scripts" / "benchmarks").read_text()))
        unbuilt = WITH_LIBTORCH - {file.name for file in BIN.iterdir()}  # where there is no libtorch
        for program in programs - unbuilt:
            listed = subprocess.run([BIN / program, "--benchmark_list_tests"], check=True, text=True,
                                    stdout=subprocess.PIPE)
            names.update(benchmarks_page.Results._short(name) for name in listed.stdout.split())
        judged = "".join(text for heading, text in benchmarks_page.sections(TEMPLATE).items()
                         if not any(program in heading for program in unbuilt))
        asked = set(re.findall(r'"(BM_[^"]+)"', judged))
        self.assertTrue(asked)
        self.assertEqual(asked - names, set())


if __name__ == "__main__":
    unittest.main()
