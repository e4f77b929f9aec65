# What lies where a journal would be is named for what it is, and the advice never goes in circles.
mkdir folder folder.h5.journal
mkfifo pipe pipe.h5.journal
echo notes > text.h5.journal
head -c 3000 "$GOLDEN" > cut.h5.journal
for file in folder pipe /dev/null; do gtrace recover "$file"; echo "exit $?"; done
for name in folder pipe text cut; do
  gtrace show "$name.h5"; echo "exit $?"
  gtrace recover "$name.h5.journal"; echo "exit $?"
  "$HELPERS/write_trace" golden "$name.h5"; echo "exit $?"
done
cat text.h5.journal
ls
