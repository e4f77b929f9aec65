gtrace show "$GOLDEN" --record 0:0:0/forward/layers.0#0/output.0 --limit 3 | tail -3
