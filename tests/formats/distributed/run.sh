#!/usr/bin/env bash
# PyTorch of PyPI against gcsflux, by processes of gloo: tests/formats/distributed/run.sh GCSFLUX ENVIRONMENT
# A newcomer's test run does not fetch 4 GB: it is skipped outside of CI, unless the environment is there.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [[ ! -d $2 && -z ${CI:-} ]]; then
  echo "skipped: it needs PyTorch of PyPI, 4 GB; set CI to install that into $2"
  exit 77
fi
PIP_NO_DEPS=1 "$here/../../clients/python/environment.sh" "$2" "$here/requirements.txt" || exit
export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 CUDA_VISIBLE_DEVICES=
"$2/bin/python" "$here/distributed_interop.py" "$1" 2 4
