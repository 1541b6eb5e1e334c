#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test; the last line counts them.
#
#   tests/run.sh [--quick] [--no-setup] [--no-sanitizers] [--jobs N]
#
#   --quick          release build, unit and lint tests only
#   --no-setup       do not call deploy/setup.sh first
#   --no-sanitizers  leave out the AddressSanitizer and ThreadSanitizer builds
#   --jobs N         parallel compilers and tests (default: number of processors)
#
# Exit status: 0 when every phase and every test passed.
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit 1
deps=${HYDRA_DEPS_DIR:-$root/build/deps}

usage() { sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

quick=no
with_setup=yes
sanitizers=yes
jobs=$(nproc)
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=yes ;;
    --no-setup) with_setup=no ;;
    --no-sanitizers) sanitizers=no ;;
    --jobs) jobs=${2:?--jobs wants a number}; shift ;;
    -h | --help) usage; exit 0 ;;
    *) echo "run: unknown option $1" >&2; usage >&2; exit 2 ;;
  esac
  shift
done

# Checkouts in different folders share compiler results: paths below the checkout are made relative,
# and GCC's precompiled header needs the two sloppiness flags that ccache documents for it.
export HOME=${HOME:-/root}
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
export CTEST_PARALLEL_LEVEL=$jobs CMAKE_BUILD_PARALLEL_LEVEL=$jobs
export PATH=$deps/tools/bin:$deps/proto-tools/node_modules/.bin:$PATH

results=$root/build/test-results
mkdir -p "$results"
rm -f "$results"/*.xml

started=$SECONDS
report=()
broken=()

clock() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# phase NAME COMMAND...: runs one step, keeps its wall time and whether it worked.
phase() {
  local name=$1 begun=$SECONDS outcome=ok
  shift
  printf '\n=== [%s] %s\n' "$(clock $((SECONDS - started)))" "$name"
  "$@" || outcome="FAILED (exit $?)"
  report+=("$(printf '%-34s %7s  %s' "$name" "$(clock $((SECONDS - begun)))" "$outcome")")
  printf '=== [%s] %s: %s\n' "$(clock $((SECONDS - started)))" "$name" "$outcome"
  [ "$outcome" = ok ] || { broken+=("$name"); return 1; }
}

# tests NAME FOLDER [CTEST ARGUMENTS]: one ctest run whose numbers go into the last line.
tests() {
  local name=$1 folder=$2
  shift 2
  phase "$name" ctest --test-dir "$folder" --output-on-failure --no-tests=error \
    --output-junit "$results/${name//[^a-z0-9]/-}.xml" "$@"
}

# sanitized_tests PRESET FOLDER...: torch-free build of those folders, then their tests.
sanitized_tests() {
  local preset=$1 folder targets=()
  shift
  for folder in "$@"; do targets+=("$folder/all"); done
  phase "$preset: configure" cmake --preset "$preset" --log-level=WARNING || return
  phase "$preset: build" cmake --build "build/$preset" --target "${targets[@]}" || return
  for folder in "$@"; do
    tests "$preset: $folder" "build/$preset/$folder" -LE 'lint|e2e|bench|soak|acceptance'
  done
}

run_release() {
  phase 'release: configure' cmake --preset release --log-level=WARNING || return
  phase 'release: build' cmake --build build/release || return
  tests 'release: unit and lint' build/release -L 'unit|lint'
  [ "$quick" = yes ] ||
    tests 'release: other tests' build/release -LE 'unit|lint|bench|soak|acceptance'
}

# Test folders of code that runs on several threads; a folder below a listed one is part of it.
threaded_folders() {
  find tests/unit/server tests/unit/client/cpp tests/integration \
    -name CMakeLists.txt -printf '%h\n' | sort |
    awk 'last == "" || index($0 "/", last "/") != 1 { print; last = $0 }'
}

run_sanitizers() {
  local threaded
  mapfile -t threaded < <(threaded_folders)
  export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1
  export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:suppressions=$PWD/tests/tsan.supp
  sanitized_tests asan tests
  sanitized_tests tsan "${threaded[@]}"
}

summarize() {
  printf '\n%-34s %7s  %s\n' phase time outcome
  printf '%s\n' "${report[@]}"
  [ ${#broken[@]} -eq 0 ] || printf 'Failed: %s\n' "${broken[@]}"
  printf 'Total time %s\n\n' "$(clock $((SECONDS - started)))"
  python3 tests/count_results.py "$results"
}

if [ "$with_setup" = no ] || phase setup bash deploy/setup.sh --test; then
  run_release
  if [ "$quick" = no ] && [ "$sanitizers" = yes ]; then run_sanitizers; fi
fi
summarize
counted=$?
[ "$counted" -eq 0 ] && [ ${#broken[@]} -eq 0 ]
