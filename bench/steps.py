"""Training steps with capture against bare ones."""
import json
import statistics

from harness import table


def all_steps(runs):
    return [step for run in runs for step in run["steps"]]


def rows_of(bench, model, steps, rounds):
    done = json.loads(bench.run(bench.program("bench_step"), model, str(steps), str(rounds), str(bench.folder)))
    levels = {}
    for entry in done:
        levels.setdefault(entry["level"], []).append(entry["run"])
    bare = statistics.median(all_steps(levels["bare"]))
    return [row_of(model, level, runs, bare) for level, runs in levels.items()]


def row_of(model, level, runs, bare):
    times = all_steps(runs)
    middle = statistics.median(times)
    low, high = statistics.quantiles(times, n=10)[0], statistics.quantiles(times, n=10)[-1]
    file_size = statistics.median(run["file_bytes"] for run in runs) / 1e6
    close = statistics.median(run["close"] for run in runs)
    first = statistics.median(run["first_step"] for run in runs)
    return [model, level, str(len(times)), f"{middle * 1e3:.1f}", f"{low * 1e3:.1f}-{high * 1e3:.1f}",
            f"{middle / bare:.2f}", f"{first * 1e3:.0f}", f"{close * 1e3:.0f}", f"{file_size:.1f}"]


def section(bench):
    rows = rows_of(bench, "mlp", 30, 3) + rows_of(bench, "gpt", 8, 1)
    return table(["model", "capture", "steps timed", "median ms", "10-90 % ms", "ratio to bare", "first step ms",
                  "close ms", "file MB"], rows)
