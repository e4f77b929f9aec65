# A file whose name begins with a dash goes behind --.
cp "$GOLDEN" ./-x.h5
gtrace show -x.h5; echo "exit $?"
gtrace show -- -x.h5 | head -2
gtrace show --limit 1 --json -- -x.h5 | grep '"file"'
gtrace verify -- -x.h5; echo "exit $?"
gtrace diff --quiet -- -x.h5 "$GOLDEN"; echo "exit $?"
