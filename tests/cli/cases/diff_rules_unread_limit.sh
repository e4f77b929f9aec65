# A limit in a rule that its gate does not read is refused, as it is on the command line.
printf '[[rule]]\nlayer = "layers.1"\natol = 9\n' > atol.toml
printf '\n[[rule]]\nlayer = "layers.1"\nrel = 9\n' > rel.toml
judged() { gtrace diff --quiet "$GOLDEN" "$SCALED" "$@"; echo "exit $?"; }
judged --rules atol.toml
judged --rules atol.toml --gate bitwise
judged --rules atol.toml --gate allclose
judged --rules rel.toml
judged --rules rel.toml --gate allclose
