# needs: record
# A long run in finished files, read as one trace by its name.
mlp="mlp --input_dim 64 --batch_size 8 --train_dataset_len 256 --threads 1 --quiet --withhold-command-line"
gtrace record $mlp -o whole.h5
gtrace record $mlp -o run.h5 --segment-size 10kB; echo "exit $?"
ls run* | head -2
gtrace show run.h5 | grep '^segment' | sed 's/, .*//' | head -2
gtrace show run.h5 --json | "$PYTHON" -c '
import json, sys
document = json.load(sys.stdin)
print(document["segments"][0]["file"], len(document["losses"]), document["recording"]["ended"])'
gtrace verify --quiet run.h5; echo "verify $?"
gtrace diff --quiet --gate bitwise whole.h5 run.h5; echo "diff $?"
gtrace show run.0001.h5 --json | grep -c '"segments": \[\]'
# Without its last files the run has no end.
rm $(ls run.*.h5 | tail -n +2)
gtrace show run.h5 | grep '^recording'
gtrace diff --quiet --gate bitwise whole.h5 run.h5; echo "diff $?"
