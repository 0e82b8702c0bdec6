# Shared by the tests of command line clients. Sourced by a script that has set `bin`, the directory of our
# programs, and gives start_emulator the emulator's flags: the client is to find it at $endpoint.
work=$(mktemp -d)
emulator_pid=
cleanup() { [ -n "$emulator_pid" ] && kill "$emulator_pid" 2>/dev/null; rm -rf "$work"; }
trap cleanup EXIT

start_emulator() {
  coproc EMULATOR { exec "$bin/gcsflux-emulator" --port=0 "$@"; }
  emulator_pid=$EMULATOR_PID
  read -r line <&"${EMULATOR[0]}"
  endpoint=${line##* }
}
stop_emulator() {
  kill -TERM "$emulator_pid"
  wait "$emulator_pid"
  check same $? 0
  emulator_pid=
}

# A missing client is skipped (77, as in CTest); under CI that is a failure.
missing() { echo "$1"; [ -n "${CI:-}" ] && exit 1; exit 77; }

passed=0
check() { "$@" >"$work/out" 2>&1 || { echo "FAIL: $*"; tail -n 20 "$work/out"; exit 1; }; passed=$((passed + 1)); }
fails() { ! "$@"; }
same() { [ "$1" = "$2" ] || { echo "got '$1', wanted '$2'"; return 1; }; }
