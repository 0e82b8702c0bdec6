#!/usr/bin/env bash
# Compares the symbols and types of libgcsflux_c.so with those of the released version: tests/c/abi.sh LIBRARY [--update]
# c/abi.xml describes these. What is added is allowed; what changes or goes needs another soname (docs/c.md).
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
library=$1
if ! command -v abidw >/dev/null; then
  echo "abidw is not installed (abigail-tools)" >&2
  [ -n "${CI:-}" ] && exit 1 || exit 77
fi
describe=(--headers-dir "$here/c/include" --drop-private-types --no-show-locs --no-corpus-path --no-comp-dir-path "$library")
if [ "${2:-}" = --update ]; then
  abidw "${describe[@]}" >"$here/c/abi.xml"
  exit
fi
now=$(mktemp)
trap 'rm -f "$now"' EXIT
abidw "${describe[@]}" >"$now"
status=0
abidiff --no-added-syms "$here/c/abi.xml" "$now" || status=$?
[ $((status & 8)) -eq 0 ] || { echo "the change is incompatible" >&2; exit 1; }
[ $((status & 3)) -eq 0 ] || { echo "abidiff failed with status $status" >&2; exit 1; }
exported=$(nm -D --defined-only "$library" | awk '{print $3}' | grep -v '^GCSFLUX_' || true)
others=$(grep -v '^gcsflux_' <<<"$exported" || true)
[ -z "$others" ] || { echo "it shows more than gcsflux_*: $others" >&2; exit 1; }
