#!/usr/bin/env python3
"""A compiler launcher that takes an object from an earlier build of the same sources, if its command was the same.

  objects_of_build.py BUILD_DIR ROOT LOG COMMAND...

COMMAND compiles one source of the project at ROOT. BUILD_DIR is the earlier build, configured with
CMAKE_EXPORT_COMPILE_COMMANDS. Commands are the same if they differ only in the folders of project and build. A command
that BUILD_DIR does not know is executed, and its source is a line in LOG.
"""
import json
import os
import shlex
import shutil
import sys


def read_command(words, root):
    """What decides the object (flags, and what is compiled), where the object goes, and the source."""
    flags, output, source, depfile = [], None, None, None
    words = iter(words)
    for word in words:
        if word == "-o":
            output = next(words)
        elif word == "-c":
            source = next(words)
        elif word == "-MF":
            depfile = next(words)
        elif word in ("-MT", "-MQ"):
            next(words)
        elif word != "-MD":
            flags.append(word.replace(root, "ROOT"))
    return (tuple(flags), compiled(source, root)), output, source, depfile


def compiled(source, root):
    """The files that a source joins, or its own name."""
    if source is None or "/joined/" not in source:
        return (source or "").replace(root, "ROOT")
    with open(source) as lines:
        joined = [line.split('"')[1] for line in lines]
    return tuple(os.path.normpath(f"{os.path.dirname(source)}/{name}").replace(root, "ROOT") for name in joined)


def object_of_build(build, key):
    """The object that BUILD_DIR's command of this key made, or None."""
    if not os.path.exists(f"{build}/compile_commands.json"):
        return None
    with open(f"{build}/CMakeCache.txt") as cache:
        home = next(line.split("=", 1)[1].strip() for line in cache if line.startswith("CMAKE_HOME_DIRECTORY"))
    with open(f"{build}/compile_commands.json") as commands:
        entries = json.load(commands)
    compiler, wanted = key[0][0], os.path.basename(key[1] if isinstance(key[1], str) else "")
    for entry in entries:
        words = shlex.split(entry["command"])
        if compiler not in words or not entry["file"].endswith(wanted):
            continue
        known, output, _, _ = read_command(words[words.index(compiler):], home)
        if known == key:
            return os.path.join(entry["directory"], output)
    return None


def main():
    build, root, log, *command = sys.argv[1:]
    # A launcher below this one, such as ccache, is no part of what decides.
    compiler = next(i for i, word in enumerate(command) if "++" in os.path.basename(word))
    key, output, source, depfile = read_command(command[compiler:], root)
    found = object_of_build(build, key) if source else None
    if found is None or not os.path.exists(found):
        with open(log, "a") as lines:
            lines.write(f"{source}\n")
        os.execvp(command[0], command)
    shutil.copyfile(found, output)
    if depfile:
        with open(depfile, "w") as dependencies:
            dependencies.write(f"{output}: {source}\n")


if __name__ == "__main__":
    main()
