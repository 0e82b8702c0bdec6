"""How a client does a row, and what it says of it: gcsflux by its programs, the others by run_row.py."""

import json
import os
import pathlib
import re
import zlib

import processes
import service

HERE = pathlib.Path(__file__).resolve().parent
# Client to the package whose version stands in the table.
PACKAGES = {"gcsfs": "gcsfs", "obstore": "obstore", "tensorstore": "tensorstore", "google_cloud_storage": "google-cloud-storage",
            "connector": "gcs-torch-dataflux"}
CLIENTS = ["gcsflux", *PACKAGES]


def version_of(client):
    """As it is pinned; empty for gcsflux."""
    pins = "".join((HERE / name).read_text() for name in ("requirements.txt", "connector_requirements.txt"))
    found = re.search(rf"^{PACKAGES.get(client)}==(.*)$", pins, re.MULTILINE)
    return found[1] if found else ""


def variables(**more):
    """The environment's, without what would lead a client elsewhere."""
    elsewhere = ("GOOGLE_", "STORAGE_", "CLOUD_", "http_proxy", "HTTP_PROXY")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(elsewhere)}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", **more}


class Gcsflux:
    def __init__(self, programs):
        self._gcsflux, self._rows = (service.program_in(programs, name) for name in ("gcsflux", "gcsflux_rows"))

    def report(self, endpoint, row, what):
        flags = [f"--endpoint={endpoint}", "--credentials=anonymous"]
        if row.name == "list":
            return self._of_program(self._names, "ls", "--recursive", *flags, f"gs://{row.bucket}")
        if row.name == "upload":
            return self._of_program(lambda _: {}, "cp", "--recursive", "--quiet", *flags,
                                    row.what["directory"] + "/.", f"gs://{row.bucket}/")
        sizes = [f"--{name}={row.what[name]}" for name in ("batch", "tensors") if name in row.what]
        sums = f"--sums={str(what['sums']).lower()}"
        done = processes.run([self._rows, f"--row={row.name}", f"--bucket={row.bucket}", sums, *sizes, *flags], variables())
        with done.output:
            return {**json.load(done.output), "peak_bytes": done.peak_bytes}

    def _of_program(self, read, *arguments):
        """All of the program counts, its start too."""
        done = processes.run([self._gcsflux, *arguments], variables())
        with done.output:
            return {"seconds": done.seconds, "cpu_seconds": done.cpu_seconds, "peak_bytes": done.peak_bytes,
                    "resident_before": None, **read(done.output)}

    @staticmethod
    def _names(output):
        items = names_sum = 0
        for line in output:
            items += 1
            names_sum += zlib.crc32(line.rstrip("\n").split("/", 3)[3].encode())
        return {"items": items, "names_sum": names_sum}


class Other:
    def __init__(self, client, environment):
        self._client, self._python = client, environment.python
        self._variables = variables(PYTHONPATH=environment.path_of(client))

    def report(self, endpoint, row, what):
        """{"cannot": REASON} if it has no way to do that."""
        done = processes.run([self._python, HERE / "run_row.py", self._client, row.name, endpoint, json.dumps(what)],
                             self._variables)
        with done.output:
            return {**json.load(done.output), "peak_bytes": done.peak_bytes}
