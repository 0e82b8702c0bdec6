#!/usr/bin/env bash
# Compiles the ```cpp blocks of a page, one after the other, as one program: compile_program.sh PAGE TORCH COMPILER
# FLAG... If TORCH is OFF, blocks that include libtorch are omitted.
set -euo pipefail
page=$1 torch=$2
shift 2
source=$(mktemp --suffix=.cc)
trap 'rm -f "$source"' EXIT
awk -v page="$page" -v torch="$torch" '
  /^```/ && inside { inside = 0; if (torch == "ON" || block !~ /<torch\//) printf "%s", block; next }
  /^```cpp$/ { block = sprintf("#line %d \"%s\"\n", NR + 1, page); inside = 1; next }
  inside { block = block $0 "\n" }' "$page" >"$source"
grep -q 'int main' "$source"
[[ $torch != ON ]] || grep -q 'torch/' "$source"
"$@" -std=c++20 -fsyntax-only -Wall -Wextra -Wno-unused-variable -Werror "$source"
echo "compiled: $(grep -c '^#line' "$source") blocks"
