"""Google Cloud Storage: fast, checked reads and writes, an fsspec file system (gcsflux.fs), an emulator for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._gcsflux import (
    AlreadyExistsError,
    BucketMetadata,
    CancelledError,
    Client,
    CorruptedError,
    GcsfluxError,
    InvalidArgumentError,
    ListedObject,
    NotFoundError,
    ObjectMetadata,
    PermissionDeniedError,
    Reader,
    UnavailableError,
    UnreachableError,
    Writer,
    __version__,
)

if TYPE_CHECKING:
    from ._emulator import Emulator

__all__ = [
    "AlreadyExistsError",
    "BucketMetadata",
    "CancelledError",
    "Client",
    "CorruptedError",
    "GcsfluxError",
    "InvalidArgumentError",
    "ListedObject",
    "NotFoundError",
    "ObjectMetadata",
    "PermissionDeniedError",
    "Reader",
    "UnavailableError",
    "UnreachableError",
    "Writer",
    "__version__",
    "emulator",
]


def emulator(**flags: Any) -> Emulator:
    """Starts gcsflux-emulator, a Cloud Storage in memory, as a process; a context manager.

    The flags are those of the program (`python -m gcsflux emulator --help`), as keywords: profile="gcs".
    """
    from ._emulator import Emulator

    return Emulator(**flags)
