# needs: record
mlp="mlp -o run.h5 --input_dim 8 --batch_size 4 --train_dataset_len 8 --quiet"
layers() { gtrace show run.h5 --json | "$PYTHON" -c '
import json, sys
document = json.load(sys.stdin)
print(sorted({layer["layer"] for layer in document["layers"]}), sorted({loss["step"] for loss in document["losses"]}))'; }
gtrace record $mlp --layers-only layers.2; echo "exit $?"; layers
gtrace record $mlp --layers-only 'layers.[01]' --layers-only loss; echo "exit $?"; layers
gtrace record $mlp --record-steps 1-5; echo "exit $?"; layers
gtrace record $mlp --roles output,loss; echo "exit $?"
gtrace show run.h5 --json | "$PYTHON" -c '
import json, sys
print(sorted({record["role"] for record in json.load(sys.stdin)["records"] if record["payload"]}))'
rm run.h5
gtrace record $mlp --layers-only 'layer.*'; echo "exit $?"
gtrace record $mlp --record-steps 7; echo "exit $?"
ls
