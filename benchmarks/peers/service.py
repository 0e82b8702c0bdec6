"""The emulator that all clients of a comparison meet, and what is stored in it."""

import base64
import json
import pathlib
import random
import subprocess
import urllib.parse
import urllib.request
import zlib

SMALL_BYTES = 100 << 10


class Files:
    """What the buckets begin with, as files: made once, the same bytes for the same number and size."""

    def __init__(self, directory, small_count, large_bytes):
        self.small, self.large = directory / f"small-{small_count}", directory / f"large-{large_bytes}"
        self.small_names = [f"sample-{i:06}" for i in range(small_count)]
        for i, name in enumerate(self.small_names):
            self._make(self.small / name, SMALL_BYTES, i)
        self._make(self.large / "object", large_bytes, -1)

    @staticmethod
    def _make(path, size, seed):
        if path.exists() and path.stat().st_size == size:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        source = random.Random(seed)
        with open(path, "wb") as file:  # in pieces: what this process needs counts as its children's memory
            for begin in range(0, size, 1 << 20):
                file.write(source.randbytes(min(1 << 20, size - begin)))


class Emulator:
    """A gcsflux-emulator of its own process. Ends with the block."""

    def __init__(self, program, *flags):
        self._process = subprocess.Popen([program, "--port=0", *flags], stdout=subprocess.PIPE, text=True)
        self.endpoint = self._process.stdout.readline().split()[-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait()
        self._process.stdout.close()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.endpoint + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as response:
            return json.loads(response.read() or b"null")

    def make_bucket(self, name):
        self.call("POST", "/storage/v1/b?project=peers", {"name": name})

    def be_fast(self):
        self.call("PUT", "/_emulator/shaping", {})
        self.call("PUT", "/_emulator/quotas", {})

    def objects(self, bucket, fields):
        """Of each object in turn, so that no list of them takes memory."""
        token = ""
        while True:
            query = urllib.parse.urlencode({"pageToken": token, "fields": f"items({fields}),nextPageToken"})
            page = self.call("GET", f"/storage/v1/b/{bucket}/o?{query}")
            yield from page.get("items", [])
            token = page.get("nextPageToken", "")
            if not token:
                return

    def content_of(self, bucket):
        """Number, bytes and the sum of CRC32Cs of all objects in a bucket."""
        items = size = checksums = 0
        for item in self.objects(bucket, "size,crc32c"):
            items, size = items + 1, size + int(item["size"])
            checksums += int.from_bytes(base64.b64decode(item["crc32c"]), "big")
        return {"items": items, "bytes": size, "crc32c_sum": checksums}

    def names_of(self, bucket):
        items = names_sum = 0
        for item in self.objects(bucket, "name"):
            items, names_sum = items + 1, names_sum + zlib.crc32(item["name"].encode())
        return {"items": items, "names_sum": names_sum}


def program_in(directory, name):
    path = pathlib.Path(directory).resolve() / name
    if not path.exists():
        raise FileNotFoundError(f"there is no {path}: build the target {name}")
    return path
