#!/usr/bin/env bash
# Holds the includes to the table tests/layering/layers.txt, and docs/layers.svg too: tests/layering.sh PROJECT_ROOT
set -euo pipefail
cd "$1"
status=0
python3 -B tests/layering/layers.py . || status=1
scripts/layers_picture --check || status=1
exit $status
