#!/usr/bin/env bash
# Google's Node.js client against gcsflux-emulator: tests/clients/node/run.sh BIN_DIR
set -euo pipefail
cd "$(dirname "$0")"
missing=77  # which CTest shows as skipped; under CI a missing client is a failure
if ! command -v node >/dev/null || ! [ -d node_modules/@google-cloud/storage ]; then
  echo "Node.js or its client of Cloud Storage is not installed: see scripts/test"
  [ -n "${CI:-}" ] && exit 1
  exit "$missing"
fi
EMULATOR=$1/gcsflux-emulator exec node --test client_test.mjs
