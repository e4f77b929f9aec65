#!/usr/bin/env python3
"""Flips single bits of recorded traces and journals and asks every command that reads them.

  flip_bits.py --bin build/bin --count 200 [--seed N]

No command may give a wrong answer: verify, show, diff and recover either say what is wrong (exit 2) or answer as for
the intact file, because the bit is in a part that they do not read. A replay, which is slower, gets a share of them."""

import argparse
import json
import random
import sys

from harness import Commands, kill, same_prefix, scratch_folder, wait_for

MLP = ["mlp", "--input_dim", "16", "--batch_size", "4", "--threads", "1", "--withhold-command-line"]
REPLAYS = 8  # one in so many


def flipped(path, rng, copy):
    data = bytearray(path.read_bytes())
    at, bit = rng.randrange(len(data)), rng.randrange(8)
    data[at] ^= 1 << bit
    copy.write_bytes(data)
    return at, bit


def shown(process):
    document = json.loads(process.stdout)
    document.pop("file")
    return document


class TraceJudge:
    """What the commands say of the intact trace, and whether they say it of a damaged one."""

    def __init__(self, commands):
        self.commands = commands
        commands.run("record", *MLP, "-o", "golden.h5", "--train_dataset_len", "12", "--quiet")
        self.shown = shown(commands.run("show", "golden.h5", "--json"))
        self.values = {record: self.value(record) for record in list(self.names())[:40]}

    def names(self):
        return (record["id"] for record in self.shown["records"])

    def value(self, record, trace="golden.h5"):
        process = self.commands.run("show", trace, "--record", record, "--json")
        return (process.returncode, shown(process) if process.returncode == 0 else None)

    def wrong(self, number, rng):
        """What a command said of flipped.h5 that is wrong; None when nothing was."""
        verify = self.commands.run("verify", "--quiet", "flipped.h5")
        show = self.commands.run("show", "flipped.h5", "--json")
        record = rng.choice(sorted(self.values))
        value = self.value(record, "flipped.h5")
        diff = self.commands.run("diff", "golden.h5", "flipped.h5", "--gate", "bitwise", "--quiet")
        if verify.returncode not in (0, 2) or (verify.returncode == 2) != bool(verify.stderr):
            return f"verify: {verify.returncode} {verify.stderr}"
        if show.returncode != 2 and (show.returncode != 0 or shown(show) != self.shown):
            return f"show: {show.returncode}, not what the intact file holds"
        if value[0] != 2 and value != self.values[record]:
            return f"show --record {record}: {value}"
        if diff.returncode not in (0, 2):
            return f"diff: {diff.returncode}"
        if number % REPLAYS == 0:
            replay = self.commands.run("replay", "flipped.h5", "--all", "--quiet")
            if replay.returncode not in (0, 2):
                return f"replay: {replay.returncode} {replay.stderr}"
        return None


class JournalJudge:
    def __init__(self, commands):
        self.commands = commands
        log = commands.folder / "log"
        words = ["record", *MLP, "--train_dataset_len", "40000", "--log_steps", "1", "-o", "killed.h5"]
        process = commands.start(*words)
        wait_for(lambda: "step 6 " in log.read_text(), process)
        kill(process)
        (commands.folder / "kept.journal").write_bytes((commands.folder / "killed.h5.journal").read_bytes())
        commands.run("recover", "killed.h5.journal", "-o", "whole.h5")
        self.whole = commands.records("whole.h5")

    def wrong(self):
        verify = self.commands.run("verify", "flipped.journal", "--json")
        recover = self.commands.run("recover", "flipped.journal", "-o", "flipped-out.h5", "--keep-before-damage")
        out = self.commands.folder / "flipped-out.h5"
        problem = None
        if verify.returncode not in (0, 2) or recover.returncode not in (0, 2):
            problem = f"verify {verify.returncode}, recover {recover.returncode}: {recover.stderr}"
        elif out.exists():
            problem = same_prefix(self.commands.records("flipped-out.h5"), self.whole)
        out.unlink(missing_ok=True)
        return problem


def run(count, rng, path, copy, judge):
    failures = 0
    for number in range(count):
        at, bit = flipped(path, rng, copy)
        problem = judge(number)
        if problem:
            failures += 1
            print(f"{path.name}: byte {at}, bit {bit}: {problem}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    args = parser.parse_args()
    rng = random.Random(args.seed)
    with scratch_folder("flip") as folder:
        commands = Commands(args.bin, folder)
        trace = TraceJudge(commands)
        failures = run(args.count, rng, commands.folder / "golden.h5", commands.folder / "flipped.h5",
                       lambda number: trace.wrong(number, rng))
        journal = JournalJudge(commands)
        kept = commands.folder / "kept.journal"
        failures += run(args.count, rng, kept, commands.folder / "flipped.journal", lambda number: journal.wrong())
    print(f"{args.count} bits of a trace and {args.count} of a journal, {failures} wrong answers; seed {args.seed}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
