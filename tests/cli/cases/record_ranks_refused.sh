# needs: record
# What a run on several ranks cannot be.
mlp="mlp --input_dim 8 --batch_size 4 --train_dataset_len 8 --quiet"
try() { gtrace record "$@"; echo "exit $?"; }
try $mlp -o run.h5 --ranks 0
try $mlp -o run.h5 --ranks 3
try $mlp -o run.h5 --ranks 2 --variant dp4
try $mlp -o run.h5 --ranks 2 --variant plain
try $mlp -o run.h5 --variant dpx
try $mlp -o run.h5 --variant dp3
try $mlp -o run.h5 --ranks 2 --rank-timeout 0
try $mlp -o nofolder/run.h5 --ranks 2
try $mlp --ranks 2
ls
# Runs of one name never stand beside each other.
try $mlp -o run.h5
try $mlp -o run.h5 --ranks 2
rm run.h5
try $mlp -o run.h5 --ranks 4
try $mlp -o run.h5 --ranks 2
try $mlp -o run.h5
# An environment that says half of it.
export WORLD_SIZE=2 RANK=0
try $mlp -o other.h5
MASTER_ADDR=127.0.0.1 MASTER_PORT=nine try $mlp -o other.h5
MASTER_ADDR=127.0.0.1 MASTER_PORT=29500 try $mlp -o other.h5 --ranks 4
RANK=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=29500 try $mlp -o other.h5
ls
