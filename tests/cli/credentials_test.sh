#!/usr/bin/env bash
# The credentials of the `gcsflux` command, against an emulator that requires them: tests/cli/credentials_test.sh BIN_DIR
set -uo pipefail
bin=$1
work=$(mktemp -d)
emulator_pid=
cleanup() { [ -n "$emulator_pid" ] && kill "$emulator_pid" 2>/dev/null; rm -rf "$work"; }
trap cleanup EXIT
# The test ignores the credentials of this machine.
unset STORAGE_EMULATOR_HOST CLOUD_STORAGE_EMULATOR_ENDPOINT CLOUD_STORAGE_TESTBENCH_ENDPOINT \
  GOOGLE_APPLICATION_CREDENTIALS CLOUDSDK_CONFIG GOOGLE_CLOUD_QUOTA_PROJECT
export HOME=$work/home GOOGLE_CLOUD_PROJECT=test GCE_METADATA_HOST=127.0.0.1:1

cat >"$work/identity.json" <<'EOF'
{"service_accounts": [{"email": "machine@test-project.iam.gserviceaccount.com"}],
 "authorized_users": [{"email": "person@example.com", "client_id": "client", "client_secret": "the-client-secret",
                       "refresh_token": "the-refresh-token"}],
 "metadata_server": {"service_account": "machine@test-project.iam.gserviceaccount.com"},
 "roles": [{"principal": "person@example.com", "bucket": "*", "role": "admin"},
           {"principal": "machine@test-project.iam.gserviceaccount.com", "bucket": "*", "role": "viewer"}]}
EOF
coproc EMULATOR { exec "$bin/gcsflux-emulator" --port=0 --auth_config="$work/identity.json" --require_auth; }
emulator_pid=$EMULATOR_PID
read -r line <&"${EMULATOR[0]}"
endpoint=${line##* }
[ -n "$endpoint" ] || { echo "FAIL: there is no emulator"; exit 1; }

user() {  # FILE TOKEN: what gcloud writes
  mkdir -p "$(dirname "$1")"
  cat >"$1" <<EOF
{"type": "authorized_user", "client_id": "client", "client_secret": "the-client-secret", "refresh_token": "$2",
 "token_uri": "$endpoint/token"}
EOF
}
user "$work/user.json" the-refresh-token
user "$work/revoked.json" another-refresh-token
user "$work/sdk/application_default_credentials.json" the-refresh-token
echo '{"type": "authorized_user", "client_secret": "the-client-secret"}' >"$work/broken.json"

passed=0
# expect STATUS REGEX ARGUMENT...: the regex is for both outputs; an empty one requires no output. Neither may contain
# a secret.
expect() {
  local status=$1 regex=$2
  shift 2
  "$bin/gcsflux" "$@" --endpoint="$endpoint" >"$work/out" 2>&1 </dev/null
  local got=$?
  local good=1
  [ "$got" -eq "$status" ] || good=0
  if [ -z "$regex" ]; then [ -s "$work/out" ] && good=0; else grep -qE -- "$regex" "$work/out" || good=0; fi
  if grep -qE 'the-client-secret|-refresh-token|ya29' "$work/out"; then good=0; fi
  if [ "$good" -eq 0 ]; then
    echo "FAIL: gcsflux $* (status $got, wanted $status)"; head -c 2000 "$work/out"; exit 1
  fi
  passed=$((passed + 1))
}

# By flag
expect 1 'buckets.list .*401.*--credentials' ls
expect 1 '401' ls --credentials=anonymous
expect 0 '' mb gs://one-bucket --credentials="$work/user.json"
expect 0 '^gs://one-bucket$' ls --credentials="$work/user.json"
curl --silent --data 'grant_type=refresh_token&client_id=client&client_secret=the-client-secret&refresh_token=the-refresh-token' \
  "$endpoint/token" | sed -n 's/.*"access_token": *"\([^"]*\)".*/\1/p' >"$work/token"
expect 0 '^gs://one-bucket$' ls --access_token_file="$work/token"
expect 2 'exclude each other' ls --access_token_file="$work/token" --credentials=adc
expect 1 "/token: 400 invalid_grant.*gcloud auth application-default login" ls --credentials="$work/revoked.json"
expect 1 "nonexistent.json' .*is not there" ls --credentials="$work/nonexistent.json"
expect 1 'is a directory' ls --credentials="$work"
expect 2 'broken.json.*client_id is missing' ls --credentials="$work/broken.json"

# Application Default Credentials, in their order
expect 1 "GOOGLE_APPLICATION_CREDENTIALS is not set; there is no $work/home/.config/gcloud/.*127.0.0.1:1/.*refused" \
  ls --credentials=adc
export GCE_METADATA_HOST=${endpoint#http://}
expect 1 'one-bucket.*403' rm gs://one-bucket --credentials=adc
export CLOUDSDK_CONFIG=$work/sdk
expect 0 '' rm gs://one-bucket --credentials=adc
export GOOGLE_APPLICATION_CREDENTIALS=$work/broken.json
expect 2 'broken.json. \(GOOGLE_APPLICATION_CREDENTIALS\).*client_id is missing' ls --credentials=adc
export GOOGLE_APPLICATION_CREDENTIALS=$work/user.json
expect 0 '' mb gs://two-bucket --credentials=adc
expect 1 '401' ls --credentials=anonymous

# An emulator that a variable names gets no credentials by default.
export STORAGE_EMULATOR_HOST=$endpoint
expect 1 '401' ls
expect 0 '^gs://two-bucket$' ls --credentials=adc
expect 0 '^  --credentials \(empty\)' ls --help_all
# A service account's key signs a URL on this machine.
key=$(openssl genrsa 2048 2>/dev/null | openssl pkcs8 -topk8 -nocrypt | sed ':a;N;$!ba;s/\n/\\n/g')
cat >"$work/key.json" <<EOF
{"type": "service_account", "client_email": "machine@test-project.iam.gserviceaccount.com", "private_key_id": "1",
 "private_key": "$key", "token_uri": "$endpoint/token"}
EOF
expect 0 '^http.*/bucket/a%20b\?.*X-Goog-Expires=600&.*X-Goog-Signature=[0-9a-f]+$' \
  sign -d 10m 'gs://bucket/a b' --credentials="$work/key.json"

echo "$passed checks passed"
