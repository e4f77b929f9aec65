# needs: record
# A tensor-parallel rank that is killed in the middle: the other ends with one line, and every file can be used or says
# what it is.
gpt="gpt --shape megatron --layers 2 --hidden 64 --heads 4 --vocab 128 --positions 16 --batch 4 --seq 8 --steps 100000"
gtrace record $gpt --set tensor-model-parallel-size=2 --threads 1 --rank-timeout 20 -o run.h5 --ranks 2 > log 2> err &
launcher=$!
for _ in $(seq 400); do grep -q 'step 5' log && break; sleep 0.05; done
rank_of() { for pid in $(cat /proc/$launcher/task/*/children); do grep -qz "^RANK=$1$" /proc/$pid/environ && echo $pid; done; }
victim=$(rank_of 1)
begin=$SECONDS
kill -KILL $victim
wait $launcher; echo "exit $?"
test $((SECONDS - begin)) -lt 20 && echo "within the time-out"
sort err | sed -E 's/its part of .* came;/its part came;/; s/[0-9]* committed/N committed/g'
gtrace show run.rank1.h5; echo "show $?"
gtrace recover run.rank1.h5 | sed 's/[0-9]* steps\?,/N steps,/; s/[0-9]* records.*/N records recovered/'
for rank in 0 1; do
  gtrace verify --quiet run.rank$rank.h5; echo "verify $?"
  gtrace show run.rank$rank.h5 | grep '^recording' | sed 's/.*ended/ended/'
done
ls | grep -v '^log$\|^err$'
