# needs: record
# The files of all ranks are one trace by the name of the run; a set that is none, or a part, says so.
mlp="mlp --input_dim 64 --train_dataset_len 512 --threads 1 --quiet"
gtrace record $mlp -o one.h5
gtrace record $mlp -o run.h5 --ranks 2
gtrace record $mlp -o cut.h5 --ranks 4 --segment-size 100kB
gtrace show run.h5 | grep -E '^rank|^ranks|^segment|^recording' | sed 's/, [0-9.]* kB//; s/\t[0-9a-f]\{32\}/\tHASH/'
gtrace show cut.h5 --json | "$PYTHON" -c 'import json, sys; print(len(json.load(sys.stdin)["segments"]), "files")'
gtrace verify run.h5 | sed 's/[0-9.]* kB/N kB/'; gtrace verify --quiet cut.h5; echo "verify $?"
for b in run cut; do gtrace diff one.h5 $b.h5 | grep -E '^relation|^SAME'; done
gtrace diff run.h5 | grep SAME
gtrace diff run.rank0.h5 run.rank0.h5 | grep -E '^note|^SAME'
gtrace diff --quiet run.rank0.h5 run.h5; echo "one rank against all: $?"
gtrace replay run.h5 --layer layers.2 --rank 1 --quiet; echo "replay $?"
gtrace recover run.h5
echo "--- what is no set"
mkdir sets && cd sets
try() { gtrace show run.h5 > out; echo "$1: $?, $(wc -c < out) bytes"; }
cp ../run.rank1.h5 . && try "no rank 0"
cp ../run.rank0.h5 . && rm run.rank1.h5 && try "no rank 1"
cp ../run.rank0.h5 run.rank1.h5 && try "rank 0 twice"
gtrace record $mlp -o other.h5 --ranks 2 && cp other.rank1.h5 run.rank1.h5 && try "of another run"
cp ../one.h5 run.rank1.h5 && try "of one process"
cp ../run.rank1.h5 . && cp ../one.h5 run.h5 && try "one file beside"
cd ..
echo "--- a part"
export WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$("$PYTHON" -c '
import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
RANK=1 gtrace record $mlp -o part.h5 --record-steps 0-1 &
RANK=0 gtrace record $mlp -o part.h5; wait $!; echo "exit $?"
unset WORLD_SIZE MASTER_ADDR MASTER_PORT
gtrace diff part.h5; echo "exit $?"
gtrace diff part.h5 part.h5 | grep -E '^note|^INCOMPARABLE'
for a in run one; do gtrace diff --quiet $a.h5 part.h5; echo "$a against a part: $?"; done
exit 0
