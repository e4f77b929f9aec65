gtrace diff "$GOLDEN" "$GOLDEN" | grep -e note -e SAME
echo "exit ${PIPESTATUS[0]}"
ln -s "$GOLDEN" link.h5
gtrace diff "$GOLDEN" link.h5 | grep note
