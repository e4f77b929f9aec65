# The command that scripts call thousands of times must not load LibTorch.
ldd "$BIN/gtrace" | grep -c -E "libtorch|libc10" || true
