"""Each test has an empty emulator: the fixtures are those of gcsflux.pytest_plugin."""

from __future__ import annotations

import os

import pytest

# An emulator of the environment is not the one that the tests start.
for _name in ("STORAGE_EMULATOR_HOST", "http_proxy", "HTTP_PROXY", "GOOGLE_APPLICATION_CREDENTIALS"):
    os.environ.pop(_name, None)


@pytest.fixture
def stall(gcsflux_emulator):
    """Lets reads of the object gs://test-bucket/stalls wait for an hour; returns how often that happened."""
    gcsflux_emulator.set_faults(
        {
            "rules": [
                {
                    "name": "stall",
                    "match": {"operation": "storage.objects.get", "objectPrefix": "stalls"},
                    "action": {"type": "stall", "duration": "3600s"},
                }
            ]
        }
    )
    yield lambda: gcsflux_emulator.fired("stall")
    gcsflux_emulator.clear_faults()
