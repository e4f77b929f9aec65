gtrace diff "$GOLDEN" "$SCALED" --filter 'nothing*'
