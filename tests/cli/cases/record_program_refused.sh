# needs: record
# What is wrong with the recording is said before the program starts, in the words of the built-in trainers.
chmod 755 .
try() {
  echo "-- $*"
  gtrace record "$@" -- sh -c 'touch ran' 2>&1 | sed 's/: Permission denied.*/: Permission denied/; s/holds [0-9][0-9]*/holds N/'
  gtrace record mlp --input_dim 8 --batch_size 4 --train_dataset_len 4 --quiet "$@" 2>&1 |
    sed 's/: Permission denied.*/: Permission denied/; s/holds [0-9][0-9]*/holds N/'
}
gtrace record mlp -o waiting.h5 --input_dim 64 --batch_size 8 --train_dataset_len 80000 --threads 1 --log_steps 1 > log &
recorder=$!
for _ in $(seq 400); do grep -q 'step 2' log && break; sleep 0.05; done
kill -KILL $recorder
wait $recorder 2> /dev/null
try -o waiting.h5
"$PYTHON" - <<'PY' &
import fcntl, time
journal = open("busy.h5.journal", "w")
fcntl.flock(journal, fcntl.LOCK_EX)
open("held", "w")
time.sleep(60)
PY
holder=$!
for _ in $(seq 200); do [ -e held ] && break; sleep 0.05; done
try -o busy.h5
kill $holder
mkdir locked
if [ "$(id -u)" -eq 0 ]; then
  gtrace() { setpriv --reuid 65534 --regid 65534 --clear-groups "$BIN/gtrace" "$@"; }
else
  chmod 555 locked
fi
try -o locked/run.h5
unset -f gtrace
try -o run.h5 --capture check --golden absent.h5
try -o absent/run.h5
try -o run.h5 --level-file locked
mkfifo pipe
try -o run.h5 --level-file pipe
try -o run.h5 --level-file /dev/zero
ls . locked
