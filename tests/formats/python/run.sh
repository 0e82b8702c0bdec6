#!/usr/bin/env bash
# Python's own safetensors package against formats_tool: tests/formats/python/run.sh FORMATS_TOOL ENVIRONMENT
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
"$here/../../clients/python/environment.sh" "$2" "$here/requirements.txt" || exit
PYTHONDONTWRITEBYTECODE=1 "$2/bin/python" "$here/safetensors_interop.py" "$1"
