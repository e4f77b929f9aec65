# needs: record
try() { gtrace record "$@"; echo "exit $?"; }
try mlp -o run.h5 --input_dim 0
try mlp -o run.h5 --input_dim -5
try mlp -o run.h5 --input_dim 99999999999999
try mlp -o run.h5 --batch_size 0
try mlp -o run.h5 --train_dataset_len 4 --batch_size 8
try gpt -o run.h5 --layers 0
try gpt -o run.h5 --hidden 10 --heads 3
try gpt -o run.h5 --vocab 0
try gpt -o run.h5 --hidden 1000000000 --heads 1
try gpt -o run.h5 --positions 8 --seq 9
try gpt -o run.h5 --batch 0
try gpt -o run.h5 --batch 99999999999 --seq 99999999999
try gpt -o run.h5 --dropout 1.5
try gpt -o run.h5 --steps 0
ls
