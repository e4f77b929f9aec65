# needs: record
# Every codec gives the same values; the level changes while the run goes on; a full pool does what was asked.
mlp="mlp --input_dim 64 --batch_size 8 --train_dataset_len 32 --threads 1 --quiet --withhold-command-line"
for codec in standard fast small none; do
  gtrace record $mlp -o $codec.h5 --codec $codec && gtrace verify --quiet $codec.h5
  gtrace diff --quiet --gate bitwise standard.h5 $codec.h5; echo "$codec $?"
done
echo sketch > level
gtrace record $mlp -o level.h5 --level-file level; echo "exit $?"
gtrace show level.h5 | grep level_changes
echo nonsense > level
gtrace record $mlp -o level.h5 --level-file level; gtrace show level.h5 | grep 'level file'
gtrace record $mlp -o pool.h5 --pool-size 1000 --when-full block; gtrace show pool.h5 | grep 'when_full\|dropped_payloads'
gtrace diff --quiet --gate bitwise standard.h5 pool.h5; echo "block $?"
gtrace record $mlp -o drop.h5 --pool-size 100KB --when-full sketch --workers 1; gtrace show drop.h5 | grep 'when_full'
gtrace diff --quiet --gate bitwise standard.h5 drop.h5; echo "sketch $?"
