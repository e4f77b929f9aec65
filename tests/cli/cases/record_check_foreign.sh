# needs: record
# shared: runs.sh
# A golden of another program, or of other sizes, is refused with the first step; an older trace stays.
cp "$GOLDEN" run.h5
try() { gtrace record -o run.h5 --capture check "$@" > out; echo "exit $?"; }
try --golden "$SHARED/mlp.h5" -- "$HELPERS/observed_program"
try --golden "$SHARED/mlp.h5" -- "$HELPERS/case_model" mlp
gtrace record -o small.h5 --quiet -- "$HELPERS/observed_program" > out
try --golden small.h5 -- "$HELPERS/observed_program" batch
cmp run.h5 "$GOLDEN"; ls
try --golden small.h5 -- "$HELPERS/observed_program"
