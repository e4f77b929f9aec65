#!/usr/bin/env bash
# Brings what a build (argument `build`), the tests (`test`) or the benchmarks (`bench`) need: Debian packages, and
# LibTorch as a Python wheel in $GOLDENTRACE_DEPS/venv. Does nothing when all is there.
set -euo pipefail

deps=${GOLDENTRACE_DEPS:-$(cd "$(dirname "$0")/.." && pwd)/.deps}
torch_version=2.11.0

build_packages=(cmake ninja-build g++ libhdf5-dev libzstd-dev libxxhash-dev libcli11-dev nlohmann-json3-dev
                libtomlplusplus-dev libpcre2-dev python3-venv)
test_packages=(libgtest-dev libgmock-dev hdf5-tools git)
bench_packages=(libbenchmark-dev hyperfine hdf5-tools)
test_wheels=(h5py==3.16.0 hdf5plugin==7.1.0 transformers==5.24.0 safetensors numpy pytest)
bench_wheels=(zipnn==0.5.4 mindstudio-probe==26.2.0)

missing_packages() {
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
  done
}

install_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -eq 0 ] && return
  local apt=(apt-get)
  if [ "$(id -u)" -ne 0 ]; then
    if ! sudo -n true 2>/dev/null; then
      echo "goldentrace needs Debian packages; run this once, then make again:" >&2
      echo "  sudo apt-get install -y ${missing[*]}" >&2
      exit 1
    fi
    apt=(sudo apt-get)
  fi
  echo "installing ${missing[*]}"
  "${apt[@]}" update -qq
  DEBIAN_FRONTEND=noninteractive "${apt[@]}" install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# A stamp per wheel list, so that a changed list installs again.
install_wheels() {
  local stamp
  stamp=$deps/installed.$(echo "$*" | cksum | cut -d' ' -f1)
  [ -e "$stamp" ] && return
  [ -x "$deps/venv/bin/pip" ] || python3 -m venv "$deps/venv"
  echo "installing $* into the project's own Python environment (LibTorch takes 4.7 GB on disk)"
  "$deps/venv/bin/pip" install --quiet --disable-pip-version-check "$@"
  touch "$stamp"
}

# The peers bring packages of their own, which stay apart; they see LibTorch and the wheels of the tests.
install_peers() {
  local stamp site
  stamp=$deps/peers.$(echo "$*" | cksum | cut -d' ' -f1)
  [ -e "$stamp" ] && return
  python3 -m venv "$deps/bench-venv"
  site=$("$deps/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  echo "$site" > "$("$deps/bench-venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/tests.pth"
  if "$deps/bench-venv/bin/pip" install --quiet --disable-pip-version-check "$@"; then touch "$stamp"; fi
}

mkdir -p "$deps"
exec 9>"$deps/lock"
flock 9
case ${1:-build} in
  build) install_packages "${build_packages[@]}"; install_wheels torch==$torch_version ;;
  test) install_packages "${test_packages[@]}"; install_wheels "${test_wheels[@]}" ;;
  bench) install_packages "${bench_packages[@]}"; install_peers "${bench_wheels[@]}" ;;
  *) echo "usage: ci/deps.sh build|test|bench" >&2; exit 2 ;;
esac
