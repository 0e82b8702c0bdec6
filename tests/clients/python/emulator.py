"""gcsflux-emulator as a child process, and what the clients' tests ask of it."""

import json
import os
import random
import subprocess
import urllib.request


def content(size: int) -> bytes:
    """The same bytes for the same size."""
    return random.Random(size).randbytes(size)


class Emulator:
    def __init__(self, *flags: str) -> None:
        self._process = subprocess.Popen([os.environ["EMULATOR"], "--port=0", *flags], stdout=subprocess.PIPE, text=True)
        self.endpoint = self._process.stdout.readline().split()[-1]

    def __enter__(self) -> "Emulator":
        return self

    def __exit__(self, *_) -> None:
        self._process.terminate()
        assert self._process.wait() == 0

    def call(self, method: str, path: str, body=None) -> bytes:
        data = None if body is None else json.dumps(body).encode()
        return self.send(method, path, data, {"Content-Type": "application/json"})

    def send(self, method: str, path: str, data: bytes | None, headers: dict) -> bytes:
        request = urllib.request.Request(self.endpoint + path, data, headers, method=method)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as response:
            return response.read()

    def make_bucket(self, name: str) -> None:
        self.call("POST", "/storage/v1/b?project=test", {"name": name})

    def load_faults(self, plan: dict) -> None:
        self.call("PUT", "/_emulator/faults", plan)

    def clear_faults(self) -> None:
        self.call("DELETE", "/_emulator/faults")

    def fired(self, rule: str) -> int:
        """How often the rule did something."""
        counters = json.loads(self.call("GET", "/_emulator/faults"))["counters"]
        return sum(counter["fired"] for counter in counters if counter["rule"] == rule)
