#!/usr/bin/env bash
# The Debian packages that cpack makes of a build: what is in them, what they need, and that a program builds with them.
#   tests/install/packages.sh BUILD_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
work=$build-packages
root=$work/root  # Where the packages are unpacked.
rm -rf "$work"
mkdir -p "$root"
step=
trap 'echo "packages: $step: line $LINENO failed" >&2' ERR
fail() { echo "packages: $step: $*" >&2; exit 1; }
begin() { step=$1; printf '%3d s  %s\n' "$SECONDS" "$1"; }
quiet() { "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "$1 failed"; }; }
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
# package NAME: its file.
package() { echo "$work/made/$1"_*.deb; }
field() { dpkg-deb -f "$(package "$1")" "$2"; }

begin "cpack makes three packages"
quiet cpack --config "$build/CPackConfig.cmake" -B "$work/made"
names=$(cd "$work/made" && ls ./*.deb | sed 's,^./,,; s/_.*//' | LC_ALL=C sort)
[ "$names" = "$(printf 'gcsflux\ngcsflux-emulator\nlibgcsflux-dev')" ] || fail "they are: $names"
for name in $names; do
  dpkg-deb -x "$(package "$name")" "$root"
  dpkg-deb -c "$(package "$name")" | sed 's/ -> .*//; s/.* \.\///' >"$work/$name.files"
done

begin "each has its files, and no other package has them"
# has NAME FILE...
has() {
  local name=$1 file
  shift
  for file; do grep -qxE "$file" "$work/$name.files" || fail "$name has no $file"; done
}
has gcsflux usr/bin/gcsflux usr/bin/gcsflux-run-ranks usr/share/man/man1/gcsflux.1 usr/share/doc/gcsflux/copyright \
  usr/bin/gcsflux-conformance 'usr/share/gcsflux/retry_tests/.*\.json' \
  usr/share/bash-completion/completions/gcsflux usr/share/fish/vendor_completions.d/gcsflux.fish
has gcsflux-emulator usr/bin/gcsflux-emulator usr/share/doc/gcsflux-emulator/copyright \
  usr/lib/systemd/system/gcsflux-emulator.service
has libgcsflux-dev usr/include/gcsflux/client.h usr/include/gcsflux/emulator/gtest.h 'usr/lib/.*libgcsflux_client\.a' \
  'usr/lib/.*/gcsfluxConfig\.cmake' 'usr/lib/.*/gcsflux-client\.pc' usr/share/doc/gcsflux/building.md \
  usr/share/doc/gcsflux/examples/quickstart.cc usr/share/doc/gcsflux/LICENSE usr/share/doc/libgcsflux-dev/copyright
twice=$(cat "$work"/*.files | grep -v '/$' | sort | uniq -d)
[ -z "$twice" ] || fail "in two packages: $twice"

begin "their dependencies are those that they link, and are installed here"
for name in gcsflux gcsflux-emulator; do
  [ "$(field "$name" Architecture)" = "$(dpkg --print-architecture)" ] || fail "architecture of $name"
  for needed in libc6 libssl3; do
    field "$name" Depends | grep -q "\<$needed\>" || fail "$name does not depend on $needed: $(field "$name" Depends)"
  done
done
field gcsflux Depends | grep -q '\<libcurl4\>' || fail "gcsflux does not depend on libcurl4"
! field gcsflux-emulator Depends | grep -q 'libcurl\|libtorch' || fail "the emulator depends on the client's libraries"
# What links the static libraries needs the packages that CMake looks for: those of scripts/packages.txt.
for needed in $(field libgcsflux-dev Depends | tr -d ','); do
  grep -q "^$needed " "$here/../../scripts/packages.txt" || fail "scripts/packages.txt has no $needed"
done
quiet dpkg --dry-run --install "$work"/made/*.deb  # It fails if a dependency is not installed.

begin "dpkg installs and removes them"
if [ "$(id -u)" -eq 0 ]; then
  installed=$work/installed
  mkdir -p "$installed/var/lib/dpkg/info" "$installed/var/lib/dpkg/updates"
  touch "$installed/var/lib/dpkg/status"
  # An empty system: the dependencies are not there.
  quiet dpkg --root="$installed" --force-depends --log=/dev/null --install "$work"/made/*.deb
  [ "$(dpkg --root="$installed" -l | grep -c '^ii .*gcsflux')" -eq 3 ] || fail "$(dpkg --root="$installed" -l)"
  "$installed/usr/bin/gcsflux" --version >/dev/null
  quiet dpkg --root="$installed" --log=/dev/null --remove gcsflux gcsflux-emulator libgcsflux-dev
  [ ! -e "$installed/usr/bin/gcsflux" ] || fail "it is still there"
fi

begin "a newcomer's programs build with them, and run"
for component in client flags emulator; do
  quiet cmake -S "$here/consumer" -B "$work/use_$component" -G Ninja -DWAY=package -DCOMPONENTS=$component \
    -DCMAKE_PREFIX_PATH="$root/usr" -DCMAKE_BUILD_TYPE="$(cached CMAKE_BUILD_TYPE)" \
    -DCMAKE_CXX_COMPILER="$(cached CMAKE_CXX_COMPILER)" -DCMAKE_CXX_FLAGS="$(cached CMAKE_CXX_FLAGS)"
  quiet cmake --build "$work/use_$component" -j1
  "$work/use_$component/use_$component" || fail "use_$component failed"
done

begin "the programs work from there"
coproc EMULATOR { exec "$root/usr/bin/gcsflux-emulator" --port=0; }
emulator=$EMULATOR_PID
trap 'kill "$emulator" 2>/dev/null || true' EXIT
read -r line <&"${EMULATOR[0]}"
export STORAGE_EMULATOR_HOST=${line##* } HOME=$work
"$root/usr/bin/gcsflux" mb gs://packaged
quiet "$root/usr/bin/gcsflux" doctor -q gs://packaged
[ "$("$root/usr/bin/gcsflux-run-ranks" 2 -- sh -c 'echo $RANK' | sort | tr '\n' ' ')" = "[0] 0 [1] 1 " ] || fail "ranks"

begin "the unit is one that systemd reads, and hardened"
if command -v systemd-analyze >/dev/null; then
  unit=$work/gcsflux-emulator.service
  sed "s,/usr/bin/,$root/usr/bin/," "$root/usr/lib/systemd/system/gcsflux-emulator.service" >"$unit"
  systemd-analyze verify --man=no "$unit" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
  ! grep -q gcsflux "$work/log" || fail "$(cat "$work/log")"
  # Of 100 (everything exposed); 20 and less are "OK" in systemd's words.
  quiet systemd-analyze security --offline=true --threshold=20 "$unit"
fi
begin "all passed"
rm -rf "$work"
