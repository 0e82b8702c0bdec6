#!/usr/bin/env python3
"""Checks what no tool is at hand for: recipes.py SOURCE_DIR. The recipes can be read, have the project's version and its packages."""
import ast
import json
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
version = re.search(r"project\(gcsflux VERSION ([0-9.]+)", (source / "CMakeLists.txt").read_text()).group(1)
packages = {line.split()[0] for line in (source / "scripts/packages.txt").read_text().splitlines() if line.strip()}
failures = []


def expect(claim, what):
    if not claim:
        failures.append(what)


port = json.loads((source / "packaging/vcpkg/vcpkg.json").read_text())
expect(port["version"] == version, "vcpkg.json has another version")

recipe = ast.parse((source / "packaging/conan/conanfile.py").read_text())
fields = {target.id: ast.literal_eval(statement.value) for recipe_class in recipe.body
          if isinstance(recipe_class, ast.ClassDef) for statement in recipe_class.body
          if isinstance(statement, ast.Assign) for target in statement.targets}
expect(fields["version"] == version, "conanfile.py has another version")

# What a component links, by the names of each recipe; one that is missing is found when a user builds.
linked = {"boost_context": ("boost-context", "boost/"), "CURL": ("curl", "libcurl/"), "OpenSSL": ("openssl", "openssl/"),
          "pugixml": ("pugixml", "pugixml/"), "simdjson": ("simdjson", "simdjson/"), "ZLIB": ("zlib", "zlib/"),
          "isal": ("isal", "isa-l/"), "tl-expected": ("tl-expected", "tl-expected/")}
ports = {entry if isinstance(entry, str) else entry["name"] for entry in port["dependencies"]}
conan = (source / "packaging/conan/conanfile.py").read_text()
cmake = (source / "cmake/GcsfluxPackages.cmake").read_text()
for name in re.search(r"gcsflux_client_links ([^)]*)\)", cmake).group(1).split() + ["tl-expected"]:
    expect(name in linked, f"{name} is in no recipe: add it to recipes.py and to both")
    expect(linked.get(name, ("",))[0] in ports, f"vcpkg.json lacks {name}")
    expect(linked.get(name, ("", "?"))[1] in conan, f"conanfile.py lacks {name}")

dockerfile = (source / "packaging/Dockerfile").read_text().replace("\\\n", " ")
for line in re.findall(r"install -y --no-install-recommends ([^&]*)", dockerfile):
    for name in line.split():
        known = name in packages or name.startswith("/build/")
        expect(known, f"Dockerfile: scripts/packages.txt has no {name}")
expect(dockerfile.count("FROM debian:12-slim") == 2, "Dockerfile: not Debian 12")

sys.exit("recipes: " + "; ".join(failures) if failures else 0)
