"""Cloud Storage as a file system of fsspec: pandas, pyarrow, zarr and others work on it by gcsflux:// URLs."""

from __future__ import annotations

import contextlib
import os
import threading
from typing import Any

import fsspec
from fsspec.callbacks import DEFAULT_CALLBACK
from fsspec.utils import isfilelike

from ._file import GCSFluxFile
from ._gcsflux import Client, GcsfluxError
from ._listings import ListingFileSystem

__all__ = ["GCSFluxFile", "GCSFluxFileSystem", "register"]


def register() -> None:
    """Makes fsspec open gs:// and gcs:// with gcsflux, in this process."""
    for protocol in ("gs", "gcs", "gcsflux"):
        fsspec.register_implementation(protocol, GCSFluxFileSystem, clobber=True)


class GCSFluxFileSystem(ListingFileSystem):
    """Cloud Storage for fsspec. Paths are bucket/name; directories are prefixes of names.

    Options are those of gcsflux.Client, and token and endpoint_url as gcsfs has them. Requests are repeated after
    temporary failures also if that can take effect twice (idempotency="always"), as gcsfs does; writes never do.

    Thread-safe, but for transactions. A coroutine uses fsspec.implementations.asyn_wrapper.AsyncFileSystemWrapper.
    """

    protocol = ("gcsflux", "gs", "gcs")

    def __init__(self, token: str | None = None, endpoint_url: str | None = None, **options: Any) -> None:
        super().__init__(**options)
        for name in _FSSPEC_OPTIONS:
            options.pop(name, None)
        if endpoint_url is not None:
            options["endpoint"] = endpoint_url
        if token is not None:
            options["credentials"] = _CREDENTIALS_OF_TOKENS.get(token, token)
        self.default_location: str | None = options.pop("default_location", None)
        options.setdefault("idempotency", "always")
        self.client = Client(**options)
        self._local = threading.local()

    # ------------------------------------------------------------------------------------------------------ reads

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **_: Any) -> bytes:
        """The bytes of a file, or its slice [start:end]."""
        path = self._strip_protocol(path)
        if (start or 0) < 0 or (end is not None and end < 0):
            return self._read_slices([path], [start], [end])[0]
        offset = start or 0
        length = None if end is None else max(0, end - offset)
        try:
            return self.client.read(path, offset=offset, length=length)
        except GcsfluxError as error:
            if error.code == "OUT_OF_RANGE":
                return b""
            raise

    def _read_slices(self, paths: list[str], starts: list[int | None], ends: list[int | None]) -> list[bytes]:
        return self.client.read_many(paths, starts=starts, ends=ends)

    def cat_ranges(
        self, paths: Any, starts: Any, ends: Any, max_gap: int | None = None, on_error: str = "return", **_: Any
    ) -> list[Any]:
        """A slice of each file, in one batch."""
        if not isinstance(paths, list):
            raise TypeError("paths must be a list")
        starts, ends = ([bound] * len(paths) if not isinstance(bound, list) else bound for bound in (starts, ends))
        if len(starts) != len(paths) or len(ends) != len(paths):
            raise ValueError("there must be one start and one end for each path")
        names = [self._strip_protocol(path) for path in paths]
        return self.client.read_many(names, starts=starts, ends=ends, return_errors=on_error == "return")

    def cat(self, path: Any, recursive: bool = False, on_error: str = "raise", **kwargs: Any) -> Any:
        """The bytes of one file, or of many by name, in one batch."""
        with self._planning() as plan:
            paths = self.expand_path(path, recursive=recursive, **kwargs)
        if len(paths) == 1 and not isinstance(path, list) and paths[0] == self._strip_protocol(path):
            return self.cat_file(paths[0], **kwargs)
        paths = [name for name in paths if name not in plan.directories]
        contents = self.client.read_many([plan.known(name) for name in paths], return_errors=on_error != "raise")
        return {
            name: content
            for name, content in zip(paths, contents)
            if on_error != "omit" or isinstance(content, bytes)
        }

    def get(self, rpath: Any, lpath: Any, recursive: bool = False, callback: Any = DEFAULT_CALLBACK, **kwargs: Any) -> None:
        """Downloads files, many at the same time."""
        with self._planning() as plan:
            super().get(rpath, lpath, recursive=recursive, **kwargs)
        for name, local in plan.pairs:
            folder = local if name in plan.directories else os.path.dirname(local)
            if folder:
                os.makedirs(folder, exist_ok=True)
        pairs = [(plan.known(name), local) for name, local in plan.pairs if name not in plan.directories]
        callback.set_size(len(pairs))
        self.client.download_files(pairs)
        callback.relative_update(len(pairs))

    def get_file(self, rpath: str, lpath: Any, callback: Any = DEFAULT_CALLBACK, **kwargs: Any) -> None:
        """Downloads a file over many connections."""
        path = self._strip_protocol(rpath)
        if self._collects():
            self._plan().pairs.append((path, os.fspath(lpath)))
        elif isfilelike(lpath):
            super().get_file(path, lpath, callback=callback, **kwargs)
        elif self.isdir(path):
            os.makedirs(lpath, exist_ok=True)
        else:
            os.makedirs(os.path.dirname(os.path.abspath(lpath)), exist_ok=True)
            self.client.download_file(path, lpath)

    # ----------------------------------------------------------------------------------------------------- writes

    def _open(
        self,
        path: str,
        mode: str = "rb",
        block_size: int | None = None,
        autocommit: bool = True,
        cache_options: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> GCSFluxFile:
        return GCSFluxFile(
            self, path, mode, block_size=block_size, autocommit=autocommit, cache_options=cache_options, **kwargs
        )

    def pipe_file(self, path: str, value: Any, mode: str = "overwrite", **kwargs: Any) -> None:
        """Stores bytes as a file. With mode="create" the file must not exist."""
        path = self._strip_protocol(path)
        if self._intrans:
            with self.open(path, "xb" if mode == "create" else "wb", **kwargs) as file:
                file.write(value)
            return
        self.client.write(path, value, mode=mode, **kwargs)
        self.invalidate_cache(path)

    def pipe(self, path: Any, value: Any = None, **kwargs: Any) -> None:
        """Stores bytes as files, {path: bytes}, many at the same time."""
        if not isinstance(path, dict) or self._intrans:
            super().pipe(path, value, **kwargs)
            return
        values = {self._strip_protocol(name): data for name, data in path.items()}
        self.client.write_many(list(values.items()), **kwargs)
        self._invalidate(values)

    def put(self, lpath: Any, rpath: Any, recursive: bool = False, callback: Any = DEFAULT_CALLBACK, **kwargs: Any) -> None:
        """Uploads files, many at the same time."""
        if self._intrans:
            super().put(lpath, rpath, recursive=recursive, callback=callback, **kwargs)
            return
        options = {name: kwargs.pop(name) for name in list(kwargs) if name not in ("maxdepth",)}
        with self._planning() as plan:
            super().put(lpath, rpath, recursive=recursive, **kwargs)
        pairs = [(local, name) for local, name in plan.pairs if not os.path.isdir(local)]
        callback.set_size(len(pairs))
        self.client.upload_files(pairs, **options)
        callback.relative_update(len(pairs))
        self._invalidate(name for _, name in pairs)

    def put_file(
        self, lpath: Any, rpath: str, callback: Any = DEFAULT_CALLBACK, mode: str = "overwrite", **kwargs: Any
    ) -> None:
        """Uploads a file over many connections."""
        path = self._strip_protocol(rpath)
        if self._collects():
            self._plan().pairs.append((os.fspath(lpath), path))
        elif self._intrans:
            super().put_file(lpath, path, callback=callback, mode=mode, **kwargs)
        elif not os.path.isdir(lpath):
            self.client.upload_file(lpath, path, mode=mode, **kwargs)
            self.invalidate_cache(path)

    def touch(self, path: str, truncate: bool = True, **kwargs: Any) -> None:
        """Makes an empty file. The time of a file cannot be changed without its content."""
        if not truncate and self.exists(path):
            raise NotImplementedError("the time of an object is that of its content")
        self.pipe_file(path, b"", **kwargs)

    # -------------------------------------------------------------------------------- copies, moves and deletions

    def cp_file(self, path1: str, path2: str, **_: Any) -> None:
        """Copies a file at the service, without moving its bytes through this process."""
        source, destination = self._strip_protocol(path1), self._strip_protocol(path2)
        if self._collects():
            self._plan().pairs.append((source, destination))
            return
        self.client.copy(source, destination)
        self.invalidate_cache(destination)

    def copy(self, path1: Any, path2: Any, recursive: bool = False, on_error: str | None = None, **kwargs: Any) -> None:
        """Copies files at the service, many at the same time."""
        if on_error is None:
            on_error = "ignore" if recursive else "raise"
        with self._planning() as plan:
            super().copy(path1, path2, recursive=recursive, on_error="raise", **kwargs)
        pairs = [pair for pair in plan.pairs if pair[0] not in plan.directories]
        copied = self.client.copy_many(
            [(plan.known(source), destination) for source, destination in pairs], return_errors=True
        )
        self._invalidate(destination for _, destination in pairs)
        _raise_first(copied, FileNotFoundError if on_error == "ignore" else None)

    def mv(
        self, path1: Any, path2: Any, recursive: bool = False, maxdepth: int | None = None, **kwargs: Any
    ) -> None:
        """Moves files: within a bucket in one step each, otherwise by a copy and a deletion."""
        if path1 == path2:
            return
        with self._planning() as plan:
            super().copy(path1, path2, recursive=recursive, maxdepth=maxdepth, on_error="raise")
        pairs = [pair for pair in plan.pairs if pair[0] not in plan.directories]
        in_bucket = [(plan.known(a), b) for a, b in pairs if a.split("/", 1)[0] == b.split("/", 1)[0]]
        across = [(plan.known(a), b) for a, b in pairs if a.split("/", 1)[0] != b.split("/", 1)[0]]
        try:
            self.client.move_many(in_bucket)
            self.client.copy_many(across)
            self.client.delete_many([source for source, _ in across])
        finally:
            self._invalidate(name for pair in pairs for name in pair)

    def rm_file(self, path: str) -> None:
        """Deletes a file."""
        path = self._strip_protocol(path)
        self.client.delete(path)
        self.invalidate_cache(path)

    def rm(self, path: Any, recursive: bool = False, maxdepth: int | None = None) -> None:
        """Deletes files, many at the same time; with recursive also what is below directories, and buckets."""
        with self._planning() as plan:
            paths = self.expand_path(path, recursive=recursive, maxdepth=maxdepth)
        buckets = [name for name in paths if "/" not in name]
        files = [name for name in paths if "/" in name and name not in plan.directories]
        markers = plan.markers if recursive else []
        try:
            known = [plan.known(name) for name in files] + markers
            gone = FileNotFoundError if recursive else None  # Another process may have deleted it meanwhile.
            _raise_first(self.client.delete_many(known, return_errors=True), gone)
            for bucket in buckets:
                self.client.delete_bucket(bucket)
        finally:
            self._invalidate(paths)

    def mkdir(self, path: str, create_parents: bool = True, **kwargs: Any) -> None:
        """Makes a bucket. Below a bucket there are no directories to make."""
        bucket, _, name = self._strip_protocol(path).partition("/")
        if name:
            if self.exists(bucket):
                return
            if not create_parents:
                raise FileNotFoundError(bucket)
        kwargs.setdefault("location", self.default_location)
        self.client.create_bucket(bucket, **kwargs)
        self.invalidate_cache(bucket)

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        """As mkdir(); with exist_ok the bucket may exist."""
        try:
            self.mkdir(path, create_parents=True)
        except FileExistsError:
            if not exist_ok:
                raise

    def rmdir(self, path: str) -> None:
        """Deletes a bucket that is empty, or the marker of a directory, if there is one."""
        path = self._strip_protocol(path)
        if "/" not in path:
            self.client.delete_bucket(path)
        else:
            with contextlib.suppress(FileNotFoundError):
                self.client.delete(path + "/")
        self.invalidate_cache(path)

    # ------------------------------------------------------------------------------------ what gcsfs has besides

    def sign(self, path: str, expiration: int = 100, **kwargs: Any) -> str:
        """A URL by which the file can be read without credentials for so many seconds."""
        return self.client.sign(self._strip_protocol(path), lifetime_s=expiration, **kwargs)

    def getxattr(self, path: str, attr: str) -> str | None:
        """A value of the file's own metadata."""
        return self.client.stat(self._strip_protocol(path)).metadata.get(attr)

    def setxattrs(
        self, path: str, content_type: str | None = None, content_encoding: str | None = None, **metadata: Any
    ) -> dict[str, str]:
        """Changes the file's metadata; a value of None removes the key. Returns all of it."""
        path = self._strip_protocol(path)
        changed = self.client.patch(
            path, content_type=content_type, content_encoding=content_encoding, metadata=metadata
        )
        self.invalidate_cache(path)
        return changed.metadata

    def merge(self, path: str, paths: list[str]) -> None:
        """Joins 1 to 32 files of one bucket into one, without moving their bytes."""
        path = self._strip_protocol(path)
        self.client.compose([self._strip_protocol(part) for part in paths], path)
        self.invalidate_cache(path)

_FSSPEC_OPTIONS = (
    "asynchronous",
    "batch_size",
    "listings_expiry_time",
    "loop",
    "max_paths",
    "skip_instance_cache",
    "use_listings_cache",
)
_CREDENTIALS_OF_TOKENS = {"anon": "anonymous", "google_default": "adc", "cloud": "adc"}


def _raise_first(outcomes: list[Any], ignored: type[Exception] | None) -> None:
    for outcome in outcomes:
        if isinstance(outcome, Exception) and (ignored is None or not isinstance(outcome, ignored)):
            raise outcome
