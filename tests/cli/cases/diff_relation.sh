# Relations of one's own: what is said of a good one, and of wrong ones.
check() { gtrace diff "$GOLDEN" "$GOLDEN" --relation "$1"; echo "exit $?"; }
printf '[[pair]]\nlayer = "layers.{i}"\nrole = "output"\nform = "transpose(0, 1)"\n' > good.toml
check good.toml | grep -v '^[AB] '
printf '[[pair]]\nlayer = "layers.{i}"\nrole = "outptu"\n' > word.toml
check word.toml
printf '[[pair]]\nlayer = "layer.{i}"\n' > nothing.toml
check nothing.toml
printf '[[pair]]\nlayer = "layers.{i}"\nrole = "output"\nform = "permute(0, 2, 1)"\n' > shape.toml
check shape.toml
printf '[[pair]]\nlayer = "layers.{i}"\nrole = "output"\nform = "weighted-mean(micro, 0.5)"\n' > weights.toml
check weights.toml
check megatron-fh
check absent.toml
gtrace diff --print-relation megatron-hf | grep -c '^\[\[pair\]\]' | grep -q '^[1-9]'
echo "exit $?"
