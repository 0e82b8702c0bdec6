#!/usr/bin/env bash
# mpirun.sh BIN_DIR: a job that Open MPI's mpirun starts. Four processes train and save; two resume where they ended. If
# one is killed, the job ends. Skipped (77) where mpirun is not installed; under CI that is a failure.
set -euo pipefail

readonly bin=$1
command -v mpirun > /dev/null || {
  echo "mpirun is not installed: see scripts/setup"
  [[ -z ${CI:-} ]] || exit 1
  exit 77
}
source "$(dirname "$0")/emulator_of_jobs.sh"
# The job's own variables must come from mpirun.
unset RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE MASTER_ADDR MASTER_PORT

train() {  # RANKS STORE FLAG...: a job has a store of its own.
  GCSFLUX_STORE_FILE="$work/store-$2" mpirun --allow-run-as-root --oversubscribe --bind-to none -n "$1" \
    -x GCSFLUX_STORE_FILE "$bin/train_distributed" --endpoint="$endpoint" --bucket=gs://jobs/mpi \
    --global_batch=8 --save_every=4 "${@:3}"
}

echo "--- 4 processes"
train 4 first --train_images=64 > "$work/first"
cat "$work/first"
gcsflux checkpoint ls gs://jobs/mpi/checkpoints | tee "$work/steps"
grep -q "2 steps, 2 whole" "$work/steps" || fail "not two whole steps"

echo "--- 2 processes go on"
train 2 second --train_images=64 --epochs=2 > "$work/second"
cat "$work/second"
grep -q "resumed from step 8 with 2 ranks" "$work/second" || fail "resumed elsewhere"

echo "--- one of 4 is killed in a save"
status=0
train 4 third --train_images=64 --epochs=3 --dying_rank=1 --dying_step=20 > "$work/third" 2>&1 || status=$?
cat "$work/third"
((status != 0)) || fail "the job ended well"
gcsflux checkpoint ls gs://jobs/mpi/checkpoints > "$work/steps"
grep -q "^ *16  whole" "$work/steps" || fail "step 16 is not whole"
