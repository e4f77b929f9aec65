# needs: record
# What ranks of a GPT cannot share; nothing runs and nothing is written.
gpt="gpt --shape megatron --layers 1 --hidden 24 --heads 4 --vocab 100 --positions 8 --batch 4 --seq 8 --quiet -o run.h5"
try() { gtrace record $gpt "$@"; echo "exit $?"; }
tp() { echo "--set tensor-model-parallel-size=$1"; }
try --ranks 3 $(tp 2)
try --ranks 6 $(tp 2)
try --ranks 3 $(tp 3)
try --ranks 4 $(tp 4) --set num-query-groups=2
try --ranks 4 $(tp 4) --ffn 30
try --ranks 4 $(tp 4) --set pad-vocab-size-to=102
try --ranks 2 --stop-after 3
gtrace record gpt --layers 1 --hidden 16 --heads 2 --vocab 32 --batch 3 --seq 8 -o run.h5 --ranks 2; echo "exit $?"
gtrace record gpt --ranks 2; echo "exit $?"
ls
