#!/usr/bin/env python3
"""Runs the command-line tests: every cases/*.sh is a bash script whose stdout, stderr and exit code must be those
that the file beside it, cases/*.out, holds.

  run.py --bin build/bin --helpers build/tests                run all
  run.py … NAME…                                              run some
  run.py … --update                                           rewrite the expectations from what was printed
  run.py … --keep                                             keep the scratch folders and say where they are

A script starts in an empty folder. $GOLDEN, $SCALED, $NO_INPUTS and $SPECIAL are traces that write_trace made. A first
line "# needs: record" or "# needs: replay" skips it where that program was not built; "# shared: runs.sh" runs
shared/runs.sh once before, and $SHARED is the folder that it filled. In expectations @DIR@ stands for the scratch
folder, and @SHARED@, @SAMPLES@, @BIN@, @HELPERS@ and @SOURCE@ (the repository) for those folders; a line "…" matches
any number of lines, and "…" inside a line any text."""

import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = {"GOLDEN": "golden", "SCALED": "scaled", "NO_INPUTS": "no-inputs", "SPECIAL": "special"}
TIMEOUT = 300


def environment(args, folder):
    keep = {k: v for k, v in os.environ.items() if k in ("HOME", "LANG", "ASAN_OPTIONS", "GOLDENTRACE_PYTHON")}
    keep.update(PATH=f"{args.bin}:{os.environ['PATH']}", LC_ALL="C.UTF-8", TERM="dumb", BIN=str(args.bin),
                HELPERS=str(args.helpers), SOURCE=str(HERE.parent.parent), PYTHON=sys.executable)
    for variable, kind in SAMPLES.items():
        keep[variable] = str(folder / f"{kind}.h5")
    return keep


def make_samples(args, folder):
    for kind in SAMPLES.values():
        subprocess.run([args.helpers / "write_trace", kind, folder / f"{kind}.h5"], check=True)


def directives(script):
    text = script.read_text()
    return dict(re.findall(r"^# (needs|shared): (\S+)$", text, re.MULTILINE))


def run_shared(args, names, folder):
    """Runs each shared set-up script once; returns its folder by name."""
    folders = {}
    for name in sorted(names):
        target = folder / pathlib.Path(name).stem
        target.mkdir()
        subprocess.run(["bash", "-eu", HERE / "shared" / name], cwd=target, env=environment(args, folder), check=True,
                       timeout=TIMEOUT)
        folders[name] = target
    return folders


def run_case(args, script, samples, shared):
    scratch = pathlib.Path(tempfile.mkdtemp(prefix=f"gtrace-{script.stem}-"))
    env = environment(args, samples)
    if (name := directives(script).get("shared")) is not None:
        env["SHARED"] = str(shared[name])
    process = subprocess.run(["bash", script], cwd=scratch, env=env, capture_output=True, timeout=TIMEOUT)
    text = f"exit {process.returncode}\n--- stdout\n{process.stdout.decode(errors='replace')}"
    text += f"--- stderr\n{process.stderr.decode(errors='replace')}"
    for place, word in ((scratch, "@DIR@"), (env.get("SHARED"), "@SHARED@"), (samples, "@SAMPLES@"),
                        (args.bin, "@BIN@"), (args.helpers, "@HELPERS@"), (env["SOURCE"], "@SOURCE@")):
        if place is not None:
            text = text.replace(str(place), word)
    if args.keep:
        print(f"{script.stem}: kept {scratch}")
    else:
        shutil.rmtree(scratch, ignore_errors=True)
    return text


def matches(expected, actual):
    if "…" not in expected:
        return expected == actual
    lines = []
    for line in expected.splitlines(keepends=True):
        lines.append("(?s:.*)" if line == "…\n" else "[^\n]*".join(map(re.escape, line.split("…"))))
    return re.fullmatch("".join(lines), actual) is not None


def judge(args, script, actual):
    """None when the case passed, else what is wrong."""
    path = script.with_suffix(".out")
    if args.update:
        if not path.exists() or not matches(path.read_text(), actual):
            path.write_text(actual)
        return None
    if not path.exists():
        return f"{path} is missing; run.py --update {script.stem} writes it"
    expected = path.read_text()
    if matches(expected, actual):
        return None
    return "".join(difflib.unified_diff(expected.splitlines(True), actual.splitlines(True), "expected", "printed"))


def chosen(args):
    scripts = sorted((HERE / "cases").glob("*.sh"))
    if args.names:
        unknown = set(args.names) - {script.stem for script in scripts}
        if unknown:
            sys.exit(f"no such case: {', '.join(sorted(unknown))}")
        scripts = [script for script in scripts if script.stem in args.names]
    runnable, skipped = [], []
    for script in scripts:
        need = directives(script).get("needs")
        (runnable if need is None or (args.bin / f"gtrace-{need}").exists() else skipped).append(script)
    return runnable, skipped


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--helpers", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    scripts, skipped = chosen(args)
    with tempfile.TemporaryDirectory(prefix="gtrace-samples-") as folder:
        samples = pathlib.Path(folder)
        samples.chmod(0o755)
        make_samples(args, samples)
        shared = run_shared(args, {d["shared"] for d in map(directives, scripts) if "shared" in d}, samples)
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            texts = list(pool.map(lambda script: run_case(args, script, samples, shared), scripts))
    failures = 0
    for script, text in zip(scripts, texts):
        problem = judge(args, script, text)
        if problem is not None:
            failures += 1
            print(f"FAILED {script.stem}\n{problem}\nagain: {sys.argv[0]} --bin {args.bin} --helpers {args.helpers} "
                  f"--keep {script.stem}\n")
    print(f"{len(scripts) - failures} passed, {failures} failed, {len(skipped)} skipped")
    sys.exit(1 if failures or not scripts else 0)


if __name__ == "__main__":
    main()
