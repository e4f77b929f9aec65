cp "$GOLDEN" a.h5
cp "$GOLDEN" b.h5
gtrace diff a.h5 b.h5
