#!/usr/bin/env bash
# Installs the build into a temporary prefix, then builds and runs a consumer of it: tests/install/run.sh BUILD_DIR CXX_FLAGS
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1
flags=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >/dev/null
cmake -S "$here" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_FLAGS="$flags" >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/consumer"
"$work/prefix/bin/gcsflux" --help | grep -q '^Commands:'
"$work/prefix/bin/gcsflux-emulator" --help >/dev/null
echo "installed, found and used"
