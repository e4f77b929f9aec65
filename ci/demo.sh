#!/usr/bin/env bash
# Records the MLP trainer and a GPT, clean and with a planted fault, lets `gtrace diff` find the fault, and re-runs the
# layer that it names from the file alone. Fails unless every verdict is the right one.
set -euo pipefail

bin=$(cd "${1:-build/bin}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH=$bin:$PATH
cd "$work"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() { printf '$ %s\n' "$*"; "$@"; }

expect() {
  local wanted=$1 status=0
  shift
  run "$@" || status=$?
  [ "$status" -eq "$wanted" ] || { echo "demo: exit $status where $wanted was expected" >&2; exit 1; }
}

say "1. The MLP trainer, recorded twice; the second run has a fault of 1 % in its hidden layer"
mlp=(--input_dim 64 --train_dataset_len 512 --threads 1)
expect 0 gtrace record mlp -o mlp.h5 "${mlp[@]}"
expect 0 gtrace record mlp -o mlp-fault.h5 "${mlp[@]}" --plant scale=1.01@layers.2
expect 1 gtrace diff mlp.h5 mlp-fault.h5
say "   the same layer again, from the file alone"
expect 0 gtrace replay mlp-fault.h5 --layer layers.2 --step 0

say "2. A GPT with dropout; the fault negates one activation"
gpt=(--shape hf --layers 2 --hidden 64 --heads 2 --vocab 101 --positions 32 --batch 2 --seq 16 --steps 2 --dropout 0.1)
expect 0 gtrace record gpt -o gpt.h5 "${gpt[@]}"
expect 0 gtrace record gpt -o gpt-fault.h5 "${gpt[@]}" --plant negate@h.1.mlp.act
expect 1 gtrace diff gpt.h5 gpt-fault.h5
say "   that layer of both runs again, from the files alone"
expect 0 gtrace replay gpt.h5 --layer h.1.mlp.act
expect 0 gtrace replay gpt-fault.h5 --layer h.1.mlp.act

say "3. Two equal runs"
expect 0 gtrace record gpt -o gpt-again.h5 "${gpt[@]}"
expect 0 gtrace diff gpt.h5 gpt-again.h5
say "The demo found both faults and re-ran both layers bit for bit."
