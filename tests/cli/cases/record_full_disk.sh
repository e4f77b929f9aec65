# needs: record
# A file-size limit stands for a full disk: the model runs to its end, the old trace stays, exit 2.
cp "$GOLDEN" run.h5
(ulimit -f 20; trap '' XFSZ; gtrace record mlp -o run.h5 --input_dim 256 --batch_size 32 --train_dataset_len 64 --log_steps 1)
echo "exit $?"
cmp run.h5 "$GOLDEN" && ls
