gtrace show "$GOLDEN" --layer layers.1 --stats
