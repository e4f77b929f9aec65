gtrace show "$GOLDEN"
