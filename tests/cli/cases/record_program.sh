# needs: record
# A program with labels and nothing else, recorded unchanged; its own output is its own.
gtrace record -o run.h5 -- "$HELPERS/case_model" mlp | sed 's/[0-9.]* kB/N kB/'
echo "exit ${PIPESTATUS[0]}"
gtrace verify --quiet run.h5 && gtrace show run.h5 --json | "$PYTHON" -c '
import json, sys
document = json.load(sys.stdin)
print(sorted({layer["layer"] for layer in document["layers"]}))
print([(loss["step"], loss["micro"]) for loss in document["losses"]])
print(document["header"]["model.name"])'
gtrace record --json -o json.h5 -- "$HELPERS/case_model" mlp 2> err | "$PYTHON" -c '
import json, sys
print(json.load(sys.stdin)["steps"])'
cat err
gtrace diff --quiet run.h5 json.h5
echo "diff $?"
