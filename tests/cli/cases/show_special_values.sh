for layer in floats integers halves only_fingerprint; do
  gtrace show "$SPECIAL" --record "0:0:0/forward/$layer#0/output.0" | tail -1
  gtrace show "$SPECIAL" --json --record "0:0:0/forward/$layer#0/output.0" |
    "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["record"]["values"])'
done
