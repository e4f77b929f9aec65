gtrace show "$GOLDEN" --layer layer.1
echo "exit $?"
gtrace show "$GOLDEN" --tape attention
