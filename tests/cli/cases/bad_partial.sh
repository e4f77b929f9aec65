# A recorder that died leaves NAME.partial; one that lives holds its lock.
cp "$GOLDEN" run.h5.partial
gtrace show run.h5
echo "exit $?"
gtrace diff run.h5 "$GOLDEN"
echo "exit $?"
flock run.h5.partial gtrace verify run.h5
