#!/usr/bin/env bash
# Runs the examples of a page of the docs against a fresh emulator: tests/docs/run_page.sh BIN_DIR PAGE
#
# A block ```json becomes plan.json, and a block ```python NAME the file NAME. In a block ```console, "$ " starts a
# command, which continues while lines end in a backslash, and the rest is its output, where "..." stands for any text.
# The commands share one shell and an empty directory. After each block every rule of the plan that is loaded must have
# fired.
set -uo pipefail
bin=$(cd "$1" && pwd)
page=$(realpath "$2")
work=$(mktemp -d)
emulator_pid=
cleanup() { [ -n "$emulator_pid" ] && kill "$emulator_pid" 2>/dev/null; rm -rf "$work"; }
trap cleanup EXIT
mkdir "$work/here"
cd "$work/here" || exit 1
export PATH="$bin:$PATH" HOME="$work"

coproc EMULATOR { exec "$bin/gcsflux-emulator" --port=0; }
emulator_pid=$EMULATOR_PID
read -r line <&"${EMULATOR[0]}"
endpoint=${line##* }
address=${endpoint#http://}
[ -n "$address" ] || { echo "FAIL: no emulator"; exit 1; }

commands=0
command='' want='' line_number=0 command_line=0
fail() { echo "FAIL: $page:$command_line: $1"; exit 1; }

# Runs the collected command, and compares its output.
finish_command() {
  [ -n "$command" ] || return 0
  eval "${command//127.0.0.1:9000/$address}" >"$work/out" 2>&1 </dev/null
  local got pattern
  got=$(tr -d '\r' <"$work/out"; echo .)
  got=${got%.}
  [[ -z $got || $got == *$'\n' ]] || got+=$'\n'
  got=${got//$address/127.0.0.1:9000}
  pattern=$(printf '%s.' "$want" | sed -e 's/[][\\*?]/\\&/g' -e 's/\.\.\./*/g')
  pattern=${pattern%.}
  # shellcheck disable=SC2053  # a pattern it is
  [[ $got == $pattern ]] || fail "$command"$'\n'"printed: $got"$'\n'"wanted:  $want"
  commands=$((commands + 1))
  command='' want=''
}

check_fired() {
  local shown
  shown=$(curl -sf "$endpoint/_emulator/faults")
  [[ $shown != *'"fired":0'* ]] || fail "a rule did not fire: $shown"
}

block=''
while IFS= read -r text || [ -n "$text" ]; do
  line_number=$((line_number + 1))
  case "$block:$text" in
    ':```json') block=file file=plan.json; : >"$file" ;;
    ':```python '*) block=file file=${text#'```python '}; : >"$file" ;;
    ':```console') block=console ;;
    ':```'*) block=other ;;
    'console:```') finish_command; check_fired; block='' ;;
    *':```') block='' ;;
    file:*) printf '%s\n' "$text" >>"$file" ;;
    console:*)
      if [[ $command == *\\ ]]; then
        command=${command%\\}$text
      elif [[ $text == '$ '* ]]; then
        finish_command
        command=${text#'$ '} command_line=$line_number
      else
        want+=$text$'\n'
      fi ;;
  esac
done <"$page"
[ -z "$block" ] || fail "a block has no end"
[ "$commands" -ge 1 ] || fail "nothing was run"
echo "$commands commands"
