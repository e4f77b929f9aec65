# An empty variable of a script is not "option left out".
gtrace diff "$GOLDEN" "$GOLDEN" --filter ''; echo "exit $?"
gtrace diff "$GOLDEN" "$GOLDEN" --filter=; echo "exit $?"
gtrace show ''; echo "exit $?"
