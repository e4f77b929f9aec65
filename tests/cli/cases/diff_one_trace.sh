# What one trace shows of itself; options of two traces are refused.
gtrace diff "$GOLDEN"; echo "exit $?"
gtrace diff "$GOLDEN" --relation accumulation; echo "exit $?"
gtrace diff "$GOLDEN" --json | grep -A 9 '"checks"'
