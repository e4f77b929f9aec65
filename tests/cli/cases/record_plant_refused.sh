# needs: record
mlp="mlp -o run.h5 --input_dim 8 --batch_size 4 --train_dataset_len 4 --quiet"
gpt="gpt -o run.h5 --layers 1 --hidden 8 --heads 2 --vocab 11 --positions 8 --batch 1 --seq 3 --quiet"
for fault in negate@layer.2 negate@h.0.mlp.act swap-heads@layers.0 scale@layers.0 invert@layers.0 scale=1@layers.0 negate; do
  gtrace record $mlp --plant $fault; echo "exit $?"
done
for fault in swap-heads@h.0.mlp.act negate@h.0.mlp.atc zero-row@loss; do
  gtrace record $gpt --plant $fault; echo "exit $?"
done
ls
