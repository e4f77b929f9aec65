# What a message quotes of a file is whole and printable, and the file is named apart from the line.
printf '1 2\n3 a\0b\033[31m\n' > targets.txt
gtrace diff "$GOLDEN" "$SCALED" --gate quality --min-top1 1 --targets targets.txt --json
