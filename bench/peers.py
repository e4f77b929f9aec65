"""msProbe on the same small GPT: its recording against its own bare step, and its comparison of two dumps."""
import shutil
import statistics
import time

from harness import GPT, Unavailable, table

STEPS = 7


def steps(bench, task, folder):
    return bench.script(bench.peers(), "msprobe_step.py", folder, STEPS, task)


def compare_time(bench, folder):
    dumps = sorted((folder / "tensor").glob("step*"))
    if len(dumps) < 2:
        raise Unavailable("msProbe wrote no dumps")
    program = str(bench.peers()).replace("/python", "/msprobe")
    start = time.perf_counter()
    bench.run(program, "compare", "-tp", str(dumps[-1]), "-gp", str(dumps[-2]), "-o", str(folder / "compared"))
    return time.perf_counter() - start


def our_compare_time(bench):
    traces = [bench.record(f"{side}-gpt.h5", *GPT, "--steps", "1", "--seed", str(seed), "--self-check", "none")
              for side, seed in (("a", 42), ("b", 43))]
    return bench.median_time(bench.program("gtrace"), "diff", *traces, runs=3, codes=(1, 2))


def section(bench):
    folder = bench.folder / "msprobe"
    folder.mkdir()
    bare = statistics.median(steps(bench, "bare", folder))
    rows = []
    for task in ("statistics", "tensor"):
        ratio = statistics.median(steps(bench, task, folder)) / bare
        rows.append([f"msProbe L0 {task}: step / bare step", f"{ratio:.2f}"])
    rows.append(["msProbe compare of two dumps of one step", f"{compare_time(bench, folder):.1f} s"])
    shutil.rmtree(folder)
    rows.append(["gtrace diff of two full traces of one step of our GPT", f"{our_compare_time(bench):.2f} s"])
    return table(["figure", "value"], rows)
