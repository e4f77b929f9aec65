gtrace show
echo "exit $?"
gtrace verify
echo "exit $?"
gtrace diff
