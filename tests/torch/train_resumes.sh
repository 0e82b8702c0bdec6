#!/usr/bin/env bash
# train_resumes.sh BIN_DIR: the training job as a user runs it. Killed in mid-epoch and resumed, it must end where an
# undisturbed run ends, to the last digit; each error must be one line and the right exit status.
set -euo pipefail

readonly bin=$1
source "$(dirname "$0")/emulator_of_jobs.sh"
train() {
  "$bin/train_fashion_mnist" --endpoint="$endpoint" --train_images=2000 --test_images=500 --save_every=10 "$@"
}
figure() { sed -n "s/^ *\"$2\": \(.*[^,]\),\{0,1\}\$/\1/p" "$work/$1.json"; }

echo "--- undisturbed"
train --bucket=gs://jobs/undisturbed --epochs=3 --saves=sync --summary="$work/undisturbed.json"
[[ $(figure undisturbed objects) == 2500 && $(figure undisturbed resumed_from) == null ]] || fail "the summary is wrong"
[[ $(figure undisturbed save_mode) == '"sync"' && $(figure undisturbed saves) == 12 ]] || fail "the summary has other saves"
[[ $(figure undisturbed blocked_seconds) == *[1-9]* ]] || fail "saves took no time"

echo "--- killed in epoch 3"
mkfifo "$work/output"
train --bucket=gs://jobs/killed --epochs=3 > "$work/output" &
job_pid=$!
status=0
while IFS= read -r line; do
  echo "$line"
  if [[ $line == "saved step 70 of "* ]]; then
    kill -KILL "$job_pid"
    break
  fi
done < "$work/output"
wait "$job_pid" 2> /dev/null || status=$?
((status == 128 + 9)) || fail "the job ended by itself, with status $status"
newest=$(gcsflux checkpoint ls --json gs://jobs/killed/checkpoints | sed -n 's/^{"step":\([0-9]*\),"state":"whole".*/\1/p' | tail -n 1)
((newest >= 70 && newest < 96)) || fail "step $newest is the newest"  # It may have saved once more before the signal came.
readonly sample=$((4000 + (newest - 2 * 32) * 64))  # An epoch has 32 batches.

echo "--- resumed"
readonly cache=gs://jobs/killed.listing
train --bucket=gs://jobs/killed --epochs=3 --resume --summary="$work/killed.json" --listing_cache=$cache | tee "$work/resumed"
[[ $(figure killed resumed_from) == "\"step $newest of gs://jobs/killed/checkpoints\"" ]] || fail "resumed from elsewhere"
[[ $(figure killed resumed_at_sample) == "$sample" ]] || fail "resumed at another image"
grep -q "epoch 3 at image $((sample - 4000))" "$work/resumed" || fail "resumed in another epoch"
[[ $(figure killed test_accuracy) == $(figure undisturbed test_accuracy) ]] || fail "the resumed run ended elsewhere"
gcsflux ls $cache > /dev/null || fail "the listing was not saved"
train --bucket=gs://jobs/killed --epochs=3 --resume --listing_cache=$cache | tee "$work/again"
grep -q "read the listing of the training images" "$work/again" || fail "the saved listing was not read"

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
expect_failure 1 "--resume" train --bucket=gs://jobs/killed
expect_failure 1 "no-such-bucket" train --bucket=gs://no-such-bucket/job
expect_failure 1 "apt-get install dataset-fashion-mnist" train --bucket=gs://jobs/new --data_dir="$work"
expect_failure 2 "s3://jobs" train --bucket=s3://jobs/job
expect_failure 2 "no_such_flag" train --no_such_flag=1
expect_failure 2 "--epochs" train --epochs=0
expect_failure 2 "--bucket has the images" train --data_dir=
expect_failure 2 "--saves is sync or eager" train --saves=lazy
echo "no PNG" > "$work/intruder"
gcsflux cp "$work/intruder" gs://jobs/undisturbed/train/0/99999.png
expect_failure 1 "the number of objects is 2000 in the cursor and 2001 here" \
  train --bucket=gs://jobs/undisturbed --epochs=4 --resume
expect_failure 1 "undisturbed/train/0/99999.png: neither" \
  train --bucket=gs://jobs/undisturbed --epochs=4 --resume --allow_changed_listing
