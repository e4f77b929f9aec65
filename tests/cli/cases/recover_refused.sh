# A recovered trace takes the place of nothing by accident: neither of its journal nor of another file.
"$HELPERS/write_trace" journal run.h5
cp run.h5.journal before
ln -s run.h5.journal link.h5
ln run.h5.journal way.h5.partial
for name in run.h5.journal ./run.h5.journal link.h5 way.h5; do
  gtrace recover run.h5.journal -o "$name" --force
  echo "exit $?"
done
cmp before run.h5.journal && rm link.h5 way.h5.partial
cp "$GOLDEN" other.h5
touch -d 2001-01-01 other.h5
mkdir folder
for name in other.h5 nodir/x.h5 folder /dev/null; do
  gtrace recover run.h5.journal -o "$name"
  echo "exit $?"
done
cmp before run.h5.journal && cmp "$GOLDEN" other.h5 && ls
gtrace recover run.h5.journal -o other.h5 --force
echo "exit $?"
