# A report or an array appears whole or not at all, and never in place of a trace that the command reads.
cp "$GOLDEN" a.h5; cp "$SCALED" b.h5
echo before > report.json
(ulimit -f 1; gtrace diff a.h5 b.h5 --quiet --report report.json); echo "exit $?"
cat report.json
gtrace diff a.h5 b.h5 --quiet --rules /dev/zero; echo "exit $?"
ln a.h5 a.txt
gtrace diff a.txt b.h5 --quiet --report a.txt; echo "exit $?"
id=$(gtrace show a.h5 --json | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["records"][0]["id"])')
gtrace show a.h5 --record "$id" --npy a.h5; echo "exit $?"
cmp a.h5 "$GOLDEN" && ls
