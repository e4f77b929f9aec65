# needs: record
# No memory for the pool: one line before anything runs, and a smaller pool is enough.
mlp="mlp -o run.h5 --input_dim 64 --batch_size 8 --train_dataset_len 80 --threads 1 --quiet"
(ulimit -v 15000000; gtrace record $mlp --pool-size 20GiB)
echo "exit $?"
(ulimit -v 15000000; gtrace record $mlp --pool-size 1MB)
echo "exit $?"
ls
