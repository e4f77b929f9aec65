# needs: record
gpt="gpt --layers 1 --hidden 8 --heads 2 --vocab 11 --positions 8 --dropout 0 --quiet"
printf '1 4 7 10 2\n5 8 0 3 6\n' > ids.txt
printf '4 7 10 2 5\n8 0 3 6 9\n' > labels.txt
printf '1 1 1 1 1\n1 1 1 0 0\n' > mask.txt
gtrace record $gpt -o a.h5 --tokens ids.txt --labels labels.txt --mask mask.txt; echo "exit $?"
gtrace show a.h5 --record '0:0:0/forward/%28root%29#0/input.ids' 2>&1 | tail -2
gtrace record $gpt -o b.h5 --tokens ids.txt --labels ids.txt --seq 3 --batch 1 --steps 2; echo "exit $?"
printf '\1\2\3\4\5\6' > text
gtrace record $gpt -o c.h5 --text text --seq 3 --batch 2; echo "exit $?"
echo '1 2 11' > outside.txt
gtrace record $gpt -o d.h5 --tokens outside.txt --seq 3 --batch 1; echo "exit $?"
gtrace record $gpt -o d.h5 --tokens ids.txt --seq 9 --batch 2; echo "exit $?"
gtrace record $gpt -o d.h5 --tokens ids.txt --labels outside.txt; echo "exit $?"
gtrace record $gpt -o d.h5 --labels ids.txt; echo "exit $?"
gtrace record $gpt -o d.h5 --tokens absent.txt; echo "exit $?"
gtrace record $gpt -o d.h5 --tokens ids.txt --text text; echo "exit $?"
ls
