# needs: record
# shared: runs.sh
# The layer of the loss is a layer like the others.
gtrace show "$SHARED/mlp.h5" --json > show.json
"$PYTHON" - <<'PY'
import json
document = json.load(open("show.json"))
for line in document["layers"]:
    if line["layer"] == "loss":
        print(*(line[key] for key in ("pass", "calls", "inputs", "outputs", "params")))
PY
gtrace show "$SHARED/mlp.h5" --limit 1 | grep "^loss[[:space:]]" | cut -f 1-6
gtrace show "$SHARED/mlp.h5" --layer loss | cut -f 1
gtrace show "$GOLDEN" --layer loss
gtrace show "$GOLDEN" --layer los
