"""What GCSFluxFileSystem knows of files and directories."""

from __future__ import annotations

import base64
import contextlib
import threading
from typing import Any, Iterable, Iterator

from fsspec.spec import AbstractFileSystem

from ._gcsflux import Client, ListedObject, ObjectMetadata

Info = dict[str, Any]


def directory_info(name: str) -> Info:
    bucket = name.split("/", 1)[0]
    return {"bucket": bucket, "name": name, "size": 0, "type": "directory", "storageClass": "DIRECTORY"}


def file_info(found: ObjectMetadata | ListedObject) -> Info:
    entry: Info = {
        "bucket": found.bucket,
        "name": f"{found.bucket}/{found.name}",
        "size": found.size,
        "type": "file",
        "generation": found.generation,
        "storageClass": found.storage_class,
        "mtime": found.updated,
    }
    if found.crc32c is not None:
        entry["crc32c"] = base64.b64encode(found.crc32c.to_bytes(4, "big")).decode()
    if isinstance(found, ObjectMetadata):
        entry.update(
            metageneration=found.metageneration,
            etag=found.etag,
            contentType=found.content_type,
            contentEncoding=found.content_encoding,
            metadata=found.metadata,
            ctime=found.time_created,
        )
    return entry


class Plan:
    """What one call of get(), put(), copy(), mv(), cat() or rm() is about, so that it is done in one batch."""

    def __init__(self) -> None:
        self.pairs: list[tuple[str, str]] = []
        self.objects: dict[str, ListedObject] = {}
        self.markers: list[ListedObject] = []
        self.directories: set[str] = set()

    def known(self, path: str) -> str | ListedObject:
        return self.objects.get(path, path)


