printf '[[rule]]\nlayer = "layers.1"\ngate = "allclose"\nrtol = 0.6\n[[rule]]\nrole = "loss"\nrel = 0.6\n' > rules.toml
gtrace diff --quiet "$GOLDEN" "$SCALED" --rules rules.toml; echo "exit $?"
gtrace diff --quiet "$GOLDEN" "$SCALED" --rules absent.toml; echo "exit $?"
