# Without the programs that need LibTorch, record and replay say so.
mkdir bin
cp "$BIN/gtrace" bin/
bin/gtrace record mlp -o run.h5
echo "exit $?"
bin/gtrace replay run.h5 --all
