# needs: record
# Shards of a batch as processes: the bits of the same shards in one process; each rank has a file of its own.
mlp="mlp --input_dim 64 --train_dataset_len 512 --threads 1"
gtrace record $mlp -o one.h5 --variant dp2 --log_steps 1 | grep Epoch > one.log
gtrace record $mlp -o run.h5 --ranks 2 --log_steps 1 > run.log; echo "exit $?"
diff one.log <(grep Epoch run.log) && echo "same losses"
tail -1 run.log | sed 's/: .*steps/: N steps/'
for rank in 0 1; do
  gtrace verify --quiet run.rank$rank.h5; echo "verify $?"
  gtrace show run.rank$rank.h5 | grep '^rank'
  # What this rank has is what the one process has of it: losses, gradients of layers, totals.
  for trace in one run.rank$rank; do
    gtrace show $trace.h5 --json | "$PYTHON" -c '
import json, sys
rank = int(sys.argv[1])
for record in json.load(sys.stdin)["records"]:
    if record["pass"] in ("forward", "backward") and record["rank"] == rank and record["step"] < 4 and not record["external"]:
        print(record["id"], record["hash"])' $rank > $trace.records
  done
  cmp one.records run.rank$rank.records && echo "$(test -s one.records && echo records) equal"
done
ids() { gtrace show $1 | grep '^run.id'; }
test "$(ids run.rank0.h5)" = "$(ids run.rank1.h5)" && echo "one run"
ls
# JSON is one document, of rank 0.
gtrace record $mlp -o json.h5 --ranks 2 --json | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["file"])'
# The variables of torchrun.
export WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$("$PYTHON" -c '
import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
RANK=1 gtrace record $mlp -o env.h5 --quiet & 
RANK=0 gtrace record $mlp -o env.h5 --quiet; echo "exit $?"
wait $!; echo "exit $?"
gtrace diff --quiet --gate bitwise run.rank1.h5 env.rank1.h5; echo "diff $?"
