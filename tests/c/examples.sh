#!/usr/bin/env bash
# Runs the examples of c/examples against an emulator: tests/c/examples.sh PROGRAMS LIBRARY_FOLDER
# C and Python always; Rust and Go if they are installed.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
programs=$1
folder=$2
work=$(mktemp -d)
emulator=
trap '[ -z "$emulator" ] || kill "$emulator"; rm -rf "$work"' EXIT
"$programs/gcsflux-emulator" --port=0 >"$work/log" &
emulator=$!
until [ -s "$work/log" ]; do read -rt 0.05 <> <(:) || true; done
STORAGE_EMULATOR_HOST=$(sed -n 's/.* \(http.*\)/\1/p' "$work/log")
export STORAGE_EMULATOR_HOST LD_LIBRARY_PATH=$folder
"$programs/gcsflux" mb gs://examples --project=test >/dev/null
seq 100000 >"$work/numbers"
"$programs/gcsflux" cp "$work/numbers" gs://examples/numbers >/dev/null

# reads NAME COMMAND...: the object comes, and a missing one is an error.
reads() {
  local name=$1
  shift
  "$@" gs://examples/numbers | cmp - "$work/numbers" || { echo "$name: other bytes" >&2; exit 1; }
  if "$@" gs://examples/none >/dev/null 2>"$work/error"; then echo "$name: no error" >&2; exit 1; fi
  grep -q "gs://examples/none" "$work/error" || { cat "$work/error" >&2; exit 1; }
  echo "$name: ok"
}
cc -std=c11 -Wall -Wextra -Werror -pedantic "$here/c/examples/read.c" -I"$here/c/include" -L"$folder" -lgcsflux_c -o "$work/read_c"
reads C "$work/read_c"
reads Python python3 "$here/c/examples/read.py"
if command -v rustc >/dev/null; then
  rustc -o "$work/read_rs" -L "$folder" -l gcsflux_c "$here/c/examples/read.rs"
  reads Rust "$work/read_rs"
fi
if command -v go >/dev/null; then
  CGO_CFLAGS="-I$here/c/include" CGO_LDFLAGS="-L$folder -lgcsflux_c" GOCACHE="$work/go" \
    go build -o "$work/read_go" "$here/c/examples/read.go"
  reads Go "$work/read_go"
fi
