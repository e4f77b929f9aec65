# needs: replay
# shared: runs.sh
gtrace replay --json "$SHARED/mlp.h5" --layer layers.2 --step 0 |
  "$PYTHON" -c 'import json, sys; document = json.load(sys.stdin); print(document["schema"], document["verdict"])'
