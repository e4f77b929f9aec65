# needs: record
# A disk that really fills: recording ends, the model goes on to its end, and the command that the message names
# recovers the steps before it on another disk.
cat > fill.sh <<'END'
mount -t tmpfs -o size=1500k tmpfs disk || exit 77
gtrace record "$@" > log 2> err
echo "exit $?"
ls disk > left
gtrace recover disk/run.h5.journal 2>&1 | sed 's/ N*[0-9]* bytes/ N bytes/'
$(sed 's/.* recover them with: //; s/ELSEWHERE/run.h5/' err) --quiet; echo "recover $?"
END
try() {
  rm -rf disk run.h5; mkdir disk
  unshare $namespace -m bash fill.sh "$@"
  tail -n 1 log
  sed 's/[0-9][0-9.]* [kM]B/N kB/g; s/[0-9]\+ /N /g' err
  cat left
  gtrace verify --quiet run.h5; echo "verify $?"
}
namespace=$([ "$(id -u)" -eq 0 ] || echo -r)
try mlp -o disk/run.h5 --input_dim 64 --batch_size 64 --train_dataset_len 25600 --threads 1 --log_steps 100
try gpt -o disk/run.h5 --layers 1 --hidden 32 --heads 2 --vocab 101 --positions 16 --batch 2 --seq 16 --steps 200 --threads 1
exit 0
