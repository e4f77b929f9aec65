# What CLI11 refuses, in our own words: the option, what was given, what is allowed.
try() { gtrace "$@"; echo "exit $?"; }
try diff "$GOLDEN" "$GOLDEN" --gate rel --gate bitwise
try diff "$GOLDEN" "$GOLDEN" --gate
try diff "$GOLDEN" "$GOLDEN" --atol 1 x
try show "$GOLDEN" --json=maybe
try show "$GOLDEN" --stats=0
try show "$GOLDEN" --limit
try show "$GOLDEN" --limit 99999999999999999999
try show --sats
