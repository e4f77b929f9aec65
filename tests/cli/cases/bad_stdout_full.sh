gtrace show "$GOLDEN" > /dev/full
