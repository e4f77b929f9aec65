gtrace show "$GOLDEN" --json | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["losses"])'
