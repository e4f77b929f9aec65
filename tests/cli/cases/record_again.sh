# needs: record
# Recording to the same path keeps the size; a killed recording leaves the old trace as it was.
mlp="mlp -o run.h5 --input_dim 16 --batch_size 4 --train_dataset_len 16 --threads 1 --quiet"
for _ in 1 2 3; do
  gtrace record $mlp
  wc -c < run.h5
done | sort -n | awk 'NR == 1 { smallest = $1 } END { print ($1 - smallest) * 50 < smallest ? "same size" : $1 - smallest }'
sha256sum run.h5 > before
: > log
gtrace record mlp -o run.h5 --input_dim 64 --batch_size 8 --train_dataset_len 80000 --threads 1 --log_steps 1 > log &
recorder=$!
for _ in $(seq 400); do grep -q 'step 2' log && break; sleep 0.05; done
kill -KILL $recorder
wait $recorder 2> /dev/null
sha256sum --check --quiet before && gtrace verify --quiet run.h5
echo "exit $?"
rm run.h5
gtrace show run.h5
echo "exit $?"
gtrace record $mlp 2>&1 | sed 's/holds [0-9]*/holds N/'
gtrace recover --quiet run.h5
gtrace record $mlp
ls
