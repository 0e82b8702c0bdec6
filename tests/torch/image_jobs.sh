#!/usr/bin/env bash
# image_jobs.sh BIN_DIR RUN_RANKS: train_images and train_segmentation as a user runs them. The same images come as
# objects, from shards with and without an index, and from local files, on one rank and on two. A job that is killed and
# resumed ends where an undisturbed one ends.
set -euo pipefail

readonly bin=$1 run_ranks=$2
source "$(dirname "$0")/emulator_of_jobs.sh"
readonly place=gs://jobs/drawn
flags=(--endpoint="$endpoint" --side=32 --batch_size=8)
train() { "$bin/train_images" "${flags[@]}" --bucket=$place "$@"; }
ranks() { "$run_ranks" "$1" -- "$bin/train_images" "${flags[@]}" --bucket=$place "${@:2}"; }
figure() { tail -n 1 "$work/$1.json" | sed "s/.*\"$2\":\([^,}]*\).*/\1/"; }
images() { figure "$1" images | sed 's/\..*//'; }

echo "--- one rank: objects, shards, local files"
train --drawn_images=60 --epochs=1 --summary="$work/objects.json"
gcsflux shards pack $place/train/ $place/shards/%06d.tar --max_samples=20
gcsflux cp "$place/shards/*.tar" $place/plain/
gcsflux cp -r $place "$work/copy"
readonly local_dir=$work/copy
train --epochs=1 --style=iterable --summary="$work/iterable.json"
train --epochs=1 --shards=$place/shards/ --summary="$work/indexed.json"
train --epochs=1 --shards=$place/shards/ --style=iterable --summary="$work/indexed_stream.json"
train --epochs=1 --shards=$place/plain/ --style=iterable --summary="$work/plain.json"
train --epochs=1 --local_dir="$local_dir" --summary="$work/local.json"
for source in objects iterable indexed indexed_stream plain local; do
  [[ $(images $source) == 51 ]] || fail "$source: an epoch had $(images $source) images, not 51"
done
# The same order of the same images: map and iterable are one loop.
[[ $(figure objects loss) == "$(figure iterable loss)" ]] || fail "map and iterable differ"
[[ $(figure indexed loss) == "$(figure indexed_stream loss)" ]] || fail "map and iterable differ over shards"
(($(figure indexed class_b_operations) > 0)) || fail "no requests are counted"

echo "--- two ranks"
ranks 2 --epochs=1 --summary="$work/two.json"
ranks 2 --epochs=1 --shards=$place/plain/ --style=iterable --summary="$work/two_plain.json"
ranks 2 --epochs=1 --local_dir="$local_dir" --summary="$work/two_local.json"
for source in two two_plain two_local; do
  [[ $(figure $source ranks) == 2 && $(images $source) == 51 ]] || fail "$source: an epoch had $(images $source) images"
done

echo "--- killed and resumed"
# killed_and_resumed NAME FLAG...: kills the job in the save of step 12, which is within the second epoch.
killed_and_resumed() {
  local name=$1
  shift
  local job=("$bin/train_images" "${flags[@]}" --bucket="gs://jobs/$name" --drawn_images=60 --epochs=3 --save_every=2 "$@")
  "${job[@]}" --summary="$work/$name-undisturbed.json" > /dev/null
  gcsflux rm -r "gs://jobs/$name/checkpoints/" > /dev/null
  # The step's file never arrives, so that the save cannot be over before.
  curl -sf -X PUT "$endpoint/_emulator/faults" -o /dev/null -d '{"rules": [{"name": "stalled",
    "match": {"objectGlob": "'"$name"'/checkpoints/step-00000012/*"}, "action": {"type": "stall", "duration": "3600s"}}]}'
  rm -f "$work/output"
  mkfifo "$work/output"
  "${job[@]}" > "$work/output" &
  job_pid=$!
  while IFS= read -r line; do
    [[ $line != "saved step 10" ]] || { kill -KILL "$job_pid"; break; }
  done < "$work/output"
  wait "$job_pid" 2> /dev/null || true
  curl -sf -X DELETE "$endpoint/_emulator/faults" -o /dev/null
  "${job[@]}" --resume --summary="$work/$name.json"
  [[ $(figure "$name" resumed_from) == 10 ]] || fail "$name: resumed from step $(figure "$name" resumed_from)"
  [[ $(figure "$name" accuracy) == "$(figure "$name-undisturbed" accuracy)" ]] || fail "$name: ended elsewhere"
  local last_loss
  last_loss=$(tail -n 1 "$work/$name-undisturbed.json" | grep -o '"loss":[^,]*' | tail -n 1)
  grep -qF -- "$last_loss" "$work/$name.json" || fail "$name: the last epoch had another loss than $last_loss"
}
killed_and_resumed objects
killed_and_resumed streams --style=iterable --shards=$place/plain/

echo "--- segmentation, and its figures in the bucket"
"$bin/train_segmentation" "${flags[@]}" --bucket=$place --drawn_images=60 --epochs=1 --summary=$place/figures.json
gcsflux cat $place/figures.json | grep -q '"job":"train_segmentation".*"intersection_over_union":' || fail "no figures"

# expect_failure STATUS WORDS ARGUMENTS...: one line on stderr, with these words.
expect_failure() {
  local want=$1 words=$2 status=0
  shift 2
  "$@" > /dev/null 2> "$work/stderr" || status=$?
  cat "$work/stderr"
  ((status == want)) || fail "exit status $status, not $want: $*"
  (($(wc -l < "$work/stderr") == 1)) || fail "more than one line on stderr: $*"
  grep -qF -- "$words" "$work/stderr" || fail "no '$words' on stderr: $*"
}
echo "--- what goes wrong"
expect_failure 1 "is of an earlier run" "$bin/train_images" "${flags[@]}" --bucket=gs://jobs/objects --save_every=2
expect_failure 1 "store images with --data_dir" "$bin/train_images" "${flags[@]}" --bucket=gs://jobs/empty
expect_failure 2 "--side is a multiple of 8" train --side=33
expect_failure 2 "exclude each other" train --shards=gs://jobs/x/ --local_dir=/tmp
expect_failure 2 "need a --bucket" env RANK=0 WORLD_SIZE=2 "$bin/train_images"
echo "no image" > "$work/intruder.png"
gcsflux cp "$work/intruder.png" $place/train/discs/zz.png
expect_failure 1 "gs://jobs/drawn/train/discs/zz.png: neither a JPEG nor a PNG file" train --epochs=1
train --epochs=1 --max_skipped=1 --summary="$work/skipped.json"
[[ $(images skipped) == 51 ]] || fail "the damaged image was not left out alone"
