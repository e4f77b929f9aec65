# The folder to make lies in one that is not there: named, and nothing is made.
"$PYTHON" - <<'PY'
import json, math, struct
shapes = {"wte.weight": [3, 4], "wpe.weight": [2, 4], "ln_f.weight": [4], "ln_f.bias": [4]}
for name, out in {"ln_1": 0, "ln_2": 0, "attn.c_attn": 12, "attn.c_proj": 4}.items():
    shapes[f"h.0.{name}.weight"] = [4, out] if out else [4]
    shapes[f"h.0.{name}.bias"] = [out or 4]
shapes |= {"h.0.mlp.c_fc.weight": [4, 16], "h.0.mlp.c_fc.bias": [16], "h.0.mlp.c_proj.weight": [16, 4], "h.0.mlp.c_proj.bias": [4]}
header, end = {}, 0
for name, shape in shapes.items():
    header["transformer." + name] = {"dtype": "F32", "shape": shape, "data_offsets": [end, end + 4 * math.prod(shape)]}
    end += 4 * math.prod(shape)
text = json.dumps(header).encode()
import os
os.mkdir("hf")
open("hf/model.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + bytes(end))
json.dump({"model_type": "gpt2", "n_layer": 1, "n_embd": 4, "n_head": 2, "vocab_size": 3, "n_positions": 2,
           "activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"]}, open("hf/config.json", "w"))
PY
gtrace convert hf sub/deep/x --to megatron; echo "exit $?"
gtrace convert hf sub/deep/x/ --to hf; echo "exit $?"
: > file
gtrace convert hf file/x --to hf; echo "exit $?"
gtrace convert hf file --to hf; echo "exit $?"
mkdir sub
gtrace convert hf sub/x --to hf; echo "exit $?"
gtrace convert hf sub/x --to hf; echo "exit $?"
find . -type f | sort
