# needs: record
# A program that ends by itself with another code than 0 keeps every step that was finished, and no half one.
for ending in fail exit half forward evaluate; do
  gtrace record -o $ending.h5 -- "$HELPERS/observed_program" $ending > out; echo "$ending: exit $?"
  gtrace verify --quiet $ending.h5; echo "verify $?"
  gtrace show $ending.h5 --json | "$PYTHON" -c '
import json, sys
document = json.load(sys.stdin)
print(sorted({record["step"] for record in document["records"]}), document["recording"]["ended"])'
done
