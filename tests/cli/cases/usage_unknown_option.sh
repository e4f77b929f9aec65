gtrace show --jsno "$GOLDEN"
echo "exit $?"
gtrace verify --zzz "$GOLDEN"
