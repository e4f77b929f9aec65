# needs: record
sizes="--layers 2 --hidden 8 --heads 2 --vocab 11 --dropout 0 --quiet"
megatron="gpt $sizes --shape megatron --set pad-vocab-size-to=11"
printf '1 4 7 10 2\n5 8 0 3 6\n' > ids.txt
printf '2\n4\n' > prefixes.txt
printf '2\n9\n' > long.txt
gtrace record $megatron -o a.h5 --tokens ids.txt; echo "exit $?"
gtrace show a.h5 | grep -E '^model\.(shape|layout|softmax_path|vocab_size)'
layers() { gtrace show $1 | awk -F'\t' '$2 == "forward" && $7 == "bit-equal" {print $1}' | grep -v '[.]0'; }
layers a.h5
gtrace record $megatron -o b.h5 --tokens ids.txt --prefixes prefixes.txt; echo "exit $?"
gtrace show b.h5 | grep -E '^(model.prefix_lm|input)'
gtrace diff a.h5 b.h5 2>&1 | tail -1
gtrace record $megatron -o c.h5 --tokens ids.txt --prefixes long.txt; echo "exit $?"
gtrace record gpt $sizes -o c.h5 --tokens ids.txt --prefixes prefixes.txt; echo "exit $?"
gtrace record $megatron -o c.h5 --prefixes prefixes.txt; echo "exit $?"
gtrace record $megatron -o c.h5 --set num_layers=3; echo "exit $?"
gtrace record gpt $sizes --shape bloom -o d.h5 --tokens ids.txt; echo "exit $?"
layers d.h5
for fault in swap-heads@layers.1.self_attention.query_key_value shift@layers.0.mlp negate@final_layernorm; do
  gtrace record $megatron -o f.h5 --tokens ids.txt --plant $fault
  gtrace diff a.h5 f.h5 --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["first_divergence"]["layer"])'
done
ls
