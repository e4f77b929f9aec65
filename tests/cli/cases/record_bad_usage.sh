# needs: record
try() { gtrace record "$@"; echo "exit $?"; }
try
try mlp
try mpl -o run.h5
try mlp -o run.h5 --capture fulll
try mlp -o run.h5 --capture check
try mlp -o run.h5 --variant dp
try mlp -o run.h5 --device cuda
try mlp -o run.h5 --dtype int8
try mlp -o run.h5 --input-dim 8
try mlp -o run.h5 --ranks two
try mlp -o run.h5 --record-steps 3-1
try mlp -o run.h5 --roles output,outputs
try mlp -o run.h5 --variant plain --gradient_accumulation_steps 8
try mlp -o run.h5 --variant ga-loop --use_gradient_accumulation_loop
try mlp -o run.h5 --use_gradient_checkpointing --variant ga-loop
try gpt -o run.h5 --shape gpt3
try gpt -o run.h5 --shape bloom --ffn 8
try gpt -o run.h5 --shape megatron --set position-embedding-type=rotary --positions 8
try gpt -o run.h5 --shape megatron --set loss-on-targets-only=true
try gpt -o run.h5 --shape megatron --set no-layer-norm=true
try gpt -o run.h5 --optimizer adam
try gpt -o run.h5 --set layer_norm_eps=1e-6
try gpt -o run.h5 --set layer_norm_epsilon
try gpt -o run.h5 --set activation_function=relu
try gpt -o run.h5 --layers 2 --set n_layer=3
try mlp -o run.h5 -- true
try -o run.h5
try -o run.h5 --seed 3 -- true
ls
