#!/usr/bin/env bash
# Uses gcsflux as other projects do: installed, as a subdirectory, fetched; static and shared.
#   tests/install/run.sh BUILD_DIR
# What it builds has the flags of BUILD_DIR. So the objects of BUILD_DIR serve for the library's own sources
# (objects_of_build.py): how they are built, linked and installed is tested here, not that they compile.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
work=$build-install  # beside BUILD_DIR, and the same each time
rm -rf "$work" "$work-shared" "$work-subdirectory"
mkdir -p "$work"
touch "$work/compiled"
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$source} CCACHE_NOHASHDIR=1
# A child of ninja must not wait for the jobs of a make above it.
unset MAKEFLAGS

cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
has_torch=false
[ ! -e "$build/libgcsflux_torch.a" ] || has_torch=true
has_images=false
[ ! -e "$build/libgcsflux_images.a" ] || has_images=true

step=
trap 'echo "install: $step: line $LINENO failed" >&2' ERR
fail() { echo "install: $step: $*" >&2; exit 1; }
# begin WHAT: names the next step, and reports the time of the previous ones.
begin() { step=$1; printf '%3d s  %s\n' "$SECONDS" "$1"; }
# quiet COMMAND...: shows the output only if it fails.
quiet() { "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "$1 failed"; }; }

flags=(-G Ninja -DCMAKE_BUILD_TYPE="$(cached CMAKE_BUILD_TYPE)" -DCMAKE_CXX_COMPILER="$(cached CMAKE_CXX_COMPILER)"
       -DCMAKE_CXX_FLAGS="$(cached CMAKE_CXX_FLAGS)" -DCMAKE_CXX_FLAGS_DEBUG="$(cached CMAKE_CXX_FLAGS_DEBUG)"
       -DGCSFLUX_WERROR="$(cached GCSFLUX_WERROR)")
launcher=$(cached CCACHE_PROGRAM)
[ -x "$launcher" ] || launcher=
[ -z "$launcher" ] || flags+=(-DCMAKE_CXX_COMPILER_LAUNCHER="$launcher")
# objects_for ROOT: the option by which a build of the sources at ROOT takes the objects of BUILD_DIR.
objects_for() {
  echo "-DCMAKE_CXX_COMPILER_LAUNCHER=$here/objects_of_build.py;$build;$1;$work/compiled${launcher:+;$launcher}"
}
# compiles_nothing ROOT: fails if a source of the library was compiled, although BUILD_DIR has its object.
compiles_nothing() {
  [ -e "$build/compile_commands.json" ] || return 0
  ! grep -F -e /joined/ -e "$1/sdk/" "$work/compiled" >&2 || fail "these sources were compiled again"
}

# consume PROJECT BUILD_DIR CMAKE_OPTION...: configures and builds a consumer, and runs its programs.
consume() {
  local project=$1 directory=$2 program
  shift 2
  quiet cmake -S "$here/$project" -B "$directory" "${flags[@]}" "$@"
  quiet cmake --build "$directory" -j2
  for program in $(find "$directory" -type f -perm -u+x -name '*use_*'); do
    "$program" || fail "${program##*/} failed"
  done
}
# without PACKAGE...: options under which CMake does not find them.
without() { local p; for p; do printf -- '-DCMAKE_DISABLE_FIND_PACKAGE_%s=ON\n' "$p"; done; }

begin "components alone, with only their own packages"
for component in client flags emulator torch images; do
  [ "$component" != torch ] || "$has_torch" || continue
  [ "$component" != images ] || "$has_images" || continue
  prefix=$work/only_$component
  case $component in client|emulator) parts=($component) ;; images) parts=(client torch images) ;; *) parts=(client $component) ;; esac
  for part in "${parts[@]}"; do quiet cmake --install "$build" --prefix "$prefix" --component "$part"; done
  case $component in
    client) strange=(Torch gflags nlohmann_json) ;;
    flags) strange=(Torch nlohmann_json) ;;
    emulator) strange=(Torch gflags nlohmann_json CURL simdjson boost_context tl-expected) ;;
    torch) strange=(nlohmann_json JPEG PNG) ;;
    images) strange=(nlohmann_json) ;;
  esac
  consume consumer "$work/alone_$component" -DWAY=package -DCOMPONENTS=$component -DCMAKE_PREFIX_PATH="$prefix" \
    $(without "${strange[@]}")
done

begin "a component that is not installed is named"
! cmake -S "$here/consumer" -B "$work/absent" "${flags[@]}" -DWAY=package -DCOMPONENTS='client;emulator' \
  -DCMAKE_PREFIX_PATH="$work/only_client" >"$work/log" 2>&1 || fail "it was found"
grep -q 'gcsflux was installed without component emulator' "$work/log" || fail "$(cat "$work/log")"

