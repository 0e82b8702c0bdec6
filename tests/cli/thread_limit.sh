#!/usr/bin/env bash
# The `gcsflux` command under a limit on processes: tests/cli/thread_limit.sh BIN_DIR
set -uo pipefail
bin=$1
work=$(mktemp -d)
emulator_pid=
cleanup() { [ -n "$emulator_pid" ] && kill "$emulator_pid" 2>/dev/null; rm -rf "$work"; }
trap cleanup EXIT

coproc EMULATOR { exec "$bin/gcsflux-emulator" --port=0; }
emulator_pid=$EMULATOR_PID
read -r line <&"${EMULATOR[0]}"
export STORAGE_EMULATOR_HOST=${line##* }
export GOOGLE_CLOUD_PROJECT=test

# The limit counts a user's processes and does not bind root: root becomes a user without any; others may add none.
cp "$bin/gcsflux" "$work/gcsflux"
chmod 777 "$work"
mkdir -m 777 "$work/tree" && for i in {1..40}; do echo "$i" >"$work/tree/$i"; done
user=() && limits=(1)
if [ "$(id -u)" -eq 0 ]; then user=(setpriv --reuid=54321 --regid=54321 --clear-groups) && limits=(1 4 8); fi

passed=0
# expect STATUS STDERR_REGEX ARGUMENT...: it ends within 60 s. Called with $most processes.
expect() {
  local status=$1 err=$2 got
  shift 2
  (cd "$work" && HOME=$work exec timeout -k 5 60 "${user[@]}" prlimit --nproc="$most" -- "$work/gcsflux" "$@") >"$work/out" 2>"$work/err"
  got=$?
  if [ "$got" -ne "$status" ] || { [ -n "$err" ] && ! grep -qE -- "$err" "$work/err"; }; then
    echo "FAIL: $most processes: gcsflux $* (status $got, wanted $status)"; cat "$work/err"; exit 1
  fi
  passed=$((passed + 1))
}

for most in "${limits[@]}"; do
  bucket=gs://bucket-$most
  with_log=(--max_concurrency=200 --io_threads=64 --log_level=warning)  # More of each than there can be.
  expect 0 '' mb "$bucket"
  if [ "$most" -eq 1 ]; then  # The first does it all, but for downloads of several objects.
    expect 0 '0 of 2 threads could be started' cp "${with_log[@]}" tree/1 tree/2 gs://bucket-1/x/
    expect 0 '0 of 48 threads could be started' ls -r --log_level=warning gs://bucket-1
    expect 1 'no thread could be started.*ulimit -u' cat gs://bucket-1/x/1 gs://bucket-1/x/2
    expect 0 '' cp gs://bucket-1/x/1 here
    expect 0 'copied 38' cp -r tree/ gs://bucket-1/x
    expect 0 '' rm -r gs://bucket-1
  else
    expect 0 "of (40|48|64) threads could be started.*ulimit -u" cp -r "${with_log[@]}" tree/ "$bucket/x/tree"
    expect 0 '' ls -r "$bucket"
    [ "$(wc -l <"$work/out")" -eq 40 ] || { echo "FAIL: $(wc -l <"$work/out") names"; exit 1; }
    expect 0 'threads could be started' cat "${with_log[@]}" "$bucket/x/tree/1" "$bucket/x/tree/2"
    [ "$(tr '\n' ' ' <"$work/out")" = '1 2 ' ] || { echo "FAIL: cat"; exit 1; }
    expect 0 'copied 40' cp -r "${with_log[@]}" "$bucket/x" "here-$most"
    expect 0 'threads could be started' rm -r "${with_log[@]}" "$bucket"
  fi
done

# A limit on addresses: the threads leave some for the memory that they use. A sanitizer needs more of them.
if prlimit --as=1200000000 -- "$bin/gcsflux" --version >/dev/null 2>&1; then
  mkdir "$work/large" && for i in {1..300}; do truncate -s 1M "$work/large/$i"; done
  for i in {1..10}; do
    (ulimit -v $((1150000 + i * 15000)) && exec timeout -k 5 60 "$bin/gcsflux" cp -r --max_concurrency=1000 \
      --log_level=warning "$work/large" "$bucket/large-$i") >"$work/out" 2>"$work/err"
    got=$?
    if [ "$got" -ne 0 ] || ! grep -q 'of 300 threads could be started.*ulimit -v' "$work/err"; then
      echo "FAIL: cp -r within few addresses (status $got)"; head -n 5 "$work/err"; exit 1
    fi
    passed=$((passed + 1))
  done
fi
most=4096
expect 2 'from 1 to 10000' cp -r --max_concurrency=1000000 tree gs://bucket-1/y
expect 2 'from 1 to 10000' ls -r --list_max_concurrency=1000000 gs://bucket-1
expect 2 'from 0 to 10000' ls --max_idle_connections=1000000 gs://bucket-1
echo "$passed passed"
