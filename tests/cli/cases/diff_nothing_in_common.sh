gtrace diff "$NO_INPUTS" "$SPECIAL"
