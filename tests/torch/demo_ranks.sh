#!/usr/bin/env bash
# demo_ranks.sh BIN_DIR DEMO_RANKS: the second part of scripts/demo, with few images.
set -euo pipefail

readonly bin=$1 demo_ranks=$2
work=$(mktemp -d)
emulator_pid=
trap '[[ -z $emulator_pid ]] || kill "$emulator_pid"; rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

mkfifo "$work/line"
"$bin/gcsflux-emulator" --port=0 > "$work/line" &
emulator_pid=$!
read -r line < "$work/line"
"$demo_ranks" "$bin" "$work" "${line##* }" 4 --train_images=448 --save_every=3 2>&1 | tee "$work/output"
expect() {
  local output
  output=$(< "$work/output")
  [[ $output =~ $1 ]] || fail "the demo does not say '$1'"
}
expect 'rank 1 is killed in the middle of the save of step 6'
expect 'killed in the save of step 6'
expect '1 step, 1 whole'
expect 'resumed from step 3 with 2 ranks, at image 192 of epoch 1'
expect 'ranks +4 +4, then 2'
expect 'steps +7 +3 \+ 4'
expect 'images used +448 +448'
expect 'images used more than once +0 +0'
