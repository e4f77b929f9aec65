#!/usr/bin/env python3
"""The accumulation run at full size (141,725,461 parameters): the eight losses that its authors published, within
1e-6 relative, out of a sketch trace. Needs about two minutes, 3 GB of memory and GOLDENTRACE_BIN."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

PUBLISHED = [1.1098170280456543, 1.1719611883163452, 3.453134536743164, 2.518792152404785, 6.67546272277832,
             4.609560012817383, 5.953202247619629, 1.325960636138916]
RELATIVE = 1e-6
LARGEST_GOLDEN = 1_000_000  # bytes


def gtrace(*arguments):
    command = [os.path.join(os.environ["GOLDENTRACE_BIN"], "gtrace"), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "ga.h5"
        gtrace("record", "mlp", "--variant", "ga-loop", "--gradient_accumulation_steps", "8", "--capture", "sketch",
               "-o", str(path), "--quiet")
        losses = [loss["value"] for loss in json.loads(gtrace("show", "--json", str(path)))["losses"]
                  if loss["micro"] is None]
        size = path.stat().st_size
    errors = [abs(a - b) / a for a, b in zip(PUBLISHED, losses)]
    for published, loss, error in zip(PUBLISHED, losses, errors):
        print(f"{published!r:>20} {loss!r:>20} {error:.2e}")
    print(f"trace: {size} bytes")
    good = len(losses) == len(PUBLISHED) and max(errors) <= RELATIVE and size < LARGEST_GOLDEN
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
