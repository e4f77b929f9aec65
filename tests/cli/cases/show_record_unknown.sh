gtrace show "$GOLDEN" --record 0:0:0/forward/layers.0#0/output.1
echo "exit $?"
gtrace show "$GOLDEN" --record nonsense
