"""The types that the package declares are its own."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import gcsflux

ROOT = pathlib.Path(__file__).parents[1]


def run(cwd: pathlib.Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "MYPYPATH": str(ROOT)}
    return subprocess.run([sys.executable, "-m", *words], env=environment, cwd=cwd, capture_output=True, text=True)


def test_mypy_accepts_the_package():
    ran = run(ROOT, "mypy", "--config-file", "pyproject.toml", "gcsflux")
    assert ran.returncode == 0, ran.stdout


def test_stubs_are_of_the_extension():
    options = ["--mypy-config-file", "../pyproject.toml", "--allowlist", "stubtest_allowlist.txt"]
    ran = run(ROOT / "tests", "mypy.stubtest", "gcsflux._gcsflux", *options)
    assert ran.returncode == 0, ran.stdout


def test_each_call_has_a_docstring():
    for kind in (gcsflux.Client, gcsflux.Reader, gcsflux.Writer):
        assert kind.__doc__
    for name in dir(gcsflux.Client):
        assert name.startswith("_") or getattr(gcsflux.Client, name).__doc__.strip().count("\n") >= 1, name
