# needs: record
# The trace takes the place of nothing that the command reads, and is refused before anything runs.
"$HELPERS/write_trace" segments golden.h5
cat golden.*.h5 > before
gtrace record mlp -o golden.0001.h5 --capture check --golden golden.h5; echo "exit $?"
gtrace record mlp -o golden.h5 --quiet; echo "exit $?"
gtrace record mlp -o golden.h5 --segment-size 1MB --quiet; echo "exit $?"
cat golden.*.h5 | cmp before
echo 1 2 3 > ids.txt
gtrace record gpt -o ids.txt --tokens ids.txt; echo "exit $?"
printf '#!/bin/sh\necho ran\n' > program; chmod +x program
gtrace record -o program -- ./program; echo "exit $?"
gtrace record -o golden.h5 -- ./program; echo "exit $?"
cat ids.txt program
