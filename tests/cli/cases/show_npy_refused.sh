mkdir folder
gtrace show "$GOLDEN" --record 0:0:0/forward/layers.0#0/output.0 --npy folder
echo "exit $?"
gtrace show "$GOLDEN" --record 0:0:0/forward/layers.0#0/output.0 --npy absent/out.npy
echo "exit $?"
gtrace show "$SPECIAL" --record 0:0:0/forward/only_fingerprint#0/output.0 --npy out.npy
echo "exit $?"
ls
