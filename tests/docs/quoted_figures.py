#!/usr/bin/env python3
"""Fails if a page has a figure that the measured tables do not have: quoted_figures.py PAGE TABLES...

A figure is a number with a unit of a measurement, outside of code. The tables are written by scripts/benchmarks; when they
change, this names what a page still quotes of the old ones.
"""

import pathlib
import re
import sys

FIGURE = re.compile(r"(?<![\w.,])\d[\d,.]*(?: ?(?:ms|µs|s|GB/s|MiB|GiB|%)(?!\w)|/s(?!\w))")
SETTINGS = {"256 MiB", "512 MiB", "5,000/s", "1,000/s", "5 %", "80 %", "100 %"}  # what is set, not measured


def prose(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`]*`", "", text)


def main():
    page, *tables = map(pathlib.Path, sys.argv[1:])
    measured = set(FIGURE.findall("\n".join(table.read_text() for table in tables)))
    quoted = set(FIGURE.findall(prose(page)))
    unknown = sorted(quoted - measured - SETTINGS)
    for figure in unknown:
        print(f"{page}: {figure} is in none of the tables")
    print(f"{len(quoted)} figures, {len(unknown)} of them in no table")
    return 1 if unknown or not quoted else 0


if __name__ == "__main__":
    sys.exit(main())
