# needs: record
gpt="gpt --layers 1 --hidden 8 --heads 2 --positions 8 --dropout 0 --quiet"
mkdir words
echo '{"h": 0, "e": 1, "l": 2, "o": 3, "Ġ": 4, "ll": 5, "he": 6}' > words/vocab.json
printf '#version: 0.2\nh e\nl l\n' > words/merges.txt
printf 'hello hello' > one
printf 'hello ohell' > two
for text in one two; do
  gtrace record $gpt --vocab 7 -o $text.h5 --text $text --tokenizer words --batch 2 --seq 3; echo "exit $?"
  gtrace record $gpt --vocab 7 -o $text-megatron.h5 --shape megatron --text $text --tokenizer words --batch 2 --seq 3; echo "exit $?"
  gtrace record $gpt --vocab 7 -o $text-sketch.h5 --text $text --tokenizer words --batch 2 --seq 3 --capture sketch; echo "exit $?"
  gtrace record $gpt --vocab 256 -o $text-bytes.h5 --text $text --batch 1 --seq 8; echo "exit $?"
done
gtrace record $gpt --vocab 7 -o longer.h5 --text two --tokenizer words --batch 1 --seq 6; echo "exit $?"
gtrace diff --quiet one.h5 two.h5; echo "exit $?"
gtrace diff --quiet one-megatron.h5 two.h5; echo "exit $?"
gtrace diff --quiet one.h5 two-megatron.h5; echo "exit $?"
gtrace diff --quiet one-sketch.h5 two-sketch.h5; echo "exit $?"
gtrace diff --quiet one-bytes.h5 two-bytes.h5; echo "exit $?"
gtrace diff --quiet one.h5 longer.h5; echo "exit $?"
