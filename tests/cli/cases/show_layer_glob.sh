gtrace show "$GOLDEN" --layer 'layers.*' | cut -f1-5
