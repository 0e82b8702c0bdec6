"""gcsflux-emulator as a process, and what tests ask of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
import urllib.request
from typing import Any

from ._gcsflux import Client


def program(name: str) -> str:
    """The path of a program of this package: beside this Python, or on PATH."""
    for scheme in (None, f"{os.name}_user"):
        folder = sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts")
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK):
            return path
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"{name} is not installed with this Python and is not on PATH")
    return found


class Emulator:
    """A running emulator with an address of its own. It ends with the block or by stop()."""

    def __init__(self, **flags: Any) -> None:
        arguments = [f"--{name}={_text(value)}" for name, value in {"port": 0, **flags}.items()]
        self._process = subprocess.Popen(
            [program("gcsflux-emulator"), *arguments], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
        )
        assert self._process.stdout is not None
        ready = self._process.stdout.readline()
        if not ready:
            raise RuntimeError(f"gcsflux-emulator did not start: it ended with status {self._process.wait()}")
        self.endpoint: str = ready.split()[-1]

    def __enter__(self) -> Emulator:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __del__(self) -> None:
        if getattr(self, "_process", None) is not None:
            self.stop()

    def stop(self) -> None:
        """Ends the process and forgets everything. May be called again."""
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def client(self, **options: Any) -> Client:
        """A client of this emulator."""
        return Client(**{"endpoint": self.endpoint, "project": "test", "credentials": "anonymous", **options})

    def storage_options(self) -> dict[str, Any]:
        """What fsspec needs to reach it: fsspec.filesystem("gcsflux", **emulator.storage_options())."""
        return {"endpoint": self.endpoint, "project": "test", "credentials": "anonymous"}

    def reset(self) -> None:
        """Forgets buckets and objects, and returns to the faults and quotas of the start."""
        self._call("POST", "reset")

    def set_faults(self, plan: dict[str, Any]) -> None:
        """Replaces the faults: {"rules": [...]}, as docs/emulator/faults.md describes them."""
        self._call("PUT", "faults", plan)

    def clear_faults(self) -> None:
        """Removes all faults."""
        self._call("DELETE", "faults")

    def fired(self, rule: str) -> int:
        """For how many requests the rule of that name did something."""
        counters = self._call("GET", "faults")["counters"]
        return sum(int(counter["fired"]) for counter in counters if counter["rule"] == rule)

    def set_quotas(self, quotas: dict[str, Any]) -> None:
        """Changes quotas, such as {"reads_per_second": 100}: docs/emulator/traffic.md."""
        self._call("PUT", "quotas", quotas)

    def set_shaping(self, shaping: dict[str, Any]) -> None:
        """Changes delays and bandwidths: docs/emulator/traffic.md."""
        self._call("PUT", "shaping", shaping)

    def journal(self) -> list[dict[str, Any]]:
        """The last requests, in order of arrival."""
        requests: list[dict[str, Any]] = self._call("GET", "journal")["requests"]
        return requests

    def counters(self) -> dict[str, Any]:
        """What was answered since the start or since reset()."""
        counters: dict[str, Any] = self._call("GET", "counters")
        return counters

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.endpoint}/_emulator/{path}", data, headers, method=method)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as response:
            answer = response.read()
        return json.loads(answer) if answer else None


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
