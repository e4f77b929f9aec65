# needs: record
try() { gtrace record -o run.h5 -- "$@" > out; echo "exit $?"; }
try ./absent
try "$SOURCE"
try true
try "$HELPERS/case_model" nonsense
try sh -c 'exit 3'
try sh -c 'kill -KILL $$'
gtrace record -o /dev/null -- "$HELPERS/case_model" mlp
echo "exit $?"

# A program of LibTorch's that has no labels.
gtrace record -o run.h5 -- "$BIN/gtrace-record" --version > out
echo "exit $?"
ls