class ListingFileSystem(AbstractFileSystem):
    """The listings, their cache, and the plans of GCSFluxFileSystem."""

    client: Client
    _local: threading.local

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        stripped = super()._strip_protocol(path)
        return stripped.lstrip("/") if isinstance(stripped, str) else stripped

    def info(self, path: str, generation: int | None = None, **_: Any) -> Info:
        """What is known of a file or directory, with the file's generation."""
        path = self._strip_protocol(path)
        if not path:
            return directory_info(path)
        if "/" not in path:
            return self._bucket_info(path)
        if generation is None:
            for entry in self.dircache.get(self._parent(path)) or ():
                if entry["name"] == path:
                    return dict(entry)
        try:
            return file_info(self.client.stat(path, generation=generation))
        except FileNotFoundError:
            if generation is None and self._has_objects(path):
                return directory_info(path)
            raise

    def _bucket_info(self, bucket: str) -> Info:
        try:
            metadata = self.client.get_bucket(bucket)
        except PermissionError:  # One may read objects, and not the bucket's metadata.
            self._has_objects(bucket)
            return directory_info(bucket)
        return {**directory_info(bucket), "location": metadata.location, "ctime": metadata.time_created}

    def _has_objects(self, path: str) -> bool:
        return bool(self.client.list(path + "/", limit=1, max_concurrency=1, skip_composites=False))

    def exists(self, path: str, **kwargs: Any) -> bool:
        """Whether there is such a file or directory. Other errors than "not found" are raised."""
        try:
            self.info(path, **kwargs)
        except FileNotFoundError:
            return False
        return True

    def ls(self, path: str, detail: bool = True, refresh: bool = False, **_: Any) -> list[Any]:
        """The files and directories of one directory."""
        path = self._strip_protocol(path)
        if refresh:
            self.invalidate_cache(path)
        entries = self.dircache.get(path)
        if entries is None:
            entries = self._list(path)
            self.dircache[path] = entries
        return [dict(entry) for entry in entries] if detail else [entry["name"] for entry in entries]

    def _list(self, path: str) -> list[Info]:
        if not path:
            return [directory_info(bucket.name) for bucket in self.client.list_buckets()]
        objects, prefixes = self.client.list_directory(path + "/")
        bucket = path.split("/", 1)[0]
        entries = [directory_info(f"{bucket}/{prefix}".rstrip("/")) for prefix in prefixes]
        entries += [file_info(found) for found in objects if not found.name.endswith("/")]
        if not entries and not objects and "/" in path:
            return [file_info(self.client.stat(path))]
        return sorted(entries, key=lambda entry: str(entry["name"]))

    def find(
        self,
        path: str,
        maxdepth: int | None = None,
        withdirs: bool = False,
        detail: bool = False,
        prefix: str = "",
        **kwargs: Any,
    ) -> Any:
        """All files below a directory, listed by many requests at the same time."""
        path = self._strip_protocol(path)
        if maxdepth is not None and maxdepth < 1:
            raise ValueError("maxdepth must be at least 1")
        if not path or (maxdepth == 1 and not prefix):
            found = super().find(path, maxdepth=maxdepth, withdirs=withdirs, detail=True, **kwargs)
            self._note(found)
        else:
            found = self._find_below(path, prefix, withdirs)
            if maxdepth is not None:
                deepest = path.count("/") + maxdepth
                found = {name: entry for name, entry in found.items() if name.count("/") <= deepest}
        names = sorted(found)
        return {name: found[name] for name in names} if detail else names

    def _find_below(self, path: str, prefix: str, withdirs: bool) -> dict[str, Info]:
        plan = self._plan()
        found: dict[str, Info] = {}
        directories: set[str] = set()
        for listed in self.client.list(f"{path}/{prefix}", skip_composites=False):
            name = f"{listed.bucket}/{listed.name}"
            if not name.endswith("/"):
                found[name] = file_info(listed)
                plan.objects[name] = listed
            else:
                plan.markers.append(listed)
            above = name.rpartition("/")[0]
            while len(above) >= len(path) and above not in directories:
                directories.add(above)
                above = above.rpartition("/")[0]
        plan.directories |= directories
        if withdirs:
            found.update((name, directory_info(name)) for name in directories)
        if not found and not prefix and "/" in path:
            with contextlib.suppress(FileNotFoundError):
                found[path] = file_info(self.client.stat(path))
        return found

    def du(
        self, path: str, total: bool = True, maxdepth: int | None = None, withdirs: bool = False, **kwargs: Any
    ) -> Any:
        """The sizes of files, together or by name."""
        found = self.find(path, maxdepth=maxdepth, withdirs=withdirs, detail=True, **kwargs)
        sizes = {name: entry["size"] for name, entry in found.items()}
        return sum(sizes.values()) if total else sizes

    def created(self, path: str) -> Any:
        """When this generation of the file was stored, as a datetime."""
        return self.info(path)["ctime"]

    def modified(self, path: str) -> Any:
        """When the file's metadata changed last, as a datetime."""
        return self.info(path)["mtime"]

    def invalidate_cache(self, path: str | None = None) -> None:
        """Forgets the listings of a path, of what is below it, and of its parents; without a path all."""
        super().invalidate_cache(path)
        if path is None:
            self.dircache.clear()
            return
        path = self._strip_protocol(path)
        for known in list(self.dircache):
            if known == path or not path or known.startswith(path + "/"):
                self.dircache.pop(known, None)
        while path:
            path = self._parent(path)
            self.dircache.pop(path, None)

    # ------------------------------------------------------------------------------------------------------ plans

    @contextlib.contextmanager
    def _planning(self) -> Iterator[Plan]:
        """While it lasts, calls for one file only note what is to be done."""
        plan = self._local.plan = Plan()
        try:
            yield plan
        finally:
            self._local.plan = None

    def _collects(self) -> bool:
        return getattr(self._local, "plan", None) is not None

    def _plan(self) -> Plan:
        return getattr(self._local, "plan", None) or Plan()

    def _note(self, found: dict[str, Info]) -> None:
        self._plan().directories.update(name for name, entry in found.items() if entry.get("type") == "directory")

    def _invalidate(self, paths: Iterable[str]) -> None:
        for path in {self._parent(path) for path in paths}:
            self.invalidate_cache(path)
