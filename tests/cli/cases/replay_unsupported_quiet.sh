# needs: replay
# Exit 2 says why, quiet or not.
gtrace replay "$NO_INPUTS" --all --quiet; echo "exit $?"
gtrace record mlp -o sketch.h5 --input_dim 64 --batch_size 16 --train_dataset_len 16 --quiet --capture sketch
gtrace replay sketch.h5 --all --quiet; echo "exit $?"
