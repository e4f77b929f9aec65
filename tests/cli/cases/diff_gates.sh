# layers.1 differs by half: each gate has its own options.
gtrace diff --quiet "$GOLDEN" "$SCALED" --gate bitwise; echo "bitwise $?"
gtrace diff --quiet "$GOLDEN" "$SCALED" --gate rel --rel 0.6; echo "rel 0.6 $?"
gtrace diff --quiet "$GOLDEN" "$SCALED" --rel 0.4; echo "rel 0.4 $?"
gtrace diff --quiet "$GOLDEN" "$SCALED" --gate allclose --rtol 0.6 --atol 0; echo "rtol 0.6 $?"
gtrace diff --quiet "$GOLDEN" "$SCALED" --gate allclose --rtol 0.4; echo "rtol 0.4 $?"
gtrace diff "$GOLDEN" "$SCALED" --rtol 0.4; echo "exit $?"
gtrace diff "$GOLDEN" "$SCALED" --gate envelope; echo "exit $?"
gtrace diff "$GOLDEN" "$SCALED" --nan maybe; echo "exit $?"
