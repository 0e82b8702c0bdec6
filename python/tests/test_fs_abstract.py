"""The suites that fsspec has for all file systems."""

from __future__ import annotations

import pytest
from fsspec.tests.abstract import (
    AbstractCopyTests,
    AbstractFixtures,
    AbstractGetTests,
    AbstractOpenTests,
    AbstractPipeTests,
    AbstractPutTests,
)

from gcsflux.fs import GCSFluxFileSystem


class Fixtures(AbstractFixtures):
    @pytest.fixture
    def fs(self, gcsflux_emulator, gcsflux_bucket):
        return GCSFluxFileSystem(skip_instance_cache=True, **gcsflux_emulator.storage_options())

    @pytest.fixture
    def fs_path(self):
        return "test-bucket"

    @pytest.fixture
    def fs_join(self):
        return lambda *parts: "/".join(parts)

    @pytest.fixture
    def supports_empty_directories(self):
        return False


class TestCopy(AbstractCopyTests, Fixtures):
    pass


class TestGet(AbstractGetTests, Fixtures):
    pass


class TestPut(AbstractPutTests, Fixtures):
    pass


class TestPipe(AbstractPipeTests, Fixtures):
    pass


class TestOpen(AbstractOpenTests, Fixtures):
    pass
