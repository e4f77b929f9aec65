# needs: record
# A signal to the command reaches the program, which seals what is committed and ends.
for signal in INT TERM; do
  : > log
  gtrace record -o $signal.h5 -- "$HELPERS/observed_program" wait > log 2> err &
  for _ in $(seq 1200); do [ "$(wc -l < log)" -ge 3 ] && break; sleep 0.05; done
  kill -$signal $!
  wait $!
  echo "exit $?"
  cat err
  gtrace show $signal.h5 --json | grep '"ended"'
  gtrace verify --quiet $signal.h5
  echo "verify $?"
done
gtrace record -o killed.h5 -- "$HELPERS/observed_program" crash > out; echo "exit $?"
ls
rm killed.h5.journal
gtrace record -o limited.h5 -- bash -c "ulimit -f 2; trap '' XFSZ; exec '$HELPERS/observed_program'" > out; echo "exit $?"
wc -l < out
ls
