#!/usr/bin/env python3
"""The checker of the layers finds each kind of wrong include: layers_test.py"""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import layers

TABLE = """
third_party curl/
part library
  in library/src library/include
  high            | what users call
  left right      | two beside each other
  low             | what all use
  public          | the headers
  only curl/ in left
  bare public
part tool
  in tool
  .               | the program
  sees library public from .
"""
FILES = {
    "library/src/high/api.cc": ['"left/left.h"', '"right/deep/right.h"', '"public/public.h"'],
    "library/src/left/left.h": ['"low/low.h"', "<curl/curl.h>"],
    "library/src/right/deep/right.h": ['"right/parts.h"'],
    "library/src/right/parts.h": ["<vector>"],
    "library/src/low/low.h": ['"public/public.h"'],
    "library/include/public/public.h": ["<string>"],
    "tool/main.cc": ['"public/public.h"'],
}


class LayersTest(unittest.TestCase):
    def wrong(self, files=None, table=TABLE):
        with tempfile.TemporaryDirectory() as directory:
            project = pathlib.Path(directory)
            for name, includes in {**FILES, **(files or {})}.items():
                (project / name).parent.mkdir(parents=True, exist_ok=True)
                (project / name).write_text("".join(f"#include {header}\n" for header in includes))
            return "\n".join(layers.check(project, table))

    def test_finds_nothing_in_a_correct_tree(self):
        self.assertEqual(self.wrong(), "")

    def test_finds_includes_of_higher_layers(self):
        self.assertIn("low includes left, which is above it", self.wrong({"library/src/low/a.cc": ['"left/left.h"']}))

    def test_finds_includes_within_a_layer(self):
        self.assertIn("left includes right, which is beside it",
                      self.wrong({"library/src/left/a.cc": ['"right/parts.h"']}))

    def test_finds_circles_within_a_layer(self):
        self.assertIn("in a circle: right, right/deep", self.wrong({"library/src/right/parts.h": ['"right/deep/right.h"']}))

    def test_accepts_a_listed_circle_until_it_is_cut(self):
        table = TABLE.replace("  bare public", "  bare public\n  circle right right/deep")
        circle = {"library/src/right/parts.h": ['"right/deep/right.h"']}
        self.assertEqual(self.wrong(circle, table), "")
        self.assertIn("still has a circle that is cut: right, right/deep", self.wrong({}, table))

    def test_finds_another_part(self):
        self.assertIn("tool includes library", self.wrong({"tool/a.cc": ['"low/low.h"']}))
        self.assertIn("library includes tool", self.wrong({"tool/a.h": [], "library/src/high/a.cc": ['"a.h"']}))

    def test_finds_third_parties_outside_their_folders(self):
        self.assertIn("curl/ belongs to left", self.wrong({"library/src/low/a.cc": ["<curl/curl.h>"]}))

    def test_finds_third_parties_in_public_headers(self):
        table = TABLE.replace("only curl/ in left", "only curl/ in left public")
        self.assertIn("public includes a third party", self.wrong({"library/include/public/a.h": ["<curl/curl.h>"]}, table))

    def test_finds_folders_without_a_line(self):
        self.assertIn("no line for new", self.wrong({"library/src/new/a.cc": []}))


if __name__ == "__main__":
    unittest.main()
