#!/usr/bin/env bash
# clang-tidy over every source file of a build folder: ci/tidy.sh build JOBS
set -euo pipefail
build=${1:?build folder}
command -v clang-tidy >/dev/null || { echo "clang-tidy is missing: apt-get install clang-tidy" >&2; exit 1; }
git ls-files '*.cpp' | xargs -P "${2:-2}" -n 4 clang-tidy -p "$build" --quiet --warnings-as-errors='*'
