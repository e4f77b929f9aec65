gtrace show "$GOLDEN" --record 0:0:0/forward/layers.0#0/output.0
