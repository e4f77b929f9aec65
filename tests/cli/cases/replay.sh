# needs: replay
# shared: runs.sh
gtrace replay "$SHARED/mlp.h5" --layer layers.2 --step 0
echo "exit $?"
for run in mlp gpt gpt-fault; do
  gtrace replay "$SHARED/$run.h5" --all | tail -1
  echo "exit ${PIPESTATUS[0]}"
done
gtrace replay "$SHARED/gpt-fault.h5" --layer h.1.mlp.act --quiet
echo "exit $?"
gtrace replay "$SHARED/gpt.h5" --layer h.0.mlp --dtype float64 --quiet
echo "exit $?"
gtrace replay "$SHARED/mlp-sketch.h5" --layer layers.2 --inputs "$SHARED/mlp.h5" --quiet
echo "exit $?"
gtrace replay "$SHARED/mlp.h5" --layer layers.2 --tape-from "$SHARED/mlp-fault.h5" --quiet
echo "exit $?"
