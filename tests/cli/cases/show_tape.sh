gtrace show "$GOLDEN" --tape layers.1
