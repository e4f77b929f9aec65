for options in "" "--layer layers.0" "--tape layers.1" "--record 0:0:0/forward/layers.0#0/output.0"; do
  gtrace show --json $options "$GOLDEN" | "$PYTHON" -c 'import json, sys; print(sorted(json.load(sys.stdin)))'
done
