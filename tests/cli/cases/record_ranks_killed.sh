# needs: record
# A rank that is killed in the middle: the others end with one line, and every file can be used or says what it is.
mlp="mlp --input_dim 64 --batch_size 9 --train_dataset_len 9000000 --threads 1 --log_steps 1 --rank-timeout 20"
gtrace record $mlp -o run.h5 --ranks 3 > log 2> err &
launcher=$!
for _ in $(seq 400); do grep -q 'step 5' log && break; sleep 0.05; done
rank_of() { for pid in $(cat /proc/$launcher/task/*/children); do grep -qz "^RANK=$1$" /proc/$pid/environ && echo $pid; done; }
victim=$(rank_of 1)
begin=$SECONDS
kill -KILL $victim
wait $launcher; echo "exit $?"
test $((SECONDS - begin)) -lt 20 && echo "within the time-out"
# Whoever is left behind by one that left before blames the one that was lost first.
sort err | sed -E 's/rank [0-9] ended before its part of .* came(, after rank 1 was lost)?;/LOST\1;/; s/LOST, after //; s/LOST/rank 1 was lost/
  s/[0-9]* committed/N committed/g'
gtrace show run.rank1.h5; echo "show $?"
gtrace recover run.rank1.h5 | sed 's/[0-9]* steps\?,/N steps,/; s/[0-9]* records.*/N records recovered/'
for rank in 0 1 2; do
  gtrace verify --quiet run.rank$rank.h5; echo "verify $?"
  gtrace show run.rank$rank.h5 | grep '^recording' | sed 's/.*ended/ended/'
done
ls | grep -v '^log$\|^err$'
# A signal to the command ends all of them, each with its finished steps.
: > log.term
gtrace record ${mlp/--batch_size 9/--batch_size 8} -o term.h5 --ranks 2 > log.term 2> err.term &
for _ in $(seq 400); do grep -q 'step 3' log.term && break; sleep 0.05; done
kill -TERM $!
wait $!; echo "exit $?"
tail -1 err.term | sed 's/[0-9]* committed/N committed/g'
gtrace verify --quiet term.rank0.h5; echo "verify $?"
