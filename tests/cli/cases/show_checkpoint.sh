# A checkpoint instead of a trace: its tensors and totals; what only traces have is refused.
"$PYTHON" - <<'PY'
import json, struct
tensors = {"h.0.w": ("F32", [2, 3]), "h.0.b": ("F32", [3]), "wte": ("BF16", [4, 2]), "empty": ("I64", [0, 5]), "scalar": ("U8", [])}
header, data = {"__metadata__": {"format": "pt"}}, b""
for name, (dtype, shape) in tensors.items():
    size = {"F32": 4, "BF16": 2, "I64": 8, "U8": 1}[dtype]
    for extent in shape:
        size *= extent
    header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + size]}
    data += bytes(size)
text = json.dumps(header).encode()
open("model.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + data)
open("cut.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + data[:-1])
open("empty.pt", "wb").close()
PY
gtrace show model.safetensors
gtrace show model.safetensors --filter 'h.*' --limit 1
gtrace show . --json
for arguments in "cut.safetensors" "empty.pt" "model.safetensors --layer x" "model.safetensors --filter zzz"; do
  gtrace show $arguments
  echo "exit $?"
done
