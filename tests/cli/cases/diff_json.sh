# The fields that scripts rely on.
gtrace diff --json "$GOLDEN" "$SCALED" > out
echo "exit $?"
"$PYTHON" - <<'P'
import json
report = json.load(open("out"))
first = report["first_divergence"]
for key in ("schema", "verdict", "reason", "gate", "compared", "bitwise_equal", "within_gate", "mismatched", "absorbed",
            "missing", "extra", "certified_prefix"):
    print(key, report[key])
for key in ("id", "step", "micro", "rank", "pass", "layer", "call", "role", "index", "op", "origin", "from", "to",
            "estimated"):
    print("first_divergence", key, first[key])
for key in ("max_abs", "max_rel", "rel_frobenius", "max_ulp", "equal_fraction", "worst_index", "a", "b"):
    print("metrics", key, first["metrics"][key])
print([type(report[key]).__name__ for key in ("roots", "diagnosis", "replay_command")])
P
