# needs: record
# shared: runs.sh
mlp="mlp --input_dim 8 --batch_size 4 --train_dataset_len 8 --threads 1 --quiet"
try() { gtrace record "$@"; echo "exit $?"; }
cp "$SHARED/mlp.h5" golden.h5
ln -s golden.h5 link.h5
try $mlp -o run.h5 --capture check
try $mlp -o run.h5 --golden golden.h5
try $mlp -o run.h5 --capture sketch --stop-after 3
try $mlp -o ./link.h5 --capture check --golden golden.h5
try $mlp -o run.h5 --capture check --golden absent.h5
try $mlp -o run.h5 --capture check --golden "$0"
try mlp -o run.h5 --capture check --golden golden.h5 --input_dim 16
try gpt -o run.h5 --capture check --golden golden.h5
try $mlp -o run.h5 --level-file .
try $mlp -o run.h5 --level-file run.h5
try $mlp -o run.h5 --pool-size 9000TB
try $mlp -o run.h5 --workers 257
try $mlp -o run.h5 --codec zstd
try $mlp -o run.h5 --when-full wait
try -o run.h5 --capture check --golden absent.h5 -- true
cmp golden.h5 "$SHARED/mlp.h5" && ls
