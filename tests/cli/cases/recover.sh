# needs: record
# A killed recording is incomplete until its committed steps are recovered.
: > log
gtrace record mlp -o run.h5 --input_dim 16 --batch_size 4 --train_dataset_len 80000 --threads 1 --log_steps 1 --capture sketch > log 2> err &
recorder=$!
for _ in $(seq 400); do grep -q 'step 2' log && break; sleep 0.05; done
gtrace recover run.h5.journal
echo "exit $?"
kill -KILL $recorder
wait $recorder 2> /dev/null
ls *.h5*
gtrace diff run.h5 "$GOLDEN"
echo "exit $?"
gtrace verify run.h5.journal | sed 's/[0-9][0-9.]* [kM]B/N kB/; s/[0-9]\+ /N /g'
gtrace record mlp -o run.h5 --quiet 2>&1 | sed 's/[0-9]\+ c/N c/'
cp run.h5.journal copy.journal
gtrace recover run.h5.journal | sed 's/; .* left out//; s/[0-9]\+ /N /g'
ls *.h5*
gtrace verify --quiet run.h5
echo "exit $?"
gtrace recover run.h5.journal
echo "exit $?"
# The same once more, elsewhere, as JSON; the trace is complete already.
gtrace recover copy.journal -o run.h5 --json | python3 -c "
import json, sys
report = json.load(sys.stdin)
print(report['schema'], [sorted(each) for each in report['traces']], report['traces'][0]['was_sealed'])"
