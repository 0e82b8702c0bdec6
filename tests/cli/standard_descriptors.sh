#!/usr/bin/env bash
# Programs whose standard descriptors are closed, or cannot be written: tests/cli/standard_descriptors.sh BIN_DIR
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
gcsflux=$bin/gcsflux

passed=0
# expect STATUS STDERR_REGEX SHELL_COMMAND: it ends within 30 s, with that status. An empty regex requires no message.
expect() {
  local got
  timeout -k 5 30 bash -c "$3" >"$work/out" 2>"$work/err"
  got=$?
  if [ "$got" -ne "$1" ] || { [ -n "$2" ] && ! grep -qE -- "$2" "$work/err"; } || { [ -z "$2" ] && [ -s "$work/err" ]; }; then
    echo "FAIL: $3 (status $got, wanted $1)"; cat "$work/err"; exit 1
  fi
  passed=$((passed + 1))
}

full='standard output could not be written|cannot write .standard output.: No space left'
"$gcsflux" mb gs://bkt && echo data | "$gcsflux" cp - gs://bkt/dir/object || exit 1

# Output that cannot be written
for command in --help 'ls --help' ls 'ls gs://bkt' 'ls -r gs://bkt' 'ls --json gs://bkt' 'ls --count gs://bkt' \
               'stat gs://bkt/dir/object' 'cat gs://bkt/dir/object' 'cat gs://bkt/dir/object gs://bkt/dir/object' \
               'cp gs://bkt/dir/object -' "cp --dry_run gs://bkt/dir/object $work/x" "cp -r --dry_run gs://bkt $work/x" \
               "sync --dry_run gs://bkt $work/x"; do
  expect 1 "$full" "'$gcsflux' $command >/dev/full"
done
for program in gcsflux-emulator gcsflux-conformance quickstart; do expect 1 "$full" "'$bin/$program' --help >/dev/full"; done
expect 1 "$full" "'$bin/quickstart' >/dev/full"
expect 1 "$full" "'$bin/gcsflux-emulator' --port=0 >/dev/full"
expect 1 "$full" "'$bin/gcsflux-conformance' --list >/dev/full"
for program in train_fashion_mnist train_text; do
  if [ -x "$bin/$program" ]; then expect 1 "$full" "'$bin/$program' --help >/dev/full"; fi
done
# Output beyond the limit on files' sizes
head -c 100000 /dev/zero | "$gcsflux" cp - gs://bkt/large || exit 1
expect 1 'File too large|could not be written' "ulimit -f 1; '$gcsflux' cat gs://bkt/large >'$work/large'"
expect 1 'File too large' "ulimit -f 1; '$gcsflux' cp gs://bkt/large '$work/file'"

# Closed descriptors, whose numbers sockets and pipes would reuse
for closed in '<&-' '>&-' '2>&-' '<&- >&-' '<&- >&- 2>&-'; do
  for command in --help 'ls gs://bkt' 'stat gs://bkt/dir/object' 'cat gs://bkt/dir/object' \
                 "cp gs://bkt/dir/object $work/object" "cp $work/object gs://bkt/copy" 'cp - gs://bkt/empty'; do
    [[ $closed == *'<'* ]] || [[ $command != 'cp -'* ]] || continue
    expect 0 '' "'$gcsflux' $command $closed"
  done
  expect 0 '' "'$bin/quickstart' $closed"
  expect 0 '' "'$bin/gcsflux-conformance' --list $closed"
  expect 124 '' "timeout 0.3 '$bin/gcsflux-emulator' --port=0 $closed"
done
cmp "$work/object" <(echo data) || exit 1
cmp <("$gcsflux" cat gs://bkt/copy) <(echo data) || exit 1
cmp <("$gcsflux" cat gs://bkt/empty) /dev/null || exit 1
# The service has received nothing of the standard output.
journal=$(curl --silent --fail "$STORAGE_EMULATOR_HOST/_emulator/journal") || { echo "FAIL: no journal"; exit 1; }
[[ $journal != *'"status":400'* ]] || { echo FAIL: 400; exit 1; }
echo "$passed passed"
