# needs: record
gtrace record mlp -o run.h5 --input_dim 8 --batch_size 4 --train_dataset_len 8 --verbose | sed 's/[0-9.]* kB/N kB/'
