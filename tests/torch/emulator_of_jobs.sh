# Shared by the tests of training jobs. Sourced by a script that has set `bin`, the directory of our programs.
# Starts an emulator with the bucket gs://jobs, and makes the directory $work. At the end of the script both are removed,
# and so is the process whose id is in `job_pid`.
work=$(mktemp -d)
emulator_pid=
job_pid=
end_all() {
  [[ -z $job_pid ]] || kill -KILL "$job_pid" 2> /dev/null || true
  [[ -z $emulator_pid ]] || kill "$emulator_pid" 2> /dev/null || true
  rm -rf "$work"
}
trap end_all EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
gcsflux() { "$bin/gcsflux" --endpoint="$endpoint" "$@"; }

mkfifo "$work/line"
"$bin/gcsflux-emulator" --port=0 > "$work/line" &
emulator_pid=$!
read -r line < "$work/line"
readonly endpoint=${line##* }
gcsflux mb gs://jobs
