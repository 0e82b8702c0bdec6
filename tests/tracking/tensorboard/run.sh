#!/usr/bin/env bash
# TensorBoard of PyPI and protoc read what events_tool writes: tests/tracking/tensorboard/run.sh BIN_DIR ENVIRONMENT
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
"$here/../../clients/python/environment.sh" "$2" "$here/requirements.txt" || exit
command -v protoc >/dev/null || { echo "protoc is missing: scripts/setup test"; [ -n "${CI:-}" ] && exit 1; exit 77; }
unset http_proxy HTTP_PROXY GOOGLE_APPLICATION_CREDENTIALS
PYTHONDONTWRITEBYTECODE=1 "$2/bin/python" "$here/tensorboard_test.py" "$1"
