#!/usr/bin/env bash
# libFuzzer on each reader of checkpoints, under the address and undefined-behaviour sanitizers: ci/fuzz.sh SECONDS.
# New inputs stay in build-fuzz/found; a finding is written there too and fails. Needs clang.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: ci/fuzz.sh SECONDS}
if ! command -v clang++ >/dev/null; then
  echo "clang++ not found: no libFuzzer" >&2
  exit 0
fi
targets=(safetensors pickle zip index)
cmake --preset fuzz >/dev/null
cmake --build build-fuzz --target "${targets[@]/#/fuzz_}"
for target in "${targets[@]}"; do
  found=build-fuzz/found/$target
  mkdir -p "$found"
  echo "--- $target, $seconds s"
  # 64 MiB and the file, for any one allocation; the sanitizer's own memory comes on top.
  build-fuzz/tests/fuzz_"$target" -max_total_time="$seconds" -malloc_limit_mb=64 -rss_limit_mb=1024 -timeout=10 \
    -print_final_stats=1 -artifact_prefix="$found/" -verbosity=0 "$found" tests/checkpoints/corpus/"$target"
done
