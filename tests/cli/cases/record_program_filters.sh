# needs: record
# Filters that leave nothing of a program: what there was, and the old trace stays.
cp "$GOLDEN" run.h5
program() { gtrace record -o run.h5 "$@" -- "$HELPERS/case_model" mlp > out; echo "exit $?"; }
program --layers-only 'layer.*'
program --layers-only nothing --layers-only none --json
cat out
program --record-steps 99
cmp run.h5 "$GOLDEN" && ls
program --layers-only layers.1 --record-steps 2 --quiet
gtrace show run.h5 --json | "$PYTHON" -c '
import json, sys
document = json.load(sys.stdin)
print(sorted({layer["layer"] for layer in document["layers"]}), sorted({loss["step"] for loss in document["losses"]}))'
