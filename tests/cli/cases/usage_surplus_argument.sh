gtrace verify "$GOLDEN" "$SCALED"
