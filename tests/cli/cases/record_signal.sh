# needs: record
# The first signal drops the open step and seals the finished ones.
for signal in INT TERM; do
  : > log.$signal
  gtrace record mlp -o $signal.h5 --input_dim 64 --batch_size 8 --train_dataset_len 80000 --threads 1 --log_steps 1 > log.$signal 2> err &
  for _ in $(seq 400); do grep -q 'step 3' log.$signal && break; sleep 0.05; done
  kill -$signal $!
  wait $!
  echo "exit $?"
  sed 's/[0-9]* committed/N committed/' err
  gtrace verify --quiet $signal.h5
  echo "verify $?"
done
ls
