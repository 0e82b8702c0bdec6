#!/usr/bin/env python3
"""Holds the includes of a project to the table of its layers: layers.py PROJECT_ROOT [TABLE]"""

import dataclasses
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.MULTILINE)


@dataclasses.dataclass
class Part:
    name: str
    roots: list = dataclasses.field(default_factory=list)
    layers: list = dataclasses.field(default_factory=list)  # (folders, text), the highest first
    sees: list = dataclasses.field(default_factory=list)  # (part, folder, from folders)
    only: list = dataclasses.field(default_factory=list)  # (header, places)
    bare: list = dataclasses.field(default_factory=list)
    circles: list = dataclasses.field(default_factory=list)

    def rank(self, folder):
        """The layer's number, 0 for the highest, and its folder; None if no line has the folder."""
        while True:
            for number, (folders, _) in enumerate(self.layers):
                if folder in folders:
                    return number, folder
            if "/" not in folder:
                return None
            folder = folder.rpartition("/")[0]


@dataclasses.dataclass
class Source:
    part: Part
    path: pathlib.PurePath  # within the project
    place: str  # "store/bytes/rope.cc": within the part
    text: str = ""

    @property
    def folder(self):
        return self.place.rpartition("/")[0] or "."


def read_table(text):
    """The parts by their names, and the headers of third parties."""
    parts, third_parties = {}, []
    for line in text.splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] == "third_party":
            third_parties += words[1:]
        elif words[0] == "part":
            part = parts.setdefault(words[1], Part(words[1]))
        elif words[0] == "in":
            part.roots = words[1:]
        elif words[0] == "sees":
            part.sees.append((words[1], words[2], words[words.index("from") + 1:]))
        elif words[0] == "only":
            part.only.append((words[1], words[3:]))
        elif words[0] == "bare":
            part.bare += words[1:]
        elif words[0] == "circle":
            part.circles.append(set(words[1:]))
        else:
            folders, _, text = line.partition("|")
            part.layers.append((folders.split(), text.strip()))
    return parts, third_parties


def find_sources(project, parts):
    """Every header and source of the parts, by its path within the project."""
    sources = {}
    for part in parts.values():
        for root in part.roots:
            for path in sorted((project / root).rglob("*")):
                inside = path.relative_to(project)
                if path.suffix in (".h", ".cc") and inside not in sources:
                    place = path.relative_to(project / root).as_posix()
                    sources[inside] = Source(part, inside, place, path.read_text())
    return sources


def find_included(source, header, parts, sources):
    """The file that the header is, looked for beside the source, then in its part, then in the others; or None."""
    others = [part for part in parts.values() if part is not source.part]
    folders = [source.path.parent] + [pathlib.PurePath(root) for part in [source.part] + others for root in part.roots]
    return next((sources[folder / header] for folder in folders if folder / header in sources), None)


def is_within(place, of):
    return place == of or place.startswith(of + "/") or place.rpartition(".")[0] == of


def check_include(source, included):
    """What is wrong with it; or None."""
    part = source.part
    if included.part is not part:
        allowed = any(included.part.name == name and is_within(included.folder, folder)
                      and any(is_within(source.folder, place) for place in places)
                      for name, folder, places in part.sees)
        return None if allowed else f"{part.name} includes {included.part.name}"
    own, other = part.rank(source.folder), part.rank(included.folder)
    if own is None or other is None or own[1] == other[1] or own[0] < other[0]:
        return None
    return f"{own[1]} includes {other[1]}, which is " + ("beside it" if own[0] == other[0] else "above it")


def check_third_party(source, header, third_parties):
    part = source.part
    for name, places in part.only:
        if header.startswith(name) and not any(is_within(source.place, place) for place in places):
            return f"{name} belongs to " + (" and ".join(places) or f"no folder of {part.name}")
    if source.folder in part.bare and any(header.startswith(name) for name in third_parties):
        return f"{source.folder} includes a third party"
    return None


def find_circles(edges):
    """The sets of folders that include each other, by Tarjan's algorithm."""
    numbers, lows, stack, circles = {}, {}, [], []

    def visit(folder):
        numbers[folder] = lows[folder] = len(numbers)
        stack.append(folder)
        for other in sorted(edges.get(folder, ())):
            if other not in numbers:
                visit(other)
            if other in stack:
                lows[folder] = min(lows[folder], lows[other])
        if lows[folder] == numbers[folder]:
            circle = set(stack[stack.index(folder):])
            del stack[stack.index(folder):]
            if len(circle) > 1:
                circles.append(circle)

    for folder in sorted(edges):
        if folder not in numbers:
            visit(folder)
    return circles


def check_circles(part, edges):
    circles = find_circles(edges)
    for circle in circles:
        if circle not in part.circles:
            yield f"{part.name}: these folders include each other in a circle: " + ", ".join(sorted(circle))
    for circle in part.circles:
        if circle not in circles:
            yield f"{part.name}: the table still has a circle that is cut: " + ", ".join(sorted(circle))


def check(project, table):
    """All that is wrong, a line each."""
    parts, third_parties = read_table(table)
    sources = find_sources(project, parts)
    edges = {part.name: {} for part in parts.values()}
    for source in sources.values():
        if source.part.rank(source.folder) is None:
            yield f"{source.path}: the table has no line for {source.folder}"
        for header in INCLUDE.findall(source.text):
            included = find_included(source, header, parts, sources)
            if included is None:
                wrong = check_third_party(source, header, third_parties)
            else:
                wrong = check_include(source, included)
                if included.part is source.part and included.folder != source.folder:
                    edges[source.part.name].setdefault(source.folder, set()).add(included.folder)
            if wrong:
                yield f"{source.path}: {wrong}: {header}"
    for part in parts.values():
        yield from check_circles(part, edges[part.name])


def main():
    project = pathlib.Path(sys.argv[1])
    table = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else project / "tests/layering/layers.txt"
    wrong = list(check(project, table.read_text()))
    for line in wrong:
        print(f"layering: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