begin "everything installed, and its programs"
prefix=$work/prefix
quiet cmake --install "$build" --prefix "$prefix"
"$prefix/bin/gcsflux" --help > "$work/help"
grep -q '^Commands:' "$work/help"
version=$(sed -n 's/^project(gcsflux VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
for program in gcsflux gcsflux-emulator gcsflux-conformance; do
  [ "$("$prefix/bin/$program" --version)" = "$program $version" ] || fail "$program --version is not $version"
done
! grep -rnE "$source|$build|[\"; =](-[LI])?/[a-z]+/" "$prefix"/lib*/cmake "$prefix"/lib*/pkgconfig || fail "paths of this machine"

begin "components together, C++23, under -Werror -Wconversion, every header"
headers=$work/every_header.cc
(cd "$prefix/include" && find gcsflux -name '*.h' -not -path '*/torch/*' | sort | sed 's/.*/#include <&>/') >"$headers"
strict="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
consume consumer "$work/together" -DWAY=package -DCOMPONENTS='client;flags;emulator' -DCMAKE_PREFIX_PATH="$prefix" \
  -DALL_HEADERS="$headers" -DCMAKE_CXX_STANDARD=23 -DCMAKE_NO_SYSTEM_FROM_IMPORTED=ON \
  -DCMAKE_CXX_FLAGS="$(cached CMAKE_CXX_FLAGS) $strict"

begin "two consumers in one build, C++20"
consume two_consumers "$work/two_consumers" -DWAY=package -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_STANDARD=20

begin "pkg-config"
for component in client emulator; do
  pc=gcsflux-$component
  export PKG_CONFIG_PATH=$work/only_$component/lib/pkgconfig
  quiet "$(cached CMAKE_CXX_COMPILER)" -std=c++20 "$here/consumer/use_$component.cc" -o "$work/by_$pc" \
    $(pkg-config --cflags --libs "$pc")
  "$work/by_$pc" || fail "$pc failed"
done
unset PKG_CONFIG_PATH

begin "a subdirectory builds what is linked, and installs nothing"
directory=$work-subdirectory
first=OFF
! "$has_torch" || first=ON  # The project around gcsflux finds libtorch before gcsflux looks for it.
consume consumer "$directory" -DWAY=subdirectory -DGCSFLUX_SOURCE="$source" -DCOMPONENTS=emulator \
  -DFIND_TORCH_FIRST=$first "$(objects_for "$source")"
compiles_nothing "$source"
[ -z "$(find "$directory" -name 'libgcsflux_client.*')" ] || fail "gcsflux::client was built"
quiet cmake --install "$directory" --prefix "$work/nothing"
[ ! -e "$work/nothing" ] || fail "something was installed"
quiet cmake -S "$here/two_consumers" -B "$work/two_subdirectories" "${flags[@]}" -DWAY=subdirectory -DGCSFLUX_SOURCE="$source"

begin "FetchContent from a local clone"
clone=$work/clone
mkdir "$clone"
git -C "$source" ls-files -z --cached --others --exclude-standard |
  (cd "$source" && xargs -0 ls -d 2>/dev/null) | tar -C "$source" -c --no-recursion -T - | tar -C "$clone" -x
git -C "$clone" init -q -b main
git -C "$clone" add -A
git -C "$clone" -c user.name=test -c user.email=test@example.com commit -q -m "The files as they are"
component=client
! "$has_torch" || component=torch
consume consumer "$work/fetch" -DWAY=fetch -DGCSFLUX_SOURCE="$clone" -DCOMPONENTS=$component \
  -DFETCHCONTENT_BASE_DIR="$work/fetched" "$(objects_for "$work/fetched/gcsflux-src")"
compiles_nothing "$work/fetched/gcsflux-src"
[ -z "$(find "$work/fetch"* -name 'libgcsflux_emulator.*')" ] || fail "gcsflux::emulator was built"

begin "shared libraries show their own namespace, and no more"
quiet cmake -S "$source" -B "$work-shared" "${flags[@]}" -DGCSFLUX_SHARED=ON "$(objects_for "$source")"
quiet cmake --build "$work-shared" -j2
compiles_nothing "$source"
quiet cmake --install "$work-shared" --prefix "$work/shared"
for library in "$work"/shared/lib/libgcsflux_*.so; do
  # Not by grep -q, which ends before objdump has written all of its output: the pipe would fail.
  soname=$(objdump -p "$library" | awk '$1 == "SONAME" {print $2}')
  [ "$soname" = "${library##*/}.${version%.*}" ] || fail "$library has the soname '$soname'"
  strange=$(nm -DC --defined-only "$library" | cut -d' ' -f3- | awk '!/gcsflux::/' | head -n 3)
  [ -z "$strange" ] || fail "${library##*/} exports $strange"
done
components='client;flags;emulator'
! "$has_torch" || components+=';torch'
! "$has_images" || components+=';images'
consume consumer "$work/of_shared" -DWAY=package -DCOMPONENTS="$components" -DCMAKE_PREFIX_PATH="$work/shared" \
  $(without nlohmann_json simdjson pugixml boost_context CURL)

begin "done"
rm -rf "$work" "$work-shared" "$work-subdirectory"
