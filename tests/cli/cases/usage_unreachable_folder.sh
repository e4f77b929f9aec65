# A path that the system does not follow: one line that says so, whatever the command was about to do there.
ln -s loop loop
cp "$GOLDEN" golden.h5
mkdir model && ln -s ../loop/config.json model/config.json && ln -s ../loop/x model/model.safetensors
for command in "show loop/x.h5" "verify loop/x.h5" "diff loop/x.h5 golden.h5" "diff golden.h5 loop/x.h5" \
    "diff golden.h5 golden.h5 --rules loop/r.toml" "diff golden.h5 golden.h5 --relation loop/r.toml" \
    "diff golden.h5 golden.h5 --targets loop/t.npy" "diff golden.h5 golden.h5 --report loop/r.json" \
    "recover loop/x.h5" "recover loop/x.h5.journal" "recover golden.h5 -o loop/x.h5" "convert loop/x out --to hf" \
    "convert model out --to hf" "convert golden.h5 loop/x/y --to hf" "show model" \
    "show golden.h5 --record 0:0:0/forward/layers.0#0/input.0 --npy loop/x.npy"; do
  gtrace $command > out; echo "$command: exit $?, $(wc -c < out) bytes on stdout"
done
gtrace verify loop/x.h5 --json 2> /dev/null
