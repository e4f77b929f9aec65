# needs: record
gtrace record gpt -o run.h5 --layers 1 --hidden 8 --heads 2 --vocab 11 --positions 8 --batch 2 --seq 5 --quiet
echo "exit $?"
gtrace show run.h5 --json | "$PYTHON" -c '
import json, sys
document = json.load(sys.stdin)
layers = []
for layer in document["layers"]:
    if layer["layer"] not in layers: layers.append(layer["layer"])
print(" ".join(layers))
print(document["header"]["model.n_embd"], document["header"]["model.seq_len"])'
