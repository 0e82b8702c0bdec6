#!/usr/bin/env bash
# Compiles each ```cpp block of a page as the body of a function: compile_page.sh PAGE COMPILER FLAG...
set -euo pipefail
page=$1
shift
source=$(mktemp --suffix=.cc)
trap 'rm -f "$source"' EXIT
{
  printf '#include "gcsflux/%s.h"\n' checkpoints/checkpoint client download download_file events listing object_reader object_streams signed_url upload
  printf '#include <%s>\n' chrono fstream iostream iterator span stop_token string unistd.h vector
  awk -v page="$page" '
    /^```/ && inside { print "}"; inside = 0; next }
    /^```cpp$/ { printf "[[maybe_unused]] static void Block%d([[maybe_unused]] const gcsflux::Client& client) {\n#line %d \"%s\"\n", ++n, NR + 1, page; inside = 1; next }
    inside' "$page"
} >"$source"
blocks=$(grep -c '^\[\[maybe_unused\]\]' "$source")
"$@" -std=c++20 -fsyntax-only -Wall -Wextra -Wno-unused-variable -Wno-unused-but-set-variable -Werror "$source"
echo "$blocks blocks compiled"
