# needs: record
# A word in the level file that is none is named at the end, where everybody reads.
echo sketchy > level
mlp="mlp --input_dim 8 --batch_size 4 --train_dataset_len 8 --threads 1 --log_steps 100 --level-file level"
gtrace record $mlp -o run.h5 | sed 's/[0-9.]* kB/N kB/'
gtrace show run.h5 | grep recording
echo check > level
gtrace record -o run.h5 --level-file level -- "$HELPERS/observed_program" | tail -n 1 | sed 's/[0-9.]* kB/N kB/'
echo sketch > level
gtrace record $mlp -o run.h5 | sed 's/[0-9.]* kB/N kB/'
