#!/usr/bin/env bash
# Builds the fuzz targets with clang and runs each for some seconds: tests/fuzz/run.sh BUILD_DIRECTORY [SECONDS]
# Exit status 77: clang or its libFuzzer is missing, so nothing was run.
set -euo pipefail
build=$(realpath -m "${1:?usage: tests/fuzz/run.sh BUILD_DIRECTORY [SECONDS]}")  # from where it is called
cd "$(dirname "$0")"
seconds=${2:-3}
mkdir -p "$build"

skip() { echo "fuzz: SKIPPED: $*"; exit 77; }

clang=$(command -v clang++ || command -v clang++-14) || skip "there is no clang++ (apt-get install clang libclang-rt-14-dev)"
echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' > "$build/probe.cc"
"$clang" -fsanitize=fuzzer,address,undefined "$build/probe.cc" -o "$build/probe" 2> "$build/probe.log" ||
  skip "$clang cannot link libFuzzer (apt-get install libclang-rt-14-dev): $(head -n 1 "$build/probe.log")"

launcher=$(command -v ccache || true)
CCACHE_BASEDIR=$(realpath ../..)
export CCACHE_BASEDIR CCACHE_NOHASHDIR=1  # clones share what they compile
cmake -S . -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$clang" -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" > "$build/configure.log" ||
  { cat "$build/configure.log" >&2; exit 1; }
ninja -C "$build" > "$build/build.log" || { tail -n 40 "$build/build.log" >&2; exit 1; }

# The build directory keeps the new inputs of a run, and the next run starts from them.
status=0
for program in "$build"/*_fuzz; do
  target=$(basename "$program" _fuzz)
  mkdir -p "$build/found/$target"
  log=$build/$target.log
  if "$program" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
       -artifact_prefix="$build/$target-" "$build/found/$target" "corpus/$target" > "$log" 2>&1; then
    echo "fuzz: $target: $(sed -n 's/^Done //p' "$log"), $(sed -n 's/^.* cov: \([0-9]*\) .*$/\1/p' "$log" | tail -n 1) edges"
  else
    echo "fuzz: $target FAILED:"
    tail -n 60 "$log"
    status=1
  fi
done
exit "$status"
