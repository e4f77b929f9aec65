# needs: record
# shared: runs.sh
# Payload only where the golden differs, and an end when enough is known.
mlp="mlp --input_dim 8 --batch_size 4 --train_dataset_len 8 --threads 1"
facts() { gtrace show "$1" --json | "$PYTHON" -c '
import json, sys
document = json.load(sys.stdin)
kept = [record["id"] for record in document["records"] if record["payload"] and len(record["shape"]) > 1]
header = document["header"]
print(header["capture.golden"], header["run.ended"], kept[:2])'; }
gtrace record $mlp -o same.h5 --capture check --golden "$SHARED/mlp.h5" --quiet; echo "exit $?"; facts same.h5
gtrace record $mlp -o other.h5 --capture check --golden "$SHARED/mlp.h5" --plant scale=1.01@layers.2 --quiet; echo "exit $?"
facts other.h5
gtrace diff "$SHARED/mlp.h5" other.h5 --quiet; echo "diff $?"
gtrace record $mlp -o short.h5 --capture check --golden "$SHARED/mlp.h5" --plant scale=1.01@layers.2 --stop-after 3 --quiet
echo "exit $?"
gtrace show short.h5 --json | "$PYTHON" -c '
import json, sys
document = json.load(sys.stdin)
print(sorted({loss["step"] for loss in document["losses"]}), document["header"]["run.ended"].split()[:2])'
gtrace record -o program.h5 --quiet -- "$HELPERS/case_model" mlp > out
gtrace record -o again.h5 --capture check --golden program.h5 --json -- "$HELPERS/case_model" mlp 2> err | grep -A1 differences
