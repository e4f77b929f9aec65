#!/usr/bin/env python3
"""A golden without payload: the accumulation run recorded as sketch is compared with runs that were recorded with
payload, or checked against it. The same run passes; 0.1 % more at the output of layers.2 is found there, and
where the inputs are there the command that the report suggests runs that layer again.

    sketch_golden.py INPUT_DIM CAPTURE      # CAPTURE of the candidates: full or check

Needs GOLDENTRACE_BIN."""

import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

LAYER = "layers.2"
BIN = os.environ["GOLDENTRACE_BIN"]
SKIPPED = 77
LARGEST_GOLDEN = 1_000_000  # bytes


def gtrace(*arguments, codes=(0,)):
    done = subprocess.run([os.path.join(BIN, "gtrace"), *map(str, arguments)], capture_output=True, text=True)
    if done.returncode not in codes:
        sys.exit(f"gtrace {arguments[0]} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def record(path, input_dim, *more):
    gtrace("record", "mlp", "--variant", "ga-loop", "--gradient_accumulation_steps", 8, "--input_dim", input_dim,
           "--quiet", "-o", path, *more)
    return path


def expect(condition, what, report):
    if not condition:
        sys.exit(f"{what}: {json.dumps(report, indent=1)[:3000]}")
    print("ok:", what)


def compare(golden, candidate, code):
    return json.loads(gtrace("diff", golden, candidate, "--json", codes=(code,)))


def check_same(golden, candidate):
    report = compare(golden, candidate, 0)
    expect(report["verdict"] == "same" and report["compared"] == report["bitwise_equal"] > 0,
           "the same run agrees bit for bit by its hashes", {key: report[key] for key in ("verdict", "compared")})
    expect(not report["missing"] and not report["extra"], "nothing is missing", report)


def check_replay(report, capture):
    if capture == "check":
        # Inputs that agree were left out, and the golden has none either.
        expect(report["replay_command"] is None, "no replay is suggested without inputs", report["replay_command"])
        return
    replay = shlex.split(report["replay_command"])
    gtrace(*replay[1:])
    print("ok: the suggested replay runs:", report["replay_command"])


def check_scaled(golden, candidate, capture):
    report = compare(golden, candidate, 1)
    first = report["first_divergence"]
    place = {"step": 0, "micro": 0, "pass": "forward", "layer": LAYER, "role": "output", "origin": "introduced"}
    expect(all(first[key] == value for key, value in place.items()), f"0.1 % is found at the output of {LAYER}", first)
    expect(first["op"] and first["op"]["status"] == "only_in_b", "the extra op is named", first)
    error = first["metrics"]["rel_frobenius"]
    expect(first["estimated"] and 0.0008 < error < 0.0012, f"the estimate is near 0.001: {error:.2e}", first)
    expect(report["certified_prefix"] > 0, "what comes before is certified", report)
    check_replay(report, capture)


def main():
    input_dim, capture = sys.argv[1:]
    if capture == "check" and "--golden" not in gtrace("record", "mlp", "--help"):
        print("skipped: gtrace record has no --golden")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory(prefix="goldentrace-golden-") as folder:
        folder = pathlib.Path(folder)
        golden = record(folder / "golden.h5", input_dim, "--capture", "sketch")
        expect(golden.stat().st_size < LARGEST_GOLDEN, f"the golden has {golden.stat().st_size} bytes", None)
        how = ["--capture", capture] + (["--golden", golden] if capture == "check" else [])
        same = record(folder / "same.h5", input_dim, *how)
        check_same(golden, same)
        same.unlink()
        # Everything behind the fault differs in every step: the first one is enough.
        check_scaled(golden, record(folder / "scaled.h5", input_dim, *how, "--record-steps", 0, "--plant",
                                    f"scale=1.001@{LAYER}"), capture)


if __name__ == "__main__":
    main()
