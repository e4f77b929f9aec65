gtrace show --json "$GOLDEN"
