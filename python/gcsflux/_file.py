"""The files that GCSFluxFileSystem.open() returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsspec.spec import AbstractBufferedFile

from ._gcsflux import Reader, Writer

if TYPE_CHECKING:
    from .fs import GCSFluxFileSystem


class GCSFluxFile(AbstractBufferedFile):
    """A binary file over an object.

    One that is read is of one generation, also if the object is overwritten meanwhile. One that is written is visible
    when it is closed, whole; if its `with` block ends by an exception, nothing is stored.
    """

    fs: GCSFluxFileSystem
    closed: bool

    def __init__(self, fs: GCSFluxFileSystem, path: str, mode: str = "rb", **kwargs: Any) -> None:
        self._reader: Reader | None = None
        self._writer: Writer | None = None
        if mode == "ab":
            raise NotImplementedError("an object cannot be appended to: write it again, or fs.merge() two objects")
        if mode == "rb":
            self._reader = fs.client.open_reader(path, generation=kwargs.pop("generation", None))
            kwargs["size"] = self._reader.size
        elif mode == "xb" and fs.exists(path):
            raise FileExistsError(path)
        super().__init__(fs, path, mode, **kwargs)

    def _fetch_range(self, start: int, end: int) -> bytes:
        assert self._reader is not None
        return self._reader.read_at(start, max(0, end - start))

    def _initiate_upload(self) -> None:
        options = {name: value for name, value in self.kwargs.items() if name in _WRITE_OPTIONS}
        if self.mode == "xb":
            options["mode"] = "create"
        self._writer = self.fs.client.open_writer(self.path, **options)

    def _upload_chunk(self, final: bool = False) -> bool:
        assert self._writer is not None
        with self.buffer.getbuffer() as piece:
            self._writer.write(piece)
        if final and self.autocommit:
            self.commit()
        return True

    def commit(self) -> None:
        """Makes the object visible: a transaction calls it."""
        if self._writer is not None:
            self._writer.close()
            self.fs.invalidate_cache(self.path)

    def discard(self) -> None:
        """Gives up what was written."""
        if self._writer is not None:
            self._writer.abort()

    def close(self) -> None:
        super().close()
        if self._reader is not None:
            self._reader.close()

    def __exit__(self, exception: Any, *_: Any) -> None:
        if exception is not None and self.mode != "rb" and not self.closed:
            self.discard()
            self.closed = True
        self.close()


_WRITE_OPTIONS = frozenset(
    {
        "cache_control",
        "content_disposition",
        "content_encoding",
        "content_language",
        "content_type",
        "kms_key_name",
        "metadata",
        "storage_class",
    }
)
