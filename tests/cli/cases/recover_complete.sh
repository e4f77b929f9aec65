# A trace that is complete: nothing to recover, and that is no failure.
cp "$GOLDEN" run.h5
gtrace recover run.h5; echo "exit $?"
gtrace recover run.h5 --json
gtrace recover run.h5 -o copy.h5; echo "exit $?"
cmp "$GOLDEN" run.h5 && ls
"$HELPERS/write_trace" segments long.h5
gtrace recover long.h5; echo "exit $?"
head -c 3000 "$GOLDEN" > cut.h5
gtrace recover cut.h5; echo "exit $?"
