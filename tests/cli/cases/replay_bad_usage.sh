# needs: replay
# shared: runs.sh
try() { gtrace replay "$@"; echo "exit $?"; }
try
try "$SHARED/gpt.h5"
try "$SHARED/gpt.h5" --layer h.1.mlp.atc
try "$SHARED/gpt.h5" --layer h.1.mlp.act --step 99
try "$SHARED/gpt.h5" --layer h.1.mlp.act --call 5
try "$SHARED/gpt.h5" --layer h.1.mlp.act --all
try "$SHARED/gpt.h5" --layer h.1.mlp.act --pass update
try "$SHARED/gpt.h5" --layer h.1.mlp.act --dtype float32x
try "$SHARED/gpt.h5" --layer h.1.mlp.act --perturb -1
try "$SHARED/gpt.h5" --layer h.1.mlp.act --dump /dev/null
try absent.h5 --all
try "$NO_INPUTS" --layer attention
try "$SHARED/mlp-sketch.h5" --layer layers.2
