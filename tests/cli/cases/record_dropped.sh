# needs: record
# Contents that a full pool dropped are counted and marked, and the trace is whole otherwise.
gtrace record mlp -o run.h5 --input_dim 256 --batch_size 64 --train_dataset_len 640 --threads 1 --workers 1 --pool-size 700KB --when-full sketch --codec small --quiet
echo "exit $?"
gtrace show run.h5 --json | "$PYTHON" -c '
import json, sys
document = json.load(sys.stdin)
marked = [record for record in document["records"] if record["dropped"]]
print(document["recording"]["dropped_payloads"] == len(marked), any(record["payload"] for record in marked))'
gtrace verify --quiet run.h5; echo "verify $?"
