#!/usr/bin/env bash
# A client of the environment against gcsflux-emulator: tests/clients/python/run.sh BIN_DIR ENVIRONMENT CLIENT
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
"$here/environment.sh" "$2" || exit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
unset http_proxy HTTP_PROXY "${!AWS_@}" GOOGLE_APPLICATION_CREDENTIALS
EMULATOR=$1/gcsflux-emulator PYTHONDONTWRITEBYTECODE=1 "$2/bin/python" "$here/$3_test.py"
