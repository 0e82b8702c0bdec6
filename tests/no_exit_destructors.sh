#!/usr/bin/env bash
# A client may still be used by destructors of static objects and by threads while the process ends. So no static object of the
# library has a destructor: tests/no_exit_destructors.sh LIBRARY
set -euo pipefail
registered=$(nm -AC "$1" 2>/dev/null | grep -E ' U __cxa_(thread_)?atexit' || true)
[ -n "$(nm -A "$1" 2>/dev/null | head -n 1)" ] || { echo "no_exit_destructors: $1 has no symbols" >&2; exit 1; }
[ -z "$registered" ] || { printf 'these register a destructor for the end of the process:\n%s\n' "$registered" >&2; exit 1; }
