# needs: record
gpt="gpt --layers 1 --hidden 8 --heads 2 --vocab 7 --positions 8 --dropout 0 --quiet"
mkdir words
echo '{"h": 0, "e": 1, "l": 2, "o": 3, "Ġ": 4, "ll": 5, "he": 6}' > words/vocab.json
printf '#version: 0.2\nh e\nl l\n' > words/merges.txt
printf 'hello hello' > text
gtrace record $gpt -o a.h5 --text text --tokenizer words --batch 1 --seq 6; echo "exit $?"
gtrace show a.h5 | grep data
printf 'hello jello' > other
gtrace record $gpt -o b.h5 --text other --tokenizer words --batch 1 --seq 6; echo "exit $?"
gtrace record $gpt -o b.h5 --tokens text --tokenizer words; echo "exit $?"
gtrace record $gpt -o b.h5 --text text --tokenizer absent; echo "exit $?"
ls
