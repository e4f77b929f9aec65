# needs: record
# A checkpoint and its conversion, recorded in both shapes on the same tokens, compared across the conversion.
"$PYTHON" - <<'P'
import json, random, struct
random.seed(1)
layers, h, v, p, f = 2, 64, 67, 16, 48
sizes = {"wte.weight": (v, h), "wpe.weight": (p, h), "ln_f.weight": (h,), "ln_f.bias": (h,)}
for i in range(layers):
    for name, shape in {"ln_1": None, "attn.c_attn": (h, 3 * h), "attn.c_proj": (h, h), "ln_2": None,
                        "mlp.c_fc": (h, f), "mlp.c_proj": (f, h)}.items():
        sizes[f"h.{i}.{name}.weight"] = shape or (h,)
        sizes[f"h.{i}.{name}.bias"] = (shape or (h, h))[1:]
header, data = {}, b""
for name, shape in sizes.items():
    count = shape[0] * (shape[1] if len(shape) > 1 else 1)
    one = 1 if ".ln_" in "." + name and name.endswith("weight") else 0
    values = struct.pack(f"<{count}f", *[one + random.gauss(0, 0.1) for _ in range(count)])
    header["transformer." + name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(values)]}
    data += values
text = json.dumps(header).encode()
import os
os.mkdir("ck")
open("ck/model.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + data)
json.dump({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_layer": layers, "n_head": 2, "n_embd": h,
           "n_inner": f, "vocab_size": v, "n_positions": p, "activation_function": "gelu_new"}, open("ck/config.json", "w"))
P
gtrace convert ck mg --to megatron --quiet
run() { gtrace record gpt -o "$1.h5" --batch 2 --seq 16 --optimizer sgd --lr 0.1 --dropout 0 --quiet "${@:2}"; }
verdict() { gtrace diff "$@" | grep -E '^(relation|SAME|DIVERGED|  hint)'; echo "exit ${PIPESTATUS[0]}"; }
first() { gtrace diff --json "$@" | "$PYTHON" -c '
import json, sys
report = json.load(sys.stdin)
first = report["first_divergence"]
print(first and (first["layer"], json.loads(json.dumps(first["id_b"]))))'; }

echo "both shapes, both ways, both numberings"
run megatron --shape megatron --load mg --steps 2 --set loss_over_padding=false
run hf --shape hf --load ck --steps 2
run classic --shape megatron --load mg --steps 2 --set loss_over_padding=false --set layout=classic
verdict megatron.h5 hf.h5
verdict hf.h5 megatron.h5
verdict classic.h5 hf.h5

echo "a loss over the padding"
run padded --shape megatron --load mg
verdict padded.h5 hf.h5 --filter '*'

echo "every switch, and each of them off"
fused() { run fused --shape megatron --load mg --set loss_over_padding=false --set openai_gelu=false --set bias_gelu_fusion=true "$@"; }
mode() { run mode --shape hf --load ck --set megatron_mode=true "$@"; }
for dtype in "float32" "float16 --set half_mode=emulated" "bfloat16"; do
  fused --dtype $dtype
  mode --dtype $dtype
  gtrace diff fused.h5 mode.h5 --gate bitwise --filter 'layers.*' --limit 1000 --json | "$PYTHON" -c '
import json, sys
report = json.load(sys.stdin)
found = [m["id"] for m in report["mismatches"] + report["absorbed_records"] if "/forward/" in m["id"]]
print("forward findings", found, report["missing"], report["extra"], report["compared"] > 200)'
done
for switch in gelu scores bias bda; do
  mode --dtype bfloat16 --set megatron_mode.$switch=false
  echo "$switch: $(first fused.h5 mode.h5 --gate bitwise)"
done
fused --dtype float16 --set half_mode=emulated
mode --dtype float16 --set half_mode=emulated --set megatron_mode.ln=false --set ln_variant=half-moments
echo "half moments: $(first fused.h5 mode.h5 --gate bitwise)"

echo "quality alone"
verdict megatron.h5 hf.h5 --gate quality --max-kl 1e-9 --min-top1 1 --max-perplexity-change 1e-6
