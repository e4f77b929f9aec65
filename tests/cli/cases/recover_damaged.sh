# needs: record
# A journal that is damaged in a committed step is not recovered unless what lies before is wanted.
: > log
gtrace record mlp -o run.h5 --input_dim 16 --batch_size 4 --train_dataset_len 80000 --threads 1 --log_steps 1 > log 2> err &
recorder=$!
for _ in $(seq 400); do grep -q 'step 4' log && break; sleep 0.05; done
kill -KILL $recorder
wait $recorder 2> /dev/null
numbers='s/byte [0-9]*/byte N/; s/step [0-9]*/step N/; s/the [0-9]* steps/the N steps/'
python3 - <<'PYTHON'
with open("run.h5.journal", "r+b") as file:
    file.seek(0, 2)
    file.seek(file.tell() // 2)
    byte = file.read(1)
    file.seek(-1, 1)
    file.write(bytes([byte[0] ^ 4]))
PYTHON
gtrace verify run.h5.journal 2>&1 | sed "$numbers; s/damaged in.*; recover/damaged; recover/"
echo "exit ${PIPESTATUS[0]}"
gtrace recover run.h5 2>&1 | sed "$numbers; s/damaged in.*; nothing/damaged; nothing/"
echo "exit ${PIPESTATUS[0]}"
ls *.h5*
gtrace recover run.h5 --keep-before-damage --quiet
echo "exit $?"
ls *.h5*
gtrace verify --quiet run.h5
echo "exit $?"
