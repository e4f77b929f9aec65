# needs: record
# One batch of 16 in one piece and in micro-batches: the relation is chosen from the headers, sketches are enough on one
# side, and by name the runs cannot be compared.
mlp() { gtrace record mlp -q -o "$@" --input_dim 16 --train_dataset_len 32 --threads 1; }
mlp whole.h5 --batch_size 16
mlp parts.h5 --variant ga-loop --gradient_accumulation_steps 4 --batch_size 4
mlp halves.h5 --variant ga-loop --gradient_accumulation_steps 2 --batch_size 8 --capture sketch
for pair in "whole.h5 parts.h5" "parts.h5 whole.h5" "halves.h5 parts.h5" "halves.h5 whole.h5"; do
  gtrace diff $pair | grep -E '^(relation|SAME|lines|  line)'
done
gtrace diff whole.h5 parts.h5 --relation accumulation | grep -E '^(relation|SAME)'
gtrace diff whole.h5 parts.h5 --relation identity | grep -E '^(relation|INCOMPARABLE)'
gtrace diff parts.h5
gtrace diff whole.h5 parts.h5 --relation acumulation
gtrace diff whole.h5 parts.h5 --unscale
gtrace diff whole.h5 parts.h5 --relation identity --relation accumulation
