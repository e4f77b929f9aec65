# needs: record
cp "$GOLDEN" run.h5
gtrace record mlp -o run.h5 --input_dim 8 --batch_size 4 --train_dataset_len 4 --plant nan@absent
echo "exit $?"
cmp run.h5 "$GOLDEN" && ls
gtrace record mlp -o run.h5 --input_dim 8 --batch_size 4 --train_dataset_len 4 --quiet
echo "exit $?"
cmp -s run.h5 "$GOLDEN" || ls
