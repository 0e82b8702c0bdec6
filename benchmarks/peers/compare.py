#!/usr/bin/env python3
"""Compares gcsflux with other clients of Cloud Storage on the same objects of gcsflux-emulator.

The others are Python's, from PyPI, at the versions of requirements.txt, in an environment below build/ (7 GB, with the files that are
stored). What is under way at the same time is tried for each of them before, and the fastest number is used (settings.py). Each run of a row is a
process of its own against an emulator of its own, once with the latencies and quotas of profile gcs, once without. The runs of
all clients take turns. What came is compared with what is stored: a first run of each, which is not timed, compares all
checksums. The results are JSON, of which scripts/benchmarks makes a table. Let the machine do nothing else meanwhile.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import signal
import sys
import zlib

sys.dont_write_bytecode = True
import clients
import environment
import processes
import rows
import service
import settings

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SERVICES = ["gcs", "none"]  # profiles of the emulator
ATTEMPTS = 3
FIGURES = ("seconds", "cpu_seconds", "peak_bytes", "resident_before")


class WrongContent(Exception):
    """What came is not what is stored, or what is stored is not what was sent."""


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "release" / "bin",
                        help="where gcsflux, gcsflux-emulator and gcsflux_rows are: %(default)s")
    parser.add_argument("--environment", type=pathlib.Path, default=ROOT / "build" / "peers",
                        help="where the other clients are installed, and files are made: %(default)s")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "benchmarks" / "peers.json",
                        help="the results: %(default)s")
    for name, all_of_them in (("peers", clients.CLIENTS), ("rows", rows.NAMES), ("services", SERVICES)):
        parser.add_argument(f"--{name}", default=",".join(all_of_them), metavar="NAME,...", help="%(default)s")
    parser.add_argument("--repetitions", type=int, default=3, help="timed runs of each: %(default)s")
    parser.add_argument("--scale", type=float, default=1,
                        help="of numbers and sizes. Lower it to see that all works: no figures to publish. Default: %(default)s")
    arguments = parser.parse_args()
    for name, all_of_them in (("peers", clients.CLIENTS), ("rows", rows.NAMES), ("services", SERVICES)):
        chosen = getattr(arguments, name).split(",")
        if set(chosen) - set(all_of_them):
            parser.error(f"--{name} are {', '.join(all_of_them)}")
        setattr(arguments, name, chosen)
    return arguments


class Comparison:
    def __init__(self, programs, run_clients):
        self._emulator = service.program_in(programs, "gcsflux-emulator")
        self._clients = run_clients  # name to what does its rows
        self._wanted = {}  # row to what is to come, or to be stored
        self.cells = {}  # (service, row, client) to its runs
        self.reasons = {}  # (row, client) to why there are none
        self.settings = {}  # (service, row, client) to the best number of settings.py
        self.repeated = {}  # (row, client) to the number of runs that failed and were repeated

    def run(self, profile, row, client, is_timed):
        """A row, and those that follow it. A process that fails is repeated, in a fresh emulator."""
        if (row.name, client) in self.reasons:
            return
        for attempt in range(1, ATTEMPTS + 1):
            failed = self._run_once(profile, row, client, is_timed)
            if failed is None:
                return
            failed_row, failure = failed
            print(f"{failed_row}, {client}: {failure}", file=sys.stderr, flush=True)
            if attempt == ATTEMPTS or isinstance(failure, WrongContent):
                # What is stored is compared by the row that follows.
                for name in {row.name, failed_row}:
                    self.reasons[name, client] = f"failed: {failure}"
                return
            self.repeated[failed_row, client] = self.repeated.get((failed_row, client), 0) + 1

    def choose(self, profile, row, client):
        """The fastest of what settings.py has for the client."""
        key, seconds = (profile, row.name, client), {}
        for setting in settings.of(client, row.name):
            self.settings[key] = setting
            self.run(profile, row, client, is_timed=True)
            runs = self.cells.pop(key, [])  # they are no figures
            seconds[setting] = runs[-1]["seconds"] if runs else math.inf
        self.settings[key] = min(seconds, key=seconds.get)

    def _run_once(self, profile, row, client, is_timed):
        """In a fresh emulator. Returns the row that failed and its failure; nothing if all went well."""
        with service.Emulator(self._emulator, f"--profile={profile}", *row.flags) as emulator:
            if not row.flags:
                emulator.make_bucket(row.bucket)
            while row and (row.name, client) not in self.reasons:
                try:
                    setting = self.settings.get((profile, row.name, client), settings.of(client, row.name)[0])
                    what = {**row.what, "sums": not is_timed, "setting": setting}
                    report = self._clients[client].report(emulator.endpoint, row, what)
                    self._judge(emulator, profile, row, client, report, is_timed)
                except (processes.Failed, WrongContent) as failure:
                    return row.name, failure
                row = row.then
        return None

    def _judge(self, emulator, profile, row, client, report, is_timed):
        if "cannot" in report:
            self.reasons[row.name, client] = report["cannot"]
            return
        self._compare(row, {**report, **self._stored_by(emulator, row)}, is_timed)
        if is_timed:
            self.cells.setdefault((profile, row.name, client), []).append({name: report[name] for name in FIGURES})
            print(f"{profile:5} {row.name:16} {client:21} {report['seconds']:8.3f} s {report['cpu_seconds']:8.3f} s of CPU "
                  f"{report['peak_bytes'] / (1 << 20):7.0f} MiB", flush=True)

    @staticmethod
    def _stored_by(emulator, row):
        if row.name != "upload":
            return {}
        emulator.be_fast()
        return {**emulator.content_of(row.bucket), "names_sum": emulator.names_of(row.bucket)["names_sum"]}

    def _compare(self, row, report, is_timed):
        for name, wanted in self._wanted_of(row, report).items():
            if is_timed and (row.name, name) == ("epoch", "crc32c_sum"):
                continue  # sums take time
            if report.get(name) != wanted:
                raise WrongContent(f"{name} is {report.get(name)}, and should be {wanted}")

    def _wanted_of(self, row, report):
        key = "small_reads" if row.name == "epoch" else row.name
        if row.name.startswith("checkpoint"):
            # Each client makes the same tensors, and what is loaded has to be the same as what any of them has saved.
            known = self._wanted.setdefault("checkpoint", report["crc32c_sum"])
            tensors = row.what["tensors"]
            return {"items": tensors, "bytes": tensors * rows.TENSOR_BYTES, "crc32c_sum": known}
        return self._wanted[key]

    def prepare(self, all_rows):
        """Asks an emulator that no client has met for what is stored. What is uploaded are the files of the small reads."""
        for row in all_rows:
            if row.flags and row.name != "epoch":
                with service.Emulator(self._emulator, *row.flags) as emulator:
                    self._wanted[row.name] = (emulator.names_of if row.name == "list" else emulator.content_of)(row.bucket)
        if "small_reads" in self._wanted:
            names = sum(zlib.crc32(name.encode()) for name in all_rows[0].what["names"])
            self._wanted["upload"] = {**self._wanted["small_reads"], "names_sum": names}


def make_clients(arguments):
    """The clients that can run, and why the others cannot."""
    found, missing = {}, {}
    others = [client for client in arguments.peers if client != "gcsflux"]
    if "gcsflux" in arguments.peers:
        found["gcsflux"] = clients.Gcsflux(arguments.bin)
    if others:
        installed = environment.Environment(arguments.environment.resolve() / "python")
        for client in others:
            problem = installed.problem_of(client)
            if problem:
                missing[client] = problem
                print(f"{client} is not measured: {problem}", flush=True)
            else:
                found[client] = clients.Other(client, installed)
    return found, missing


def report_of(arguments, comparison, missing, load_before):
    cells = [{"service": profile, "row": row, "client": client, "runs": runs}
             for (profile, row, client), runs in comparison.cells.items() if (row, client) not in comparison.reasons]
    reasons = [{"row": row, "client": client, "reason": reason} for (row, client), reason in comparison.reasons.items()]
    repeated = [{"row": row, "client": client, "runs": runs} for (row, client), runs in comparison.repeated.items()]
    chosen = [{"service": profile, "row": row, "client": client, "setting": setting}
              for (profile, row, client), setting in comparison.settings.items() if (row, client) not in comparison.reasons]
    return {"date": datetime.date.today().isoformat(), "num_cpus": os.cpu_count(), "load_before": load_before,
            "scale": arguments.scale, "versions": {client: clients.version_of(client) for client in arguments.peers},
            "missing": missing, "reasons": reasons, "repeated": repeated, "settings": chosen, "cells": cells}


def main():
    arguments = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # no process is left behind
    load_before = os.getloadavg()[0]
    sizes = rows.Sizes(arguments.scale)
    files = service.Files(arguments.environment.resolve() / "files", sizes.small, sizes.large_bytes)
    run_clients, missing = make_clients(arguments)
    comparison = Comparison(arguments.bin, run_clients)
    all_rows = rows.rows_of(sizes, files)
    comparison.prepare(all_rows)
    # A row that follows another one runs with it.
    chosen = [row for row in all_rows if row.name in arguments.rows or (row.then and row.then.name in arguments.rows)]
    turns = [(row, client) for row in chosen for client in run_clients]
    for row, client in turns:
        comparison.run("none", row, client, is_timed=False)
    for profile in arguments.services:
        for row, client in turns:
            if len(settings.of(client, row.name)) > 1:
                comparison.choose(profile, row, client)
    for _ in range(arguments.repetitions):
        for profile in arguments.services:
            for row, client in turns:
                comparison.run(profile, row, client, is_timed=True)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(report_of(arguments, comparison, missing, load_before), indent=1) + "\n")
    sys.exit(1 if any(reason.startswith("failed") for reason in comparison.reasons.values()) else 0)


if __name__ == "__main__":
    main()
