# needs: record
gpt="gpt -o run.h5 --layers 2 --hidden 8 --heads 2 --ffn 16 --vocab 11 --positions 5 --seq 5 --dropout 0 --set tie_word_embeddings=false --quiet"
"$HELPERS/case_model" write-tiny tiny.safetensors
gtrace record $gpt --load tiny.safetensors; echo "exit $?"
rm -f run.h5
head -c 200 tiny.safetensors > cut.safetensors
echo '<html>' > page.safetensors
for file in absent.safetensors cut.safetensors page.safetensors .; do
  gtrace record $gpt --load $file; echo "exit $?"
done
gtrace record $gpt --load tiny.safetensors --hidden 4; echo "exit $?"
gtrace record gpt -o run.h5 --layers 2 --hidden 16 --heads 2 --vocab 11 --positions 5 --seq 5 --load tiny.safetensors --quiet; echo "exit $?"
ls
