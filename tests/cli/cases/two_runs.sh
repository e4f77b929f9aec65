# A run in one file and one in segments under the same name: refused by whoever writes, and by whoever reads.
"$HELPERS/write_trace" segments run.h5
gtrace verify --quiet run.h5; echo "exit $?"
"$HELPERS/write_trace" golden run.h5; echo "exit $?"
"$HELPERS/write_trace" segments run.h5; echo "exit $?"
"$HELPERS/write_trace" golden one.h5
"$HELPERS/write_trace" segments one.h5; echo "exit $?"
cmp "$GOLDEN" one.h5; ls
cp one.h5 run.h5
gtrace show run.h5; echo "exit $?"
gtrace verify run.h5; echo "exit $?"
gtrace diff run.h5 one.h5; echo "exit $?"
gtrace recover run.h5; echo "exit $?"
rm run.h5
# The last segment is of another run.
mkdir other && "$HELPERS/write_trace" segments other/run.h5
cp other/run.0002.h5 run.0002.h5
gtrace show run.h5; echo "exit $?"
gtrace verify run.h5; echo "exit $?"
gtrace diff run.h5 one.h5; echo "exit $?"
gtrace recover run.h5; echo "exit $?"
