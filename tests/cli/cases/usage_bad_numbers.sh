gtrace show "$GOLDEN" --limit -1
echo "exit $?"
gtrace show "$GOLDEN" --limit many
