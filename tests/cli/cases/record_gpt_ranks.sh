# needs: record
# A GPT as processes: parts of its weights, parts of its batch, and both.
gpt="gpt --shape megatron --layers 2 --hidden 64 --heads 4 --vocab 128 --positions 16 --batch 4 --seq 8 --steps 2"
gpt="$gpt --dropout 0 --set make-vocab-size-divisible-by=32 --threads 1"
tp() { echo "--set tensor-model-parallel-size=$1"; }
losses() { grep loss | sed -E 's/(\.[0-9]{4})[0-9]*/\1/'; }  # other processors, other last digits
gtrace record $gpt -o whole.h5 | losses
gtrace record $gpt -o tp2.h5 $(tp 2) --ranks 2 > tp2.log; echo "exit $?"
losses < tp2.log
tail -1 tp2.log | sed 's/: [0-9.]* MB/: N MB/'
gtrace record $gpt -o tp4.h5 $(tp 4) --ranks 4 --quiet; echo "exit $?"
gtrace record $gpt -o both.h5 $(tp 2) --ranks 4 --quiet; echo "exit $?"
for file in tp2.rank1 tp4.rank3 both.rank2; do
  gtrace verify --quiet $file.h5; echo "verify $?"
  gtrace show $file.h5 | grep '^rank'
done
# All ranks as one trace are the whole model; what tells them apart begins with a sum over ranks.
for run in tp2 tp4 both; do
  gtrace diff whole.h5 $run.h5 --json | "$PYTHON" -c '
import json, sys
report = json.load(sys.stdin)
print(report["verdict"], report["relation"]["name"], len(report["missing"]), len(report["extra"]), report["first_unequal"])'
  gtrace diff $run.h5 --quiet; echo "alone $?"
done
gtrace diff tp2.h5 tp4.h5 --quiet; echo "two against four: $?"
# A rank holds half of the heads: replay works on what it has.
gtrace show tp2.rank1.h5 --layer layers.0.self_attention.probs | grep -c '4, 2, 8, 8'
gtrace replay tp2.rank1.h5 --layer layers.0.mlp.dense_4h_to_h --quiet; echo "replay $?"
# Shapes without tensor parallelism share the batch.
for shape in hf bloom; do
  gtrace record gpt --shape $shape --layers 1 --hidden 16 --heads 2 --vocab 32 --batch 4 --seq 8 --dropout 0 --threads 1 \
    -o $shape.h5 --ranks 2 | losses
done
gtrace show bloom.rank1.h5 | grep '^rank'
