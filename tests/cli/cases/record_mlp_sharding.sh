# needs: record
# Tensors spread over the devices of a mesh: the same run but for rounding; a variant that is left out says so.
mlp="mlp --input_dim 64 --train_dataset_len 512 --threads 1"
gtrace record $mlp -o one.h5 --quiet
for sharding in batch fsdp megatron-lm batch,megatron-lm; do
  gtrace record $mlp -o run.h5 --quiet --sharding $sharding --devices 4
  gtrace show run.h5 | grep -E '^model.(sharding|devices)'
  gtrace diff one.h5 run.h5 | grep -E '^SAME|^DIVERGED'
  gtrace replay run.h5 --all | tail -1
done
gtrace record $mlp -o not.h5 --devices 4; echo "exit $?"
gtrace record $mlp -o not.h5 --sharding bach; echo "exit $?"
gtrace record $mlp -o not.h5 --use_gradient_checkpointing --skip-gradient-checkpointing; echo "exit $?"
gtrace record $mlp -o not.h5 --variant ga-while-ckpt --skip-gradient-checkpointing --json
gtrace record $mlp -o run.h5 --skip-gradient-checkpointing --quiet; echo "exit $?"
ls
exit 0
