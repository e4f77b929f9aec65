# needs: record
gtrace record mlp -o run.h5 --input_dim 8 --batch_size 4 --train_dataset_len 4 --quiet --withhold-command-line
gtrace show run.h5 | grep -c command_line
