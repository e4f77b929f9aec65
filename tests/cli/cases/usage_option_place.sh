gtrace --json show x.h5
echo "exit $?"
gtrace show -- -x.h5 --limit 2
exit 2
