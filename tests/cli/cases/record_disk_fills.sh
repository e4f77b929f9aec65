# needs: record
# A disk that really fills: recording ends, the model goes on to its end, and the steps before it can be recovered.
cat > fill.sh <<'END'
mount -t tmpfs -o size=1500k tmpfs disk || exit 77
gtrace record "$@" > log 2> err
echo "exit $?"
ls disk > left
cp disk/run.h5.journal kept.journal
END
try() {
  rm -rf disk kept.journal run.h5; mkdir disk
  unshare $namespace -m bash fill.sh "$@"
  tail -n 1 log
  sed 's/[0-9][0-9.]* [kM]B/N kB/g; s/[0-9]\+ /N /g' err
  cat left
  gtrace recover kept.journal -o run.h5 --quiet; echo "recover $?"
  gtrace verify --quiet run.h5; echo "verify $?"
}
namespace=$([ "$(id -u)" -eq 0 ] || echo -r)
try mlp -o disk/run.h5 --input_dim 64 --batch_size 64 --train_dataset_len 25600 --threads 1 --log_steps 100
try gpt -o disk/run.h5 --layers 1 --hidden 32 --heads 2 --vocab 101 --positions 16 --batch 2 --seq 16 --steps 200 --threads 1
