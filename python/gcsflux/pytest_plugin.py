"""Fixtures of pytest: gcsflux_emulator, gcsflux_client and gcsflux_bucket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator

import pytest

if TYPE_CHECKING:
    from ._emulator import Emulator
    from ._gcsflux import Client


@pytest.fixture(scope="session")
def _gcsflux_emulator_process() -> Iterator[Emulator]:
    import gcsflux

    with gcsflux.emulator() as emulator:
        yield emulator


@pytest.fixture
def gcsflux_emulator(_gcsflux_emulator_process: Emulator) -> Emulator:
    """An emulator that is empty and without faults at the start of each test."""
    _gcsflux_emulator_process.reset()
    return _gcsflux_emulator_process


@pytest.fixture
def gcsflux_client(gcsflux_emulator: Emulator) -> Client:
    """A client of the emulator."""
    return gcsflux_emulator.client()


@pytest.fixture
def gcsflux_bucket(gcsflux_client: Client) -> str:
    """The name of an empty bucket."""
    gcsflux_client.create_bucket("test-bucket")
    return "test-bucket"
