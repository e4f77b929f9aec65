# A folder of transformers whose config.json is of no use: tensors are listed, and a line says why it is not.
"$PYTHON" - <<'PY'
import json, struct
text = json.dumps({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
open("model.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + bytes(8))
PY
gtrace show . > listed; echo "exit $?"
head -1 listed
: > config.json
gtrace show . | cmp - listed; echo "exit $?"
echo '{"model_type": "gpt2", "n_layer"' > config.json
gtrace show . | cmp - listed; echo "exit $?"
echo '[]' > config.json
gtrace show . | cmp - listed
echo '{"model_type": "gpt2", "n_layer": "two"}' > config.json
gtrace show . | cmp - listed
echo '{"model_type": "llama"}' > config.json
gtrace show . | cmp - listed
gtrace show . --json | grep -A2 notes
gtrace show . --quiet; echo "exit $?"
echo '{"model_type": "gpt2", "n_layer": 1, "n_embd": 2, "n_head": 1, "vocab_size": 2, "n_positions": 2}' > config.json
gtrace show . | cmp - listed; echo "exit $?"
