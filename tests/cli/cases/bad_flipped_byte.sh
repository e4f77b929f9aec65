# A flipped byte is found by verify wherever it is.
cp "$GOLDEN" golden.h5
"$PYTHON" - <<'P'
import random, subprocess
good = open("golden.h5", "rb").read()
random.seed(1)
found = 0
places = random.sample(range(len(good)), 60)
for place in places:
    bad = bytearray(good)
    bad[place] ^= 1 << random.randrange(8)
    open("bad.h5", "wb").write(bad)
    run = subprocess.run(["gtrace", "verify", "bad.h5"], capture_output=True, text=True)
    lines = run.stderr.splitlines()
    if run.returncode == 2:
        found += 1
        assert len(lines) == 1 and "bad.h5" in lines[0], run.stderr
    else:
        # HDF5 leaves room between its structures that nothing reads.
        assert run.returncode == 0 and not lines, (place, run)
        shown = [subprocess.run(["gtrace", "show", name, "--json"], capture_output=True, text=True).stdout
                 for name in ("bad.h5", "golden.h5")]
        assert shown[0].replace("bad.h5", "golden.h5") == shown[1], place
print("found" if found > 20 else f"only {found} found")
P
