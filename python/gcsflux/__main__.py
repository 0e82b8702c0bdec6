"""`python -m gcsflux emulator` is gcsflux-emulator; with other words it is the command gcsflux."""

from __future__ import annotations

import os
import sys

from ._emulator import program


def main() -> None:
    arguments = sys.argv[1:]
    name = "gcsflux"
    if arguments[:1] == ["emulator"]:
        name = "gcsflux-emulator"
        del arguments[0]
    os.execv(program(name), [name, *arguments])


if __name__ == "__main__":
    main()
