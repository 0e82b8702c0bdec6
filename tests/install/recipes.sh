#!/usr/bin/env bash
# The Dockerfile, by hadolint, and the recipe for Conan, by Conan itself, both of PyPI: recipes.sh SOURCE_DIR ENVIRONMENT
# Conan gets empty packages in place of the recipe's requirements, so that no other registry is asked.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=$1 tools=$2/bin
"$here/../clients/python/environment.sh" "$2" "$here/requirements.txt" || exit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
quiet() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; echo "recipes: $* failed" >&2; exit 1; }; }

# DL3008 asks for versions of packages, which Debian removes when it has newer ones.
"$tools/hadolint" --no-color --ignore DL3008 "$source/packaging/Dockerfile"
echo "hadolint: packaging/Dockerfile"

export CONAN_HOME=$work/conan
quiet "$tools/conan" profile detect
mkdir "$work/empty"
cat >"$work/empty/conanfile.py" <<'RECIPE'
from conan import ConanFile
class Empty(ConanFile):
    settings = "os", "compiler", "build_type", "arch"
RECIPE
for reference in tl-expected/1.1.0 boost/1.86.0 libcurl/8.10.1 openssl/3.3.2 pugixml/1.14 simdjson/3.10.1 zlib/1.3.1 \
  isa-l/2.31.0 nlohmann_json/3.11.3 gflags/2.2.2 sqlite3/3.47.0; do
  quiet "$tools/conan" create "$work/empty" --name="${reference%/*}" --version="${reference#*/}"
done
quiet "$tools/conan" export "$source/packaging/conan"
quiet "$tools/conan" install "$source/packaging/conan" --no-remote -of "$work/install" -o "&:with_flags=True"
grep -qr GCSFLUX_PROGRAMS "$work/install" || { echo "recipes: the toolchain has no option of the recipe" >&2; exit 1; }
reference=$("$tools/conan" list 'gcsflux/*' --format=compact 2>/dev/null | grep -o 'gcsflux/[0-9.]*' | head -n 1)
files=$("$tools/conan" cache path "$reference" --folder=export_source 2>/dev/null)
for file in CMakeLists.txt sdk/include/gcsflux/client.h emulator/emulator.cmake packaging/gcsflux-emulator.service; do
  [ -f "$files/$file" ] || { echo "recipes: conan export leaves out $file" >&2; exit 1; }
done
echo "conan: $reference"
