# needs: record
# A diff of a trace that is still being written is exit 2, however often it is tried.
: > log
gtrace record mlp -o run.h5 --input_dim 64 --batch_size 8 --train_dataset_len 80000 --threads 1 --log_steps 1 > log 2> err &
recorder=$!
for _ in $(seq 400); do grep -q 'step 2' log && break; sleep 0.05; done
for _ in 1 2 3; do
  gtrace diff run.h5 "$GOLDEN"
  echo "exit $?"
done
kill -TERM $recorder
wait $recorder
gtrace verify --quiet run.h5
