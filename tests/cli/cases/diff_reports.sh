gtrace diff --quiet "$GOLDEN" "$SCALED" --report report.json --report report.txt
echo "exit $?"
gtrace diff --json "$GOLDEN" "$SCALED" | cmp - report.json && gtrace diff "$GOLDEN" "$SCALED" | cmp - report.txt
gtrace diff --quiet "$GOLDEN" "$SCALED" --report report.pdf
echo "exit $?"
mkdir folder.json
gtrace diff --quiet "$GOLDEN" "$SCALED" --report folder.json
echo "exit $?"
ls
