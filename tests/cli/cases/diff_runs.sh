# needs: record
# shared: runs.sh
verdict() {
  gtrace diff --json "$SHARED/$1" "$SHARED/$2" > out
  echo "exit $?"
  "$PYTHON" -c '
import json
report = json.load(open("out"))
first = report["first_divergence"]
print(report["verdict"], first and (first["id"], first["origin"], first["op"]))'
}
verdict mlp.h5 mlp-fault.h5
verdict gpt.h5 gpt-fault.h5
verdict mlp.h5 mlp-sketch.h5
verdict mlp-sketch.h5 mlp-fault.h5
