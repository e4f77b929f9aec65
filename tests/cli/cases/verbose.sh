cp "$GOLDEN" golden.h5
gtrace verify --verbose golden.h5 | head -4
gtrace diff --verbose "$GOLDEN" "$SCALED" --limit 1 | grep -c '^  step 0'
gtrace diff "$GOLDEN" "$SCALED" --limit 1 | grep -c '^  step 0'
gtrace diff "$GOLDEN" "$SCALED" --limit 0 | grep -c '^  step 0'
