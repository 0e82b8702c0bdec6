#!/usr/bin/env bash
# PyTorch of PyPI against gcsflux, by processes of gloo: tests/formats/distributed/run.sh GCSFLUX ENVIRONMENT
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
PIP_NO_DEPS=1 "$here/../../clients/python/environment.sh" "$2" "$here/requirements.txt" || exit
export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 CUDA_VISIBLE_DEVICES=
"$2/bin/python" "$here/distributed_interop.py" "$1" 2 4
