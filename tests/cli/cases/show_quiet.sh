gtrace show --quiet "$GOLDEN"
