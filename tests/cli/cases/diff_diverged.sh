gtrace diff "$GOLDEN" "$SCALED" > out
echo "exit $?"
grep -E '^DIVERGED|^  origin|^ +at |^  replay' out
