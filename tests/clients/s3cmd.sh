#!/usr/bin/env bash
# s3cmd, by the XML API, against gcsflux-emulator: tests/clients/s3cmd.sh BIN_DIR
set -uo pipefail
bin=$1
source "$(dirname "$0")/common.sh"
command -v s3cmd >/dev/null || missing "s3cmd is not installed: see scripts/setup"
start_emulator
unset http_proxy HTTP_PROXY

host=${endpoint#http://}
s3() {
  s3cmd --config=/dev/null --access_key=GOOGKEY --secret_key=secret --host="$host" --host-bucket="$host" --no-ssl \
    --region=auto --no-progress "${signature[@]}" "$@"
}
counted() { s3 ls --recursive "$1" | wc -l; }

mkdir -p "$work/source/sub dir/deep"
for ((i = 1; i <= 40; ++i)); do
  directory=$work/source
  ((i % 3 == 0)) && directory="$work/source/sub dir/deep"
  head -c $((i * 37)) /dev/urandom >"$directory/file $i.bin"
done
: >"$work/source/empty"
head -c 100000 /dev/urandom >"$work/source/ünïcode + 100% #&=.bin"
head -c 17000000 /dev/urandom >"$work/source/large.bin"  # in parts, from 15 MB on

for version in 2 4; do
  signature=()
  [ "$version" = 2 ] && signature=(--signature-v2)
  check s3 mb s3://one
  check s3 put --recursive "$work/source/" s3://one/base/
  check same "$(counted s3://one)" 43
  check s3 get s3://one/base/large.bin "$work/large.$version"
  check cmp "$work/source/large.bin" "$work/large.$version"
  check s3 sync s3://one/base/ "$work/back.$version/"
  check diff -r "$work/source" "$work/back.$version"
  check same "$(s3 sync --dry-run "$work/source/" s3://one/base/ 2>/dev/null | grep -c '^upload:')" 0

  check s3 put --add-header=x-amz-meta-color:red "$work/source/empty" s3://one/described
  check grep -q red <(s3 info s3://one/described)
  check s3 modify --add-header=Content-Type:text/css s3://one/described
  check grep -q text/css <(s3 info s3://one/described)

  check s3 setacl --acl-public s3://one/described
  check grep -q "anon\|AllUsers\|\*anon\*" <(s3 info s3://one/described)
  check s3 setacl --acl-private s3://one/described
  check fails grep -q anon <(s3 info s3://one/described)

  check s3 cp s3://one/base/large.bin s3://one/copy
  check s3 mv s3://one/copy s3://one/moved
  check s3 get --force s3://one/moved "$work/moved"
  check cmp "$work/source/large.bin" "$work/moved"
  check fails s3 info s3://one/copy

  check s3 del s3://one/moved
  check s3 del --recursive --force "s3://one/base/"
  check same "$(counted s3://one)" 1
  check s3 rb --recursive --force s3://one
done
stop_emulator
echo "$passed checks passed"
