# needs: record
gtrace record mlp -o run.h5 --input_dim 8 --batch_size 4 --train_dataset_len 8 --threads 1 | sed 's/[0-9.]* kB/N kB/'
gtrace show run.h5 --json | "$PYTHON" -c '
import json, sys
document = json.load(sys.stdin)
print([name for name in document["header"] if name.startswith("model.")])
print(document["header"]["run.command_line"])
print([(loss["step"], loss["micro"]) for loss in document["losses"]])
print(sorted({layer["layer"] for layer in document["layers"]}))
print(sorted({layer["replayable"] for layer in document["layers"] if layer["pass"] == "forward"}))'
