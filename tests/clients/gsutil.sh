#!/usr/bin/env bash
# gsutil, by the JSON API, against gcsflux-emulator: tests/clients/gsutil.sh BIN_DIR ENVIRONMENT
# It speaks only TLS, so the emulator does.
set -uo pipefail
bin=$1
environment=$2
source "$(dirname "$0")/common.sh"
"$(dirname "$0")/python/environment.sh" "$environment" || exit
command -v openssl >/dev/null || missing "openssl is not installed: see scripts/setup"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 \
  -keyout "$work/key.pem" -out "$work/certificate.pem" 2>/dev/null
start_emulator --tls_cert="$work/certificate.pem" --tls_key="$work/key.pem"
unset https_proxy HTTPS_PROXY CLOUDSDK_CORE_PASS_CREDENTIALS_TO_GSUTIL

cat >"$work/boto" <<CONFIGURATION
[Credentials]
gs_json_host = 127.0.0.1
gs_json_port = ${endpoint##*:}
[Boto]
https_validate_certificates = False
num_retries = 2
[GSUtil]
prefer_api = json
default_project_id = test
software_update_check_period = 0
state_dir = $work/state
resumable_threshold = 8388608
CONFIGURATION
export BOTO_CONFIG=$work/boto
gs() { "$environment/bin/gsutil" -q "$@"; }

mkdir -p "$work/source/sub dir"
for name in a b "sub dir/c" "ünïcode + 100% #&=.txt"; do printf 'content of %s\r' "$name" >"$work/source/$name"; done
: >"$work/source/empty"
head -c 12000001 /dev/urandom >"$work/source/large.bin"

check gs mb gs://one
check gs -m cp -r "$work/source/*" gs://one/base
check same "$(gs ls 'gs://one/**' | wc -l)" 6
check gs -m cp -r gs://one/base "$work"
check diff -r "$work/source" "$work/base"
check cmp <(head -c 2000 "$work/source/large.bin" | tail -c 1001) <(gs cat -r 999-1999 gs://one/base/large.bin)
check same "$("$environment/bin/gsutil" rsync -r -n "$work/source" gs://one/base 2>&1 | grep -c '^Would copy')" 0

check gs cp gs://one/base/a gs://one/copy
check gs mv gs://one/copy gs://one/moved
check same "$(gs cat gs://one/moved)" "$(printf 'content of a\r')"
check fails gs ls gs://one/copy
check gs compose gs://one/base/a gs://one/base/b gs://one/composed
check same "$(gs cat gs://one/composed)" "$(printf 'content of a\rcontent of b\r')"
check gs setmeta -h Content-Type:text/css -h x-goog-meta-color:red gs://one/moved
check grep -q text/css <("$environment/bin/gsutil" stat gs://one/moved)  # -q would say nothing
check fails gs -h x-goog-if-generation-match:0 cp "$work/source/b" gs://one/moved
check gs -h x-goog-if-generation-match:0 cp "$work/source/b" gs://one/new

check gs versioning set on gs://one
check gs cp "$work/source/b" gs://one/base/a
check same "$(gs ls -a gs://one/base/a | wc -l)" 2
check gs -m rm -r gs://one/base
check same "$(gs ls 'gs://one/base/**' 2>/dev/null)" ""
check gs -m rm -a -r gs://one
check same "$(gs ls)" ""

# The second request with bytes of a session fails once.
check gs mb gs://two
curl -sfk -X PUT "$endpoint/_emulator/faults" -d '{"rules": [{"name": "once", "match": {"phase": "final", "nth": 1},
  "action": {"type": "failUpload", "status": 503, "afterBytes": 1048576}}]}' >"$work/plan"
check gs cp "$work/source/large.bin" gs://two/resumed
check grep -q '"fired":1' <(curl -sfk "$endpoint/_emulator/faults")
check cmp "$work/source/large.bin" <(gs cat gs://two/resumed)

stop_emulator
echo "$passed checks passed"
