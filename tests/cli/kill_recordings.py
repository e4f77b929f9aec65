#!/usr/bin/env python3
"""Kills real recordings at random moments and looks at what is left.

  kill_recordings.py --bin build/bin --count 10 [--seed N]

Whatever the moment: no file looks sealed and is not; `gtrace recover` gives every step that the journal had committed,
each record bit-equal to an undisturbed run; what a reader says before that is "incomplete"."""

import argparse
import json
import random
import sys
import time

from harness import Commands, kill, same_prefix, scratch_folder, step_of, wait_for

class Run:
    def __init__(self, input_dim, samples):
        self.words = ["record", "mlp", "--input_dim", str(input_dim), "--batch_size", "8", "--train_dataset_len",
                      str(samples), "--threads", "1", "--log_steps", "1", "--withhold-command-line"]
        self.steps = samples // 8 + 1  # the evaluation is the last


# The journal of the first is copied when it is sealed, that of the second becomes the trace itself.
RUNS = {"copied": Run(64, 480), "in place": Run(1024, 120)}
# A moment of the run: while the program starts and trains, or around its end, where the trace is sealed.
MOMENTS = ("anywhere", "training", "sealing")


def choose(rng, length):
    moment = rng.choice(MOMENTS)
    if moment == "anywhere":
        return moment, rng.uniform(0, 1.1 * length["whole"])
    if moment == "training":
        return moment, rng.uniform(0, length["training"])
    return moment, rng.uniform(0, 1.5 * length["sealing"])


def wait_until(moment, delay, commands, process, run):
    log = commands.folder / "log"
    if moment == "training":
        wait_for(lambda: "step 0 " in log.read_text(), process)
    elif moment == "sealing":
        wait_for(lambda: f"step {run.steps - 2} " in log.read_text(), process)
    time.sleep(delay)


def measure(commands, run):
    """How long the parts of an undisturbed run take; leaves whole.h5."""
    start = time.monotonic()
    process = commands.start(*run.words, "-o", "whole.h5")
    log = commands.folder / "log"
    wait_for(lambda: "step 0 " in log.read_text(), process)
    first = time.monotonic()
    wait_for(lambda: f"step {run.steps - 2} " in log.read_text(), process)
    last = time.monotonic()
    if process.wait() != 0:
        raise AssertionError(f"the undisturbed run failed: {log.read_text()}")
    end = time.monotonic()
    return {"whole": end - start, "training": last - first, "sealing": end - last}


def is_in_place(trace):
    return b"GTEJ" in trace.read_bytes()


def judge(commands, whole, run):
    """What the killed recording of run.h5 left: (steps, None), or (0, what is wrong)."""
    trace, journal = commands.folder / "run.h5", commands.folder / "run.h5.journal"
    if trace.exists():
        # Sealed: everything is there. A journal beside it was about to be removed.
        records = commands.records("run.h5")
        if len(records) != len(whole):
            return 0, f"run.h5 looks sealed and has {len(records)} of {len(whole)} records"
    if not journal.exists():
        return (run.steps, same_prefix(commands.records("run.h5"), whole)) if trace.exists() else (0, None)
    if not trace.exists():
        before = commands.run("show", "run.h5")
        if before.returncode != 2 or "gtrace recover" not in before.stderr:
            return 0, f"before recovery show says {before.returncode} {before.stderr}"
    verified = commands.run("verify", "run.h5.journal", "--json")
    recovered = commands.run("recover", "run.h5.journal")
    if verified.returncode != 0:
        # Nothing was committed, or not even the journal's head was written.
        if recovered.returncode == 0 and trace.exists():
            return 0, f"verify refuses what recover takes: {verified.stderr}"
        return 0, None if recovered.returncode in (0, 2) else f"recover: {recovered.stderr}"
    committed = json.loads(verified.stdout)["steps"]
    if recovered.returncode != 0:
        return 0, None if committed == 0 else f"recover of {committed} steps: {recovered.stderr}"
    if not trace.exists():
        return 0, None
    records = commands.records("run.h5")
    steps = len({step_of(name) for name in records})
    lost = None if steps == committed else f"{steps} of {committed} committed steps were recovered"
    return steps, lost or same_prefix(records, whole)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    args = parser.parse_args()
    rng = random.Random(args.seed)
    failures, kept = 0, []
    with scratch_folder("kill") as folder:
        commands = Commands(args.bin, folder)
        for way, run in RUNS.items():
            length = measure(commands, run)
            if is_in_place(commands.folder / "whole.h5") != (way == "in place"):
                raise AssertionError(f"a run that should be sealed {way} is not")
            whole = commands.records("whole.h5")
            for number in range(args.count // len(RUNS)):
                for left in commands.folder.glob("run.h5*"):
                    left.unlink()
                moment, delay = choose(rng, length)
                process = commands.start(*run.words, "-o", "run.h5")
                wait_until(moment, delay, commands, process, run)
                kill(process)
                steps, problem = judge(commands, whole, run)
                kept.append(steps)
                if problem:
                    failures += 1
                    print(f"kill {number} ({way}, {moment} + {delay:.3f} s): {problem}")
    print(f"{args.count} kills, {failures} wrong, committed steps {sorted(kept)}; seed {args.seed}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
