#!/usr/bin/env bash
# The `gcsflux` command as people use it, against gcsflux-emulator: tests/cli/cli_test.sh BIN_DIR
set -uo pipefail
bin=$1
work=$(mktemp -d)
emulator_pid=
cleanup() { [ -n "$emulator_pid" ] && kill "$emulator_pid" 2>/dev/null; rm -rf "$work"; }
trap cleanup EXIT

coproc EMULATOR { exec "$bin/gcsflux-emulator" --port=0 --virtual_buckets=many:30000:10:c; }
emulator_pid=$EMULATOR_PID
read -r line <&"${EMULATOR[0]}"
export STORAGE_EMULATOR_HOST=${line##* }
export GOOGLE_CLOUD_PROJECT=test

passed=0
# expect STATUS STDOUT_REGEX STDERR_REGEX ARGUMENT...: an empty regex wants no output at all.
expect() {
  local status=$1 out=$2 err=$3
  shift 3
  "$bin/gcsflux" "$@" >"$work/out" 2>"$work/err" </dev/null
  local got=$?
  local good=1
  [ "$got" -eq "$status" ] || good=0
  if [ -z "$out" ]; then [ -s "$work/out" ] && good=0; else grep -qE -- "$out" "$work/out" || good=0; fi
  if [ -z "$err" ]; then [ -s "$work/err" ] && good=0; else grep -qE -- "$err" "$work/err" || good=0; fi
  if [ "$good" -eq 0 ]; then
    echo "FAIL: gcsflux $* (status $got, wanted $status)"; head -c 2000 "$work/out" "$work/err"; exit 1
  fi
  passed=$((passed + 1))
}
check() { "$@" || { echo "FAIL: $*"; exit 1; }; passed=$((passed + 1)); }

# Buckets
expect 0 '' '' mb gs://one-bucket gcs://two-bucket
expect 0 '^gs://one-bucket$' '' ls
expect 1 '' '409.*' mb gs://one-bucket

expect 0 '' '' mb gs://of-the-variable
expect 0 '' '' mb gs://of-the-flag --project=from-flag
journal=$(curl --silent --fail "$STORAGE_EMULATOR_HOST/_emulator/journal")
check grep -q 'storage/v1/b?project=test"' <<<"$journal"
check grep -q 'storage/v1/b?project=from-flag"' <<<"$journal"
expect 0 '' '' rm gs://of-the-variable
expect 0 '' '' rm gs://of-the-flag

# Uploads and downloads of any bytes
head -c 300000 /dev/urandom >"$work/data"
: >"$work/empty"
expect 0 '' '' cp "$work/data" gs://one-bucket/dir/data
expect 0 '' '' cp "$work/empty" gs://one-bucket/dir/
expect 0 '' '' cp gs://one-bucket/dir/data "$work/back"
check cmp "$work/data" "$work/back"
mkdir "$work/into"
expect 0 '' '' cp gs://one-bucket/dir/data "$work/into"
check cmp "$work/data" "$work/into/data"
expect 0 '' '' cp gs://one-bucket/dir/data gcs://two-bucket/copy
check cmp "$work/data" <("$bin/gcsflux" cat gs://two-bucket/copy)
check cmp <(cat "$work/data" "$work/data") <("$bin/gcsflux" cat gs://two-bucket/copy gs://one-bucket/dir/data)
check "$bin/gcsflux" cp - gs://one-bucket/piped --content_type=text/plain <<<"from a pipe"
expect 0 '^from a pipe$' '' cp gs://one-bucket/piped -
expect 0 '^from a pipe$' '' cat -- gs://one-bucket/piped
expect 0 '' '' cp gs://one-bucket/piped gs://two-bucket/kept
expect 0 'content type: +text/plain' '' stat gs://two-bucket/kept
expect 0 '' '' cp gs://one-bucket/dir/data gs://two-bucket/kept --content_type=a/b
expect 0 'content type: +a/b' '' stat gs://two-bucket/kept
check cmp "$work/data" <("$bin/gcsflux" cat gs://two-bucket/kept)
expect 0 '' 'skipped 1 that are there' cp --no_clobber gs://one-bucket/piped gs://two-bucket/kept
expect 0 '' 'skipped 1 that are there' cp --no_clobber gs://one-bucket/dir/data gs://two-bucket/kept
expect 0 '' 'skipped 1 that are there' cp --no_clobber - gs://two-bucket/kept
check cmp "$work/data" <("$bin/gcsflux" cat gs://two-bucket/kept)

# A copy whose answer is lost is found.
faults=$STORAGE_EMULATOR_HOST/_emulator/faults
for flag in --no_clobber --nono_clobber; do
  check curl --silent --fail -T - -o /dev/null "$faults" <<<'{"rules": [{"name": "lost",
    "match": {"operation": "storage.objects.rewrite"}, "action": {"type": "loseAnswer"}, "limits": {"count": 1}}]}'
  expect 0 '' '' cp "$flag" gs://one-bucket/dir/data "gs://two-bucket/lost$flag"
  check grep -q '"fired":1' <(curl --silent --fail "$faults")
  check cmp "$work/data" <("$bin/gcsflux" cat "gs://two-bucket/lost$flag")
done

# Listings and metadata
expect 0 '^gs://one-bucket/dir/$' '' ls gs://one-bucket
expect 0 '^gs://one-bucket/dir/data$' '' ls --recursive gs://one-bucket
expect 0 '^ +300000  20[0-9-]+T[0-9:]+Z  [0-9]+  gs://one-bucket/dir/data$' '' ls --long gs://one-bucket/dir/
expect 0 '^\{"uri":"gs://one-bucket/dir/data","size":300000,"generation":[0-9]+,"crc32c":"[0-9a-f]{8}","storageClass":"STANDARD","updated":"20[0-9-]+T[0-9:]+Z"\}$' \
  '' ls --json gs://one-bucket/dir/
expect 0 '^\{"directory":"gs://one-bucket/dir/"\}$' '' ls --json gs://one-bucket
expect 0 '^\{"bucket":"gs://one-bucket"\}$' '' ls --json
expect 0 '^3 objects  300012 bytes  gs://one-bucket$' '' ls --count gs://one-bucket
expect 0 '^\{"prefix":"gs://one-bucket/dir/","objects":2,"bytes":300000\}$' '' ls --count --json gs://one-bucket/dir/
expect 0 '^0 objects' '' ls --count gs://one-bucket/none
expect 1 '' 'nothing is stored' ls --recursive gs://one-bucket/none
expect 0 '' '' cp "$work/empty" 'gs://one-bucket/a "quoted" \name'
expect 0 '"uri":"gs://one-bucket/a \\"quoted\\" \\\\name"' '' ls --json gs://one-bucket/a
expect 0 '' '' rm 'gs://one-bucket/a "quoted" \name'
expect 0 'content type: +text/plain' '' stat gs://one-bucket/piped
expect 0 'crc32c: +[0-9a-f]{8}$' '' stat gs://one-bucket/piped
expect 1 '' 'nothing is stored' ls gs://one-bucket/none

# A large bucket: in order, in any order, as a sum, and for a reader that disconnects
"$bin/gcsflux" ls --recursive gs://many >"$work/names"
check test "$(wc -l <"$work/names")" -eq 30000
check env LC_ALL=C sort --check=silent --unique "$work/names"
check cmp "$work/names" <("$bin/gcsflux" ls --recursive --as_found gs://many | LC_ALL=C sort)
check cmp "$work/names" <("$bin/gcsflux" ls --recursive --json gs://many | sed 's/^{"uri":"//; s/",.*//')
expect 0 '^30000 objects  300000 bytes  gs://many$' '' ls --count gs://many
check test "$("$bin/gcsflux" ls --recursive gs://many 2>/dev/null | head -n 1)" = "$(head -n 1 "$work/names")"

# Refusals
expect 0 '' 'skipped 1 that are there' cp --no_clobber "$work/data" gs://one-bucket/piped
expect 0 '' 'skipped 1 that are there' cp --no_clobber gs://one-bucket/piped "$work/back"
expect 1 '' 'objects.get gs://one-bucket/none \[0, 1048576\).*404.*check the name' cat gs://one-bucket/none
expect 1 '' '404' ls gs://no-such-bucket
expect 1 '' "cannot open '/nonexistent/file': No such file" cp /nonexistent/file gs://one-bucket/x
expect 1 '' 'is a directory' cp "$work/into" gs://one-bucket/x
expect 1 '' "cannot create" cp gs://one-bucket/piped /nonexistent/dir/file
expect 1 '' '409.*not empty' rm gs://one-bucket
expect 1 '' 'connection refused' ls gs://one-bucket --endpoint=http://127.0.0.1:1 --list_retry_deadline_s=0.1
check test ! -e "$work/.back.gcsflux-partial"
check cmp "$work/data" "$work/back"

# Wrong usage
expect 2 '' 'a command is missing'
expect 2 '' "no command 'move'; did you mean 'mv'" move a b
expect 2 '' 'usage: gcsflux cp SOURCE... DESTINATION' cp one
expect 2 '' 'unknown flag --nonsense' ls --nonsense
expect 2 '' 'needs a value' ls --endpoint
expect 2 '' 'type double' ls --list_retry_deadline_s=soon
expect 2 '' 'upload_retry_multiplier' ls --upload_retry_multiplier=0.5
expect 2 '' 'download_retry_jitter.*from 0 to 1' ls --download_retry_jitter=2
expect 2 '' 'pace_throttled' ls --pace_throttled=hope
expect 2 '' 'max_concurrency' ls --recursive --list_max_concurrency=0 gs://many
expect 2 '' 'max_concurrency.*from 1' ls --max_concurrency=0
expect 2 '' 'upload_chunk_bytes.*from 1' ls --upload_chunk_bytes=0
expect 2 '' 'not a gs:// URI' ls s3://bucket
expect 2 '' 'names a bucket' cat gs://one-bucket
expect 2 '' 'names an object' mb gs://one-bucket/x
expect 2 '' 'neither' cp a b
expect 2 '' 'has no name' cp - gs://one-bucket
expect 2 '' 'without a path' ls --endpoint=http://host/path

# Help
expect 0 '^Commands:' '' --help
expect 0 '^gcsflux [0-9]*\.[0-9]*\.[0-9]*$' '' --version
expect 0 '^gcsflux [0-9]*\.[0-9]*\.[0-9]*$' '' version
expect 0 '^Commands:' '' help
for command in mb ls du cp mv sync cat stat rm clean; do expect 0 "^gcsflux $command " '' help "$command"; done
for command in mb ls du cp mv sync cat stat rm clean; do expect 0 "^gcsflux $command " '' "$command" --help; done

# Removal
expect 0 '' '' rm gs://one-bucket/piped
expect 0 '' '' rm --recursive gs://one-bucket/dir
expect 1 '' 'nothing is stored' rm --recursive gs://one-bucket/dir
expect 0 '' '' rm gs://one-bucket
expect 0 '^gs://two-bucket$' '' ls

# The emulator ends cleanly on SIGTERM.
kill -TERM "$emulator_pid"
wait "$emulator_pid"
check test $? -eq 0
emulator_pid=
echo "$passed checks passed"
