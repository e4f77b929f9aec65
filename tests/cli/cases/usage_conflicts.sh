gtrace show "$GOLDEN" --layer layers.0 --tape layers.0
echo "exit $?"
gtrace show "$GOLDEN" --npy out.npy
echo "exit $?"
gtrace show "$GOLDEN" --quiet --verbose
