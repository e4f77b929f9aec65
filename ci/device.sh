#!/usr/bin/env bash
# Runs the device tests and the device benchmark where there is a CUDA device; without one they say why they are skipped.
#
#   ci/device.sh                  from the source tree: the programs of ./build, or of $GOLDENTRACE_DEVICE_BUNDLE
#   <bundle>/device.sh            from a bundle (`make device-bundle`), on a machine that has nothing but a driver,
#                                 and LibTorch (found through python3) for the programs that need it
#   device.sh --sanitize          besides that: the tests under compute-sanitizer, where the toolkit has it
#
# Under 5 minutes. Prints what it ran; benchmark figures are Markdown rows for bench/README.md. Exit 0: nothing failed.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)

if [ -d "$here/programs" ]; then
  bundle=$here
else
  bundle=${GOLDENTRACE_DEVICE_BUNDLE:-$here/../build/device-bundle}
  [ -d "$bundle/programs" ] || { echo "device.sh: no bundle at $bundle; run 'make device-bundle'" >&2; exit 2; }
fi
torch_lib=$(python3 -c 'import importlib.util as u; print(u.find_spec("torch").submodule_search_locations[0] + "/lib")' 2>/dev/null)

# Libraries of the bundle first; the driver is found by the system's own search. Where the system's C library is older
# than the one that the programs were built with, the bundle's own loader is used.
start() {
  local program=$bundle/programs/$1
  shift
  local path=$bundle/libraries${torch_lib:+:$torch_lib}
  if LD_LIBRARY_PATH=$path "$program" --gtest_list_tests >/dev/null 2>&1 || [ ! -x "$bundle/loader/ld-linux-x86-64.so.2" ]; then
    LD_LIBRARY_PATH=$path "${before[@]}" "$program" "$@"
  else
    "${before[@]}" "$bundle/loader/ld-linux-x86-64.so.2" --library-path "$bundle/loader:$path" "$program" "$@"
  fi
}

failures=0
step() {
  local words=$1 seconds=$2
  shift 2
  before=(timeout --signal=KILL "$seconds" "${wrapper[@]}")
  local began=$SECONDS
  echo "=== $words"
  start "$@"
  local status=$?
  echo "=== $words: exit $status, $((SECONDS - began)) s"
  [ "$status" -eq 0 ] || failures=$((failures + 1))
}

wrapper=()
for program in "$bundle"/programs/test_*; do
  case $(basename "$program") in
    test_device) step "device tests" 120 test_device --gtest_brief=0 ;;
    *) if [ -n "$torch_lib" ]; then
         step "$(basename "$program")" 90 "$(basename "$program")"
       else
         echo "=== $(basename "$program"): skipped: no LibTorch here"
       fi ;;
  esac
done
step "device benchmark" 90 bench_device

if [ "${1:-}" = --sanitize ]; then
  if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck; do
      wrapper=(compute-sanitizer --tool "$tool" --error-exitcode 9)
      step "$tool" 200 test_device --gtest_filter='DeviceFingerprint.NonFiniteElements:DeviceCompare.SameBitsOnEveryRun:DeviceCompare.Shuffle*'
    done
  else
    echo "=== sanitize: skipped: no compute-sanitizer here"
  fi
fi
[ "$failures" -eq 0 ] && echo "device.sh: nothing failed" || echo "device.sh: $failures failed"
[ "$failures" -eq 0 ]
