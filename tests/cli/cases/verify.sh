cp "$GOLDEN" golden.h5
gtrace verify golden.h5 | sed 's/[0-9.]* kB/N kB/'
