# Every command gives exit 2 and one line for a file that is no trace.
mkdir folder
: > empty.h5
echo 'not a trace at all' > text.h5
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n' > pointer.h5
cp "$GOLDEN" golden.h5
head -c 3000 golden.h5 > cut.h5
head -c 10 golden.h5 > ten.h5
for file in absent.h5 folder empty.h5 text.h5 pointer.h5 cut.h5 ten.h5; do
  for command in "show $file" "verify $file" "diff $file golden.h5" "diff golden.h5 $file"; do
    gtrace $command > out 2> err
    echo "$command: exit $?, $(wc -l < err) line on stderr, $(wc -c < out) bytes on stdout"
  done
  cat err
done
