#!/usr/bin/env bash
# text_resumes.sh BIN_DIR: examples/train_text as a user runs it. One run is not disturbed; one gets SIGTERM, and one
# SIGKILL, during the run. Started again, both have the losses and the data order of the first, to the last digit. Where
# Debian's PyTorch is installed, Python opens their last steps and finds the same tensors.
set -euo pipefail

readonly bin=$1
readonly steps=110
source "$(dirname "$0")/emulator_of_jobs.sh"
train() {  # LOG ARGUMENTS...
  exec "$bin/train_text" --endpoint="$endpoint" --steps=$steps --save_every=10 --width=16 --layers=1 \
    --log="$work/$1" "${@:2}"
}
newest() { gcsflux checkpoint ls --json "$1" | sed -n 's/^{"step":\([0-9]*\),"state":"whole".*/\1/p' | tail -n 1; }

# end_at LINE SIGNAL LOG ARGUMENTS...: sends the signal once the job has printed a line that begins like this, and waits
# for its end; sets `status`.
end_at() {
  local wanted=$1 signal=$2 limit=300 line read_status=0
  rm -f "$work/output" && mkfifo "$work/output"
  (train "${@:3}") > "$work/output" 2> "$work/errors" &
  job_pid=$!
  exec 3< "$work/output"
  while read -r -t "$limit" line <&3 || { read_status=$?; false; }; do
    echo "$line"
    [[ $line == "$wanted"* ]] || continue
    kill -"$signal" "$job_pid"
    limit=25  # It is silent, or gone, within 25 s of the signal.
  done
  exec 3<&-
  cat "$work/errors"
  ((read_status == 1)) || fail "it still runs $limit s later"
  status=0
  wait "$job_pid" || status=$?
  job_pid=
}

# same_as_whole LOG FIRST: the steps from FIRST to the end are those of the run that was not disturbed.
same_as_whole() {
  cut -d ' ' -f 2- "$work/$1" | sed 's| stalled/| place/|g' > "$work/steps"
  (($(wc -l < "$work/steps") == steps - $2 + 1 && $2 <= steps - 49)) || fail "$1 has other steps than $2 to $steps"
  cmp "$work/steps" <(tail -n +"$2" "$work/whole.steps") || fail "$1 went another way"
}

readonly place=--bucket=gs://jobs/place

echo "--- undisturbed"
(train whole $place --saves=sync)
cut -d ' ' -f 2- "$work/whole" > "$work/whole.steps"
(($(wc -l < "$work/whole.steps") == steps)) || fail "the log has other steps"
(($(cut -d ' ' -f 2 "$work/whole.steps" | sort -u | wc -l) > steps / 2)) || fail "the losses do not change"

echo "--- SIGTERM"
end_at "lazy: saved step 20" TERM preempted $place --saves=lazy
((status == 143)) || fail "exit status $status, not 143"
stopped=$(tail -n 1 "$work/preempted" | cut -d ' ' -f 2)
[[ $(newest gs://jobs/place/runs/lazy) == "$stopped" ]] || fail "step $stopped was not saved"
(train resumed $place --saves=lazy)
same_as_whole resumed $((stopped + 1))

echo "--- SIGKILL"
end_at "eager: saved step 30" KILL killed $place --saves=eager
((status == 137)) || fail "exit status $status, not 137"
stopped=$(newest gs://jobs/place/runs/eager)
(train resumed_after_kill $place --saves=eager)
same_as_whole resumed_after_kill $((stopped + 1))

echo "--- SIGTERM while a save stalls"
readonly faults=$endpoint/_emulator/faults
curl --silent --fail -T - -o /dev/null "$faults" << 'PLAN'
{"rules": [{"name": "stalled", "match": {"operation": "storage.objects.insert",
                                         "objectPrefix": "stalled/runs/eager/step-00000020/"},
            "action": {"type": "stallUpload", "afterBytes": 1000, "duration": "3600s"}}]}
PLAN
end_at "eager: step 20, loss" TERM stalled --bucket=gs://jobs/stalled --saves=eager --finish_within_s=1
((status == 1)) || fail "exit status $status, not 1, where the last step was not saved"
curl --silent --fail "$faults" > "$work/counters"
grep -q '"fired":[1-9]' "$work/counters" || fail "nothing stalled"
grep -q ": step 20 was not saved: .*raise AsyncSaveOptions::end_deadline" "$work/errors" || fail "the stalled save is not told"
stopped=$(tail -n 1 "$work/stalled" | cut -d ' ' -f 2)
grep -q "^train_text: step $stopped was not saved: " "$work/errors" || fail "the last save is not told"
[[ $(newest gs://jobs/stalled/runs/eager) == 10 ]] || fail "another step than 10 is the newest"
curl --silent --fail -X DELETE "$faults"
(train after_stall --bucket=gs://jobs/stalled --saves=eager)
same_as_whole after_stall 11

# expect_usage WORDS ARGUMENTS...: exit status 2, and one line on stderr, with these words.
expect_usage() {
  local words=$1 status=0
  (train usage "${@:2}") > /dev/null 2> "$work/errors" || status=$?
  cat "$work/errors"
  ((status == 2 && $(wc -l < "$work/errors") == 1)) || fail "exit status $status, not 2 and one line: ${*:2}"
  grep -qF -- "$words" "$work/errors" || fail "no '$words': ${*:2}"
}

echo "--- what goes wrong"
expect_usage "'hope' is neither sync, eager nor lazy" --saves=eager,hope
expect_usage "--save_every" --save_every=0
expect_usage "--width" --width=6

echo "--- in Python"
if ! /usr/bin/python3 -c 'import torch' 2> /dev/null; then
  echo "left out: Debian's PyTorch is not installed (apt-get install python3-torch)"
  exit 0
fi
for way in sync eager lazy; do
  file=$(gcsflux ls "gs://jobs/place/runs/$way/step-00000$steps/")
  gcsflux cp "$file" "$work/$way.pt"
done
/usr/bin/python3 - "$work" << 'PYTHON' || fail "Python reads other tensors"
import sys
import torch

whole, *others = (torch.load(f"{sys.argv[1]}/{way}.pt") for way in ("sync", "eager", "lazy"))
assert whole["model"]["encoder.layers.0.linear1.weight"].shape == (64, 16), whole["model"].keys()
assert len(whole["optimizer"]["state"]) == len(whole["model"]), whole["optimizer"].keys()
assert all(state["step"] == 110 for state in whole["optimizer"]["state"].values())
assert '"consumed":' in whole["cursor"], whole["cursor"]
generator = torch.Generator()
generator.set_state(whole["generators"]["cpu"])  # libtorch's own form
for other in others:
    assert other["model"].keys() == whole["model"].keys()
    for name, tensor in whole["model"].items():
        assert tensor.abs().sum() > 0 and torch.equal(tensor, other["model"][name]), name
    for index, state in whole["optimizer"]["state"].items():
        assert all(torch.equal(torch.as_tensor(state[key]), torch.as_tensor(other["optimizer"]["state"][index][key]))
                   for key in state), index
    assert other["cursor"] == whole["cursor"]
    assert torch.equal(other["generators"]["cpu"], whole["generators"]["cpu"])
PYTHON
