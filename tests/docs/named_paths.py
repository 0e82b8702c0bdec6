#!/usr/bin/env python3
"""Fails if a text of the project names a file of the project that is not there: named_paths.py ROOT

Comments, pages and scripts name files by their paths from the root, or from a folder where includes begin. If a file moves,
such a name stays behind, and no compiler looks at it.
"""

import os
import pathlib
import re
import sys

# Not in a URL, nor in a longer path.
BEGIN = r"(?<![\w./{}~-])"
FROM_ROOT = re.compile(BEGIN + r"(?:benchmarks|cmake|conformance|docs|emulator|examples|scripts|sdk|tests)/[\w/]*\w(?:\.[a-z]\w*)+")
SOURCE = re.compile(BEGIN + r"[a-z]\w*/[\w/]*\w\.(?:h|cc)\b")
FOLDERS = ("", "docs", "sdk/src", "sdk/include", "sdk/include/gcsflux", "sdk", "emulator/src", "emulator/include",
           "emulator/include/gcsflux", "conformance/src", "tests", "tests/emulator", "benchmarks", "examples")
PROSE = (".h", ".cc", ".md")
TEXTS = (*PROSE, ".cmake", ".txt", ".py", ".sh", "")
LEFT_OUT = {"build", ".git", "node_modules", "__pycache__"}


def texts(root):
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in LEFT_OUT]
        yield from (pathlib.Path(folder, name) for name in files if os.path.splitext(name)[1] in TEXTS)


def named_in(file):
    patterns = [FROM_ROOT, SOURCE] if file.suffix in PROSE else [FROM_ROOT]
    for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
        if not line.startswith("#include"):
            for path in {path for pattern in patterns for path in pattern.findall(line)}:
                yield number, path


def is_there(root, file, path):
    if "NAME" in path:  # which stands for any name
        return True
    return any((folder / path).exists() for folder in (file.parent, *(root / name for name in FOLDERS)))


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    named = missing = 0
    for file in texts(root):
        for number, path in named_in(file):
            named += 1
            if not is_there(root, file, path):
                missing += 1
                print(f"{file.relative_to(root)}:{number}: there is no {path}")
    print(f"{named} paths, {missing} of them of no file")
    return 1 if missing or not named else 0


if __name__ == "__main__":
    sys.exit(main())
