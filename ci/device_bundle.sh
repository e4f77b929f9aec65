#!/usr/bin/env bash
# device_bundle.sh BUILD OUT: packs the device tests and the device benchmark of the build folder BUILD with the shared
# libraries they need into OUT, for ci/device.sh. Left out: the driver, and LibTorch with the CUDA libraries it brings.
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: device_bundle.sh BUILD OUT" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
out=$2

rm -rf "$out"
mkdir -p "$out/programs" "$out/libraries" "$out/loader"
cp "$here/device.sh" "$out/"
cp "$build/tests/test_device" "$build/bin/bench_device" "$out/programs/"
for program in "$build"/tests/test_*_device; do
  [ -x "$program" ] && cp "$program" "$out/programs/"
done

# name => path, for what the dynamic linker finds
needed() { ldd "$out"/programs/* | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u; }
for library in $(needed); do
  case $(basename "$library") in
    libcuda.so* | libnvidia-*) ;;
    libtorch* | libc10* | libshm* | libgomp-* | libcudart* | libcupti* | libcublas* | libcudnn* | libcufft* | libcufile*) ;;
    libcurand* | libcusolver* | libcusparse* | libnccl* | libnvrtc* | libnvJitLink* | libnvToolsExt* | libnvshmem*) ;;
    libc.so* | libm.so* | libpthread.so* | libdl.so* | librt.so* | libresolv.so*) cp -L "$library" "$out/loader/" ;;
    *) cp -L "$library" "$out/libraries/" ;;
  esac
done
loader=$(ldd "$out/programs/test_device" | awk '/ld-linux/ { print $1 }')
cp -L "$loader" "$out/loader/"
strip "$out"/programs/* 2>/dev/null || true
du -sh "$out" | awk '{ print "device bundle: " $1 }'
