#!/usr/bin/env bash
# ranks_resume.sh BIN_DIR RUN_RANKS: a job of four processes, one of which is killed in the middle of a save. Started
# again with two, it resumes at the next image: over both runs each image is used once, and the losses are those of a job
# that was not disturbed. The failed save leaves nothing.
set -euo pipefail

readonly bin=$1 run_ranks=$2
source "$(dirname "$0")/emulator_of_jobs.sh"
readonly images=96 batch=8
train() {  # RANKS PLACE FLAG...
  local ranks=$1 place=$2
  shift 2
  "$run_ranks" "$ranks" -- "$bin/train_distributed" --endpoint="$endpoint" --bucket="gs://jobs/$place" \
    --train_images=$images --global_batch=$batch --save_every=4 --print_names "$@"
}
losses() { sed -n 's/^\[0\] step \([0-9]*\) loss \(.*\)/\1 \2/p' "$1" | sort -n; }

echo "--- undisturbed, 4 ranks"
train 4 undisturbed > "$work/undisturbed"
(($(losses "$work/undisturbed" | wc -l) == images / batch)) || fail "the undisturbed job made another number of steps"

echo "--- rank 2 of 4 is killed in the save of step 8"
# Its file never arrives, so that the save cannot be over before.
curl -sf -X PUT "$endpoint/_emulator/faults" -d '{"rules": [{"name": "stalled",
  "match": {"objectGlob": "killed/checkpoints/step-00000008/*-shard-00003-*"},
  "action": {"type": "stall", "duration": "3600s"}}]}' > /dev/null
status=0
train 4 killed --dying_rank=2 --dying_step=8 > "$work/killed" 2>&1 || status=$?
grep -v " used " "$work/killed"
((status == 128 + 9)) || fail "the job ended with status $status"
for rank in 0 1 3; do
  grep -q "^\[$rank\].*save of step 8 of gs://jobs/killed/checkpoints/: rank 2 (" "$work/killed" ||
    fail "rank $rank does not say which rank failed"
done
gcsflux checkpoint ls gs://jobs/killed/checkpoints > "$work/steps"
[[ $(grep -c whole, "$work/steps") == 1 ]] || fail "not one step"
grep -q "^ *4  whole" "$work/steps" || fail "step 4 is not whole"
curl -sf -X DELETE "$endpoint/_emulator/faults" > /dev/null

echo "--- resumed with 2 ranks"
train 2 killed > "$work/resumed"
grep -v " used " "$work/resumed"
grep -q "resumed from step 4 with 2 ranks, at image 32 of epoch 1" "$work/resumed" || fail "resumed elsewhere"

echo "--- each image once, the same losses, nothing left over"
{
  sed -n 's/^\[[0-9]*\] step [1-4] used //p' "$work/killed"
  sed -n 's/^\[[0-9]*\] step [0-9]* used //p' "$work/resumed"
} | sort > "$work/used"
(($(wc -l < "$work/used") == images && $(sort -u "$work/used" | wc -l) == images)) || fail "not each image once"
{
  losses "$work/killed" | sed -n 1,4p
  losses "$work/resumed"
} > "$work/both"
losses "$work/undisturbed" | paste -d ' ' - "$work/both" |
  awk '{ difference = ($2 - $4) / $2; if ($1 != $3 || difference > 1e-4 || difference < -1e-4) { print; bad = 1 } }
       END { exit bad || NR == 0 }' || fail "other losses than those of the undisturbed job"
gcsflux checkpoint ls gs://jobs/killed/checkpoints > "$work/steps"
grep -q "3 steps, 3 whole" "$work/steps" || fail "not three whole steps"
gcsflux checkpoint verify gs://jobs/killed/checkpoints/ || fail "a step does not verify"

echo "--- a step of ranks as one file"
readonly step=gs://jobs/killed/checkpoints/step-00000012.json
gcsflux checkpoint convert --tensors_only $step "$work/one.pt" || fail "not converted"
gcsflux checkpoint diff $step "$work/one.pt" || fail "the file has other tensors than the step"

echo "--- what goes wrong"
expect_failure() {  # WORDS COMMAND...
  local words=$1 status=0
  shift
  "$@" > "$work/output" 2>&1 || status=$?
  ((status == 2)) || fail "exit status $status, not 2: $*"
  grep -qF -- "$words" "$work/output" || fail "no '$words': $(cat "$work/output")"
}
expect_failure "RANK is 4, and WORLD_SIZE is 4" env RANK=4 WORLD_SIZE=4 "$bin/train_distributed" --bucket=gs://jobs/x
expect_failure "--global_batch must be a multiple of the 3 ranks" train 3 killed
expect_failure "usage: run_ranks" "$run_ranks" 0 -- true
expect_failure "usage: run_ranks" "$run_ranks" 2 true
status=0
RUN_RANKS_GRACE=0 "$run_ranks" 3 -- bash -c '[[ $RANK != 1 ]] || exit 7; exec sleep 3600' > "$work/output" 2>&1 || status=$?
((status == 7)) || fail "ranks that hang: status $status, not 7"
