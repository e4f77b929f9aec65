# needs: record
# Ways to train that compute the same, recorded for real and compared without being told how: nothing is flagged, and
# every relation that was used is named.
for spec in "plain:--batch_size 64" "plain-ckpt:--batch_size 64" "ga-loop:--batch_size 16 --gradient_accumulation_steps 4" \
    "ga-loop-ckpt:--batch_size 16 --gradient_accumulation_steps 4" "ga-while:--batch_size 16 --gradient_accumulation_steps 4" \
    "ga-while-ckpt:--batch_size 16 --gradient_accumulation_steps 4" "dp2:--batch_size 64" "dp4:--batch_size 64" \
    "dp8:--batch_size 64" "dp4-ckpt:--batch_size 64"; do
  record="gtrace record mlp --input_dim 64 --train_dataset_len 192 --threads 1 --quiet --variant ${spec%%:*} ${spec#*:}"
  $record -o ${spec%%:*}.h5 && $record -o sketch-${spec%%:*}.h5 --capture sketch
done
mlp="mlp --input_dim 64 --train_dataset_len 192 --threads 1 --quiet"
for n in 2 8; do gtrace record $mlp --batch_size $((64 / n)) --gradient_accumulation_steps $n -o ga$n.h5; done
for k in 2 4; do gtrace record $mlp --batch_size 64 --ranks $k -o ranks$k.h5; done
gtrace record $mlp --batch_size 64 --ranks 4 --use_gradient_checkpointing -o ranks4-ckpt.h5
agree() {
  gtrace diff $1.h5 $2.h5 --json > report.json; code=$?
  "$PYTHON" - $1 $2 $code <<'P'
import json, sys
a, b, code = sys.argv[1:]
report = json.load(open("report.json"))
flagged = [report["first_divergence"], report["missing"], report["extra"], report["mismatches"], report["diagnosis"]]
relation = report["relation"]
used = sorted({line["relation"] for line in relation["used"]}) if relation else []
words = [f"{a} {b}: exit {code}", " and ".join(used) or "as they are"]
words += ["chosen"] if relation and relation["chosen"] else []
words += [f"FLAGGED {flagged}"] if any(flagged) else []
words += [] if report["compared"] > 100 else [f"{report['compared']} compared"]
print(", ".join(words))
P
}
agree plain plain-ckpt; agree plain-ckpt plain; agree plain ga2; agree plain ga-loop; agree ga8 plain; agree ga2 ga8
agree ga-loop ga-while; agree ga-loop ga-loop-ckpt; agree ga-while ga-while-ckpt; agree ga-loop-ckpt ga-while
agree plain ga-while-ckpt; agree plain dp2; agree dp8 plain; agree dp2 dp4; agree dp4 dp4-ckpt; agree ga-loop dp4
agree ga8 dp2; agree ga-while-ckpt dp4; agree dp4 ranks4; agree plain ranks2; agree ranks2 ranks4; agree ranks4 ranks4-ckpt
agree ga-loop ranks4-ckpt; agree sketch-plain plain; agree sketch-plain ga-loop; agree sketch-ga-loop plain
agree sketch-dp4 plain; agree sketch-plain-ckpt plain
exit 0
