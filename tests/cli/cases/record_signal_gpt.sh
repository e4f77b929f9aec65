# needs: record
gpt="--layers 1 --hidden 16 --heads 2 --vocab 31 --positions 8 --batch 2 --seq 8 --steps 100000 --threads 1"
for signal in INT TERM; do
  : > log
  gtrace record gpt -o $signal.h5 $gpt > log 2> err &
  for _ in $(seq 1200); do grep -q 'step 3' log && break; sleep 0.05; done
  kill -$signal $!
  wait $!
  echo "exit $?"
  sed 's/[0-9]* committed/N committed/' err
  gtrace show $signal.h5 --json | grep '"ended"'
  gtrace verify --quiet $signal.h5
  echo "verify $?"
done
ls
