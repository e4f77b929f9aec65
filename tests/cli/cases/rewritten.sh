# needs: record
# While a newer trace is being written, the old one is used, and every command says so.
cp "$GOLDEN" run.h5
: > log
gtrace record mlp -o run.h5 --input_dim 64 --batch_size 8 --train_dataset_len 80000 --threads 1 --log_steps 1 > log 2> err &
recorder=$!
for _ in $(seq 400); do grep -q 'step 2' log && break; sleep 0.05; done
gtrace verify run.h5
gtrace show run.h5 --limit 1 | head -2
gtrace show run.h5 --json 2> /dev/null | grep being_rewritten
gtrace verify run.h5 --json 2> /dev/null | grep being_rewritten
gtrace verify --quiet run.h5
gtrace diff run.h5 "$GOLDEN" | grep note
gtrace record mlp -o run.h5 --input_dim 64 --quiet
echo "exit $?"
kill -TERM $recorder
wait $recorder
gtrace verify --quiet run.h5
