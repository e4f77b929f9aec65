# needs: replay
# shared: runs.sh
cp "$SHARED/mlp.h5" ./-x.h5
gtrace replay --all --quiet -- -x.h5; echo "exit $?"
gtrace record mlp --output=-y.h5 --input_dim 8 --batch_size 4 --train_dataset_len 8 --quiet; echo "exit $?"
ls
