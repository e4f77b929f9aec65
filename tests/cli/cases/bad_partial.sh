# A recorder that died leaves NAME.partial; one that lives holds its lock.
cp "$GOLDEN" run.h5.partial
gtrace show run.h5
echo "exit $?"
gtrace diff run.h5 "$GOLDEN"
echo "exit $?"
flock run.h5.partial gtrace verify run.h5
# A journal says how it is recovered.
rm run.h5.partial
cp "$GOLDEN" run.h5.journal
gtrace show run.h5
echo "exit $?"
gtrace recover run.h5
echo "exit $?"
flock run.h5.journal gtrace verify run.h5
echo "exit $?"
gtrace verify run.h5.journal
