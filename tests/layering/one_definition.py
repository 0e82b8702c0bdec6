#!/usr/bin/env python3
"""Two types of one name in one namespace: one_definition.py SOURCE_DIR

The linker keeps one of their functions for both, without a word: gcsflux::internal::ShardOrder was once a class of datasets and a
struct of saves, and a destructor took the one for the other. The emulator and conformance are other libraries than the rest.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
TYPE = re.compile(r'(?:template <.*> )?(?:class|struct)(?: \[\[nodiscard\]\])?(?: \w*CAPABILITY(?:\("\w+"\))?)* ([A-Z]\w*)(?: final)?(?: :.*)? \{')

places = collections.defaultdict(set)
for part in ("sdk", "c", "python", "emulator", "conformance"):
    library = part if part in ("emulator", "conformance") else "sdk"
    for path in sorted(p for p in (ROOT / part).rglob("*") if p.suffix in (".h", ".cc")):
        namespaces = []
        for line in path.read_text().splitlines():
            if opened := re.match(r"namespace ([\w:]*) ?\{$", line):
                namespaces.append(opened[1])
            elif line.startswith("}  // namespace"):
                namespaces.pop()
            elif (named := TYPE.match(line)) and "" not in namespaces:  # Those without a name are of one file.
                places[library, "::".join([*namespaces, named[1]])].add(str(path.relative_to(ROOT)))
twice = {name: files for (_, name), files in places.items() if len(files) > 1}
for name, files in twice.items():
    print(f"{name} is defined in {' and in '.join(sorted(files))}")
print(f"{len(places)} types")
sys.exit(1 if twice or not places else 0)
