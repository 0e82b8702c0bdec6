#!/usr/bin/env bash
# The layer rules of docs/architecture.md, checked on the includes: tests/layering.sh PROJECT_ROOT
set -euo pipefail
cd "$1"
status=0

# forbid WHY INCLUDE_REGEX FILE...: none of the files may include a header that matches.
forbid() {
  local why=$1 regex=$2 hits
  shift 2
  [ $# -gt 0 ] || return 0
  if hits=$(grep -nE "^\s*#\s*include\s+[<\"]($regex)" "$@"); then
    printf 'layering: %s\n%s\n' "$why" "$hits"
    status=1
  fi
}
files() { find "$@" -type f \( -name '*.h' -o -name '*.cc' \) 2>/dev/null | sort; }
files_without() { local pattern=$1; shift; files "$@" | grep -vE "$pattern" || true; }

# Upward includes. Directories of sdk/src from the lowest layer up; "a b" share one. Of layer 3, client takes its tokens
# from auth, and auth knows no client.
layers=("base" "events http" "wire retry" "auth" "client" "transfer formats" "dataset" "torch")
for ((low = 0; low < ${#layers[@]}; ++low)); do
  above=$(printf '%s ' "${layers[@]:low+1}" | tr -s ' ' '|')
  above=${above%|}
  for directory in ${layers[low]}; do
    [ -z "$above" ] || forbid "sdk/src/$directory includes a layer above it" "($above)/" $(files "sdk/src/$directory")
  done
done
forbid "sdk/src/formats is pure: it includes nothing but base" \
  '(events|http|wire|retry|auth|client|transfer|dataset|torch)/' $(files sdk/src/formats)
forbid "the flow-control layer knows no wire format" 'wire/' $(files sdk/src/retry)

# Third parties, each where it belongs.
forbid "curl belongs to sdk/src/http" 'curl/' $(files_without '^sdk/src/http/' sdk)
forbid "JSON belongs to sdk/src/wire and sdk/src/auth" 'nlohmann/' $(files_without '^sdk/src/(wire|auth)/' sdk)
forbid "fast JSON belongs to sdk/src/wire/listed_page" 'simdjson' $(files_without '^sdk/src/wire/listed_page' sdk)
forbid "XML belongs to sdk/src/wire" 'pugixml' $(files_without '^sdk/src/wire/' sdk)
forbid "OpenSSL belongs to sdk/src/auth, but for a hash" 'openssl/' $(files_without '^sdk/src/(auth/|base/sha256)' sdk)
forbid "zlib belongs to sdk/src/client/gunzip" 'zlib' $(files_without '^sdk/src/client/gunzip' sdk)
forbid "httplib belongs to the emulator's network" 'httplib' $(files_without '^emulator/src/network/' sdk emulator conformance)
forbid "gflags belongs to sdk/src/flags and to programs" 'gflags/' $(files_without '^(sdk/src/flags|sdk/cli)/' sdk)
forbid "torch belongs to L5" '(torch|ATen|c10|caffe2)/' $(files_without '/torch/' sdk) $(files emulator conformance)
forbid "a public header names a third party" '(curl|nlohmann|simdjson|pugixml|httplib|gflags|openssl|isa-l)' \
  $(files sdk/include emulator/include)

# The emulator is an independent oracle.
forbid "sdk/ includes the emulator" '(gcsflux/emulator|emulator/|conformance/)' $(files sdk)
forbid "the emulator includes the SDK" 'gcsflux/[^e]' $(files emulator)
inside='base/|http/|wire/|retry/|client/|transfer/|dataset/|store/|network/|json_api/|faults/'
forbid "the contract's runner includes the SDK or the emulator's inside" "(gcsflux/([^e]|e[^m])|$inside)" \
  $(files_without '^conformance/src/retry_tests/' conformance)
forbid "the retry tests include the emulator, or the SDK's inside" "(gcsflux/emulator|$inside)" $(files conformance/src/retry_tests)
exit $status
