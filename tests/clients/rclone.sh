#!/usr/bin/env bash
# rclone, as people use it, against gcsflux-emulator: tests/clients/rclone.sh BIN_DIR
set -uo pipefail
bin=$1
source "$(dirname "$0")/common.sh"
command -v rclone >/dev/null || missing "rclone is not installed: see scripts/setup"
start_emulator

# Nothing of the user's own configuration, and no retry that could hide a failure.
export RCLONE_CONFIG=/dev/null RCLONE_GCS_ENDPOINT=$endpoint/storage/v1/ RCLONE_GCS_ANONYMOUS=true
export RCLONE_GCS_PROJECT_NUMBER=test RCLONE_RETRIES=1 RCLONE_LOW_LEVEL_RETRIES=1
unset "${!RCLONE_GCS_SERVICE_ACCOUNT@}" http_proxy HTTP_PROXY

count() { rclone lsf --recursive --files-only "$1" | wc -l; }
# How many requests of an operation were answered with a status.
answered() {
  curl -sf "$endpoint/_emulator/counters" |
    sed 's/},{/\n/g' | sed -n "s/.*\"operation\":\"$1\",\"status\":$2,\"requests\":\([0-9]*\),.*/\1/p"
}
# How many requests the journal has of a kind.
journal_count() { curl -sf "$endpoint/_emulator/journal" | sed 's/},{/\n/g' | grep -c "$1"; }

# 500 files: small, empty and large ones, in directories, with names that must be encoded.
mkdir -p "$work/source/sub dir/deep"
for ((i = 1; i <= 497; ++i)); do
  directory=$work/source
  ((i % 3 == 0)) && directory="$work/source/sub dir"
  ((i % 5 == 0)) && directory="$work/source/sub dir/deep"
  head -c $((i * 37 % 5000)) /dev/urandom >"$directory/file $i.bin"
done
: >"$work/source/empty"
head -c 100000 /dev/urandom >"$work/source/ünïcode + 100% #?&=.bin"
head -c 20000000 /dev/urandom >"$work/source/large.bin"  # above the size from which rclone uploads in chunks

check rclone mkdir :gcs:one
check rclone copy "$work/source" :gcs:one/base
check same "$(count :gcs:one)" 500
check same "$(journal_count '"phase":"chunk","bucket":"one","object":"base/large.bin"')" 1
check rclone check "$work/source" :gcs:one/base               # by hashes
check rclone check --download "$work/source" :gcs:one/base    # by bytes
check cmp "$work/source/large.bin" <(rclone cat :gcs:one/base/large.bin)
check cmp <(tail -c 1000 "$work/source/large.bin") <(rclone cat --tail 1000 :gcs:one/base/large.bin)

# Downloads, then changes in both directions.
check rclone sync :gcs:one/base "$work/back"
check diff -r "$work/source" "$work/back"
rm "$work/source/file 1.bin"
echo changed >"$work/source/sub dir/file 3.bin"
echo new >"$work/source/new"
check rclone sync "$work/source" :gcs:one/base
check rclone check "$work/source" :gcs:one/base
check same "$(count :gcs:one)" 500
check same "$(rclone cat ':gcs:one/base/sub dir/file 3.bin')" changed
inserted=$(answered storage.objects.insert 200)
check rclone sync "$work/source" :gcs:one/base
check same "$(answered storage.objects.insert 200)" "$inserted"  # nothing to do

# A copy from bucket to bucket: no bytes are downloaded.
downloaded=$(answered storage.objects.get 200)
check rclone mkdir :gcs:two
check rclone copy :gcs:one/base :gcs:two/copy
check same "$(answered storage.objects.insert 200)" "$inserted"
check same "$(answered storage.objects.get 200)" "$downloaded"
check rclone check :gcs:one/base :gcs:two/copy
check rclone check --download "$work/source" :gcs:two/copy
check rclone moveto :gcs:two/copy/new :gcs:two/moved
check same "$(rclone cat :gcs:two/moved)" new

# rclone reads an object that gcsflux has sent as parts and committed by a compose, and verifies its CRC32C; and vice versa.
export STORAGE_EMULATOR_HOST=$endpoint
from_pipe() { "$bin/gcsflux" cp --part_bytes=5242880 - gs://two/parts/large.bin <"$work/source/large.bin"; }
check from_pipe
check same "$(journal_count '"phase":"part"')" 4
mkdir "$work/parts" && cp "$work/source/large.bin" "$work/parts/"
check rclone check "$work/parts" :gcs:two/parts
check rclone check --download "$work/parts" :gcs:two/parts
check rclone copyto "$work/source/large.bin" :gcs:two/of-rclone
check cmp "$work/source/large.bin" <("$bin/gcsflux" cat gs://two/of-rclone)
check same "$(count :gcs:two/gcsflux-uploads)" 0

check rclone purge :gcs:two
check rclone purge :gcs:one
check same "$(rclone lsd :gcs:)" ""

stop_emulator
echo "$passed checks passed"
