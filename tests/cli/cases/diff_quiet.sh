gtrace diff --quiet "$GOLDEN" "$SCALED"
