# Small runs of both trainers, clean and with a fault.
mlp="--input_dim 8 --batch_size 4 --train_dataset_len 8 --threads 1 --quiet"
gpt="--layers 2 --hidden 8 --heads 2 --vocab 11 --positions 8 --batch 2 --seq 5 --steps 2 --dropout 0.1 --threads 1 --quiet"
gtrace record mlp -o mlp.h5 $mlp
gtrace record mlp -o mlp-fault.h5 $mlp --plant scale=1.01@layers.2
gtrace record mlp -o mlp-sketch.h5 $mlp --capture sketch
gtrace record gpt -o gpt.h5 $gpt
gtrace record gpt -o gpt-fault.h5 $gpt --plant negate@h.1.mlp.act
