gtrace show "$GOLDEN" --quiet --record 0:0:0/forward/layers.0#0/output.0 --npy out.npy
gtrace show "$SPECIAL" --quiet --record 0:0:0/forward/halves#0/output.0 --npy halves.npy
"$PYTHON" - <<'P'
import struct
for name in ("out.npy", "halves.npy"):
    data = open(name, "rb").read()
    size = struct.unpack("<H", data[8:10])[0]
    print(data[:6], (10 + size) % 64, data[10:10 + size].decode().strip())
    print(struct.unpack(f"<{(len(data) - 10 - size) // 4}f", data[10 + size:]))
P
