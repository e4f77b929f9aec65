# needs: record
# A program that brings LibTorch in after its start was never seen: it says so. A later one of the same command counts.
cp "$GOLDEN" run.h5
cat > late.py <<'END'
import ctypes, sys
ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
END
library=$(ldd "$HELPERS/case_model" | sed -n 's/.*=> \(.*libtorch_cpu.so\) .*/\1/p')
gtrace record -o run.h5 -- "$PYTHON" late.py "$library" 2> err; echo "exit $?"
sed 's/: [^:]*:/: PYTHON:/' err
cmp run.h5 "$GOLDEN" && ls
gtrace record --quiet -o run.h5 -- sh -c "'$PYTHON' late.py '$library' && '$HELPERS/case_model' mlp > out"; echo "exit $?"
gtrace verify --quiet run.h5 && cat out
