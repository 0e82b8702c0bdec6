#!/usr/bin/env bash
# The contract for a service that requires a token: without one, the cases that need it are skipped.
# tests/conformance/with_token.sh BIN_DIR
set -uo pipefail
bin=$1
work=$(mktemp -d)
emulator_pid=
cleanup() { [ -n "$emulator_pid" ] && kill "$emulator_pid" 2>/dev/null; rm -rf "$work"; }
trap cleanup EXIT

machine=machine@test.iam.gserviceaccount.com
cat >"$work/identity.json" <<CONFIG
{"service_accounts": [{"email": "$machine"}],
 "metadata_server": {"service_account": "$machine", "scopes": ["https://www.googleapis.com/auth/cloud-platform"]},
 "roles": [{"principal": "$machine", "bucket": "*", "role": "admin"}]}
CONFIG
coproc EMULATOR { exec "$bin/gcsflux-emulator" --port=0 --auth_config="$work/identity.json" --require_auth; }
emulator_pid=$EMULATOR_PID
read -r line <&"${EMULATOR[0]}"
endpoint=${line##* }

answer=$(curl -sf -H 'Metadata-Flavor: Google' "$endpoint/computeMetadata/v1/instance/service-accounts/default/token")
token=$(sed -n 's/.*"access_token": *"\([^"]*\)".*/\1/p' <<<"$answer")
[ -n "$token" ] || { echo "FAIL: the emulator gave no token: '$answer'"; exit 1; }
echo "$token" >"$work/token"

"$bin/gcsflux-conformance" --endpoint="$endpoint" --access_token_file="$work/token" >"$work/out" 2>"$work/err"
status=$?
grep -hv '^ok' "$work/out" "$work/err"
[ "$status" -eq 0 ] || { echo "FAIL: status $status"; exit 1; }
tail -n 1 "$work/out" | grep -q ' 0 skipped$' || { echo "FAIL: cases were skipped"; exit 1; }
for case in errors/AWrongTokenIs401 errors/NoTokenIs401; do
  grep -qx "ok *$case" "$work/out" || { echo "FAIL: $case did not run"; exit 1; }
done
grep -qF "$token" "$work/out" "$work/err" && { echo "FAIL: the token was printed"; exit 1; }
exit 0
