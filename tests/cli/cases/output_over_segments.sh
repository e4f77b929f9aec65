# The name of a run in segments stands for its files: no output takes the place of one, or of any file that is read.
"$HELPERS/write_trace" segments run.h5
cat run.*.h5 > before
gtrace show run.h5 --record 0:0:0/forward/layers.0#0/output.0 --npy run.0001.h5; echo "exit $?"
ln run.0002.h5 report.txt
gtrace diff run.h5 run.h5 --quiet --report report.txt; echo "exit $?"
ln run.0002.h5 other.txt.partial
gtrace diff run.h5 run.h5 --quiet --report other.txt; echo "exit $?"
cp "$GOLDEN" a.h5
echo 1 > targets.txt
gtrace diff a.h5 a.h5 --quality --targets targets.txt --report targets.txt; echo "exit $?"
cat targets.txt
echo mine > free.txt.partial
gtrace diff a.h5 a.h5 --quiet --report free.txt; echo "exit $?"
cat free.txt.partial
cat run.*.h5 | cmp before
