#!/usr/bin/env bash
# bundle_test.sh SOURCE BUILD: the bundle of the device tests, moved to an empty folder and started with an empty
# environment, finds all its libraries there, its programs start, and without a device they skip with a reason, exit 0.
set -euo pipefail
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "bundle_test: $*" >&2; exit 1; }

"$source/ci/device_bundle.sh" "$build" "$work/made"
mkdir "$work/elsewhere"
mv "$work/made" "$work/elsewhere/bundle"
cd "$work/elsewhere"

# Everything comes from the bundle: with its own loader no path outside it is left.
for program in bundle/programs/test_device bundle/programs/bench_device; do
  outside=$(env -i bundle/loader/ld-linux-x86-64.so.2 --inhibit-cache --library-path bundle/loader:bundle/libraries \
              --list "$program" | grep -v 'linux-vdso\|bundle/\|ld-linux' || true)
  [ -z "$outside" ] || fail "$program needs $outside"
done

run() { env -i PATH=/usr/bin:/bin bash bundle/device.sh > output 2>&1; }
run || { cat output; fail "exit $?"; }
cat output
grep -q '=== device tests: exit 0' output || fail "the device tests did not run"
grep -q '=== device benchmark: exit 0' output || fail "the benchmark did not run"
if grep -q 'Device: ' output; then exit 0; fi
grep -q '^skipped: ' output || fail "nothing says why it was skipped"
[ "$(grep -c 'OK \]' output)" -eq 0 ] || fail "a device test ran without a device"

# A program that fails makes the script fail.
printf '#!/bin/sh\nexit 3\n' > bundle/programs/test_device
if run; then fail "a failure was not reported"; fi
grep -q 'device.sh: 1 failed' output || { cat output; fail "a failure was not counted"; }
echo "bundle_test: passed"
