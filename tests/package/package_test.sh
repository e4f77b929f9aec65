#!/usr/bin/env bash
# The installed package: a consumer's project finds it, its own recording and the recording of its unchanged program
# have the same layers, and nothing installed names the folders it was built in.
# usage: package_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1
build_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "package_test: $*" >&2; exit 1; }

cmake --install "$build_dir" --prefix "$work/prefix" >/dev/null
if grep -rlF -e "$build_dir" -e "$source_dir/" "$work/prefix/lib/cmake" "$work/prefix/include"; then
  fail "installed files name folders of the build"
fi

cmake -G Ninja -S "$source_dir/examples/record_your_model" -B "$work/example" -DCMAKE_PREFIX_PATH="$work/prefix" \
      ${TORCH_ROOT:+-DTORCH_ROOT="$TORCH_ROOT"} >/dev/null
cmake --build "$work/example" >/dev/null

cd "$work/example"
gtrace=$work/prefix/bin/gtrace
./recorded recorded.h5
"$gtrace" record -o plain.h5 -- ./plain
"$gtrace" diff recorded.h5 plain.h5 || fail "the two recordings are not the same (exit $?)"
[ "$("$gtrace" show --json recorded.h5 | grep -c '"up"')" -gt 0 ] || fail "no layer 'up' in the trace"
echo "1 passed, 0 failed"
