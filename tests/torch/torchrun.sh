#!/usr/bin/env bash
# torchrun.sh BIN_DIR: jobs that PyTorch's torchrun starts, by each of its rendezvous. Its agent serves the store of the
# job, or rank 0 does. One rank is killed in a save; torchrun starts all of them again, and they continue from the step
# before. Skipped (77) where Debian's PyTorch is not installed; under CI that is a failure.
set -euo pipefail

readonly bin=$1
torchrun() { /usr/bin/python3 "$(dirname "${BASH_SOURCE[0]}")/torchrun.py" "$@"; }
torchrun --help > /dev/null || {
  echo "torchrun does not run: see scripts/setup"
  [[ -z ${CI:-} ]] || exit 1
  exit 77
}
source "$(dirname "$0")/emulator_of_jobs.sh"
# The job's own variables must come from torchrun.
unset RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE MASTER_ADDR MASTER_PORT GCSFLUX_STORE_FILE

# Rank 1 kills itself in the save of step 8, but not when it is started again.
cat > "$work/rank" << 'END'
#!/usr/bin/env bash
dies=(--dying_rank=1 --dying_step=8)
[[ $TORCHELASTIC_RESTART_COUNT == 0 ]] || dies=()
echo "attempt $TORCHELASTIC_RESTART_COUNT of rank $RANK, agent store: $TORCHELASTIC_USE_AGENT_STORE"
exec "$@" "${dies[@]}"
END
chmod +x "$work/rank"

train() {  # PLACE AGENT_STORE FLAG...: the flags are torchrun's.
  local place=$1 agent_store=$2
  shift 2
  echo "--- $place: $*"
  torchrun --nproc_per_node=4 --max_restarts=1 --monitor_interval=0.2 "$@" --no_python "$work/rank" \
    "$bin/train_distributed" --endpoint="$endpoint" --bucket="gs://jobs/$place" --train_images=96 --global_batch=8 \
    --save_every=4 > "$work/$place" 2>&1 || {
    cat "$work/$place"
    fail "$place: the job failed"
  }
  grep -v "WARNING\|^\*\|^Setting\|^$" "$work/$place" || true
  grep -q "attempt 0 of rank 1, agent store: $agent_store" "$work/$place" || fail "$place: another kind of store"
  grep -q "attempt 1 of rank 1" "$work/$place" || fail "$place: no rank was killed"
  grep -q "resumed from step [48] with 4 ranks" "$work/$place" || fail "$place: resumed elsewhere"
  gcsflux checkpoint ls "gs://jobs/$place/checkpoints" > "$work/steps"
  grep -q "^ *12  whole" "$work/steps" || fail "$place: step 12 is not whole"
}

train static True --nnodes=1 --master_port="$(torchrun --free_port)"
train standalone False --standalone --nnodes=1
train c10d False --nnodes=1 --rdzv_backend=c10d --rdzv_endpoint=localhost:0
