gtrace diff "$GOLDEN" "$SCALED" > out
echo "exit $?"
grep -oE '^DIVERGED.*|^  origin +[a-z]+|^ +at .*|^  replay.*' out
