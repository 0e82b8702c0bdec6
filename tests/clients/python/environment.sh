#!/usr/bin/env bash
# Makes the environment with the clients of requirements.txt, or with what another such file says, unless it is there:
# tests/clients/python/environment.sh DIR [REQUIREMENTS]
# Exit status 77: that is not possible here (no venv, no network), which under CI is a failure.
set -uo pipefail
directory=$1
requirements=${2:-$(dirname "$0")/requirements.txt}
missing() { echo "$1"; [ -n "${CI:-}" ] && exit 1; exit 77; }

mkdir -p "$directory"
exec 9>"$directory/.lock"
flock 9  # tests run side by side
cmp -s "$requirements" "$directory/installed.txt" && exit 0

python=/usr/bin/python3  # another one may come first on PATH, and lack venv
"$python" -c 'import ensurepip' 2>/dev/null || python=python3
rm -rf "$directory/lib" "$directory/bin"
"$python" -m venv "$directory" >"$directory/log" 2>&1 || missing "python3 cannot make an environment: see scripts/setup test"
if ! "$directory/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 15 --requirement "$requirements" \
  >"$directory/log" 2>&1; then
  tail -n 3 "$directory/log"
  missing "what $requirements names cannot be installed from PyPI"
fi
cp "$requirements" "$directory/installed.txt"
