#!/usr/bin/env python3
"""Prints the figures of bench/README.md as Markdown; --write puts them into that page.

    python3 bench/run.py --build build [--only kernels,step,diff,replay] [--write]

Every ratio is taken within one run of one machine, with equal malloc settings on both sides.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
README = HERE / "README.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"

# Without these, freshly mapped pages (10-50x slower than touched ones) decide who wins.
MALLOC = {
    "MALLOC_MMAP_THRESHOLD_": "2000000000",
    "MALLOC_TRIM_THRESHOLD_": "8000000000",
    "MALLOC_TOP_PAD_": "67108864",
}
SMALL_MLP = ["mlp", "--input_dim", "64", "--train_dataset_len", "512", "--threads", "1"]
GPT = ["gpt", "--layers", "4", "--hidden", "768", "--heads", "12", "--batch", "1", "--seq", "256", "--steps", "2",
       "--threads", "1"]
REPLAYED_LAYER = "h.1.mlp"


class Unavailable(Exception):
    """A figure that this build cannot give, with the reason."""


class Bench:
    def __init__(self, build, folder):
        self.bin = build / "bin"
        self.folder = folder
        self.environment = dict(os.environ, **MALLOC)

    def program(self, name):
        path = self.bin / name
        if not path.exists():
            raise Unavailable(f"{name} is not built")
        return str(path)

    def run(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment)
        if done.returncode != 0:
            raise Unavailable(f"{pathlib.Path(command[0]).name} {command[1]} failed: {done.stderr.strip()[:200]}")
        return done.stdout

    def median_time(self, *command, runs):
        """Start to end of a command, in seconds."""
        if not shutil.which("hyperfine"):
            raise Unavailable("hyperfine is not installed")
        report = self.folder / "hyperfine.json"
        line = " ".join(f"'{word}'" for word in command)
        self.run("hyperfine", "--shell=none", "--warmup=3", f"--runs={runs}", f"--export-json={report}", line)
        return json.loads(report.read_text())["results"][0]["median"]

    def record(self, name, *arguments):
        path = self.folder / name
        if not path.exists():
            self.run(self.program("gtrace"), "record", *arguments, "-o", str(path))
        return str(path)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def rates(bench):
    """Median GB/s of each benchmark, by name."""
    text = bench.run(bench.program("bench_kernels"), "--benchmark_format=json", "--benchmark_repetitions=5",
                     "--benchmark_min_time=0.1", "--benchmark_report_aggregates_only=true")
    return {entry["run_name"]: entry["bytes_per_second"] / 1e9 for entry in json.loads(text)["benchmarks"]
            if entry.get("aggregate_name") == "median"}


def kernel_section(bench):
    rate = rates(bench)
    dtypes = [name.split("/")[1] for name in rate if name.startswith("fingerprint/") and name.endswith("/memory")]
    rows = []
    for where, words in (("memory", "256 MiB"), ("cache", "512 KiB")):
        read = rate[f"read/{where}"]
        for name in ("read", "copy", "hash"):
            rows.append([words, name, "", f"{rate[f'{name}/{where}']:.1f}", f"{rate[f'{name}/{where}'] / read:.2f}"])
        for kernel in ("fingerprint", "compare_equal", "compare_differing"):
            for dtype in dtypes:
                value = rate[f"{kernel}/{dtype}/{where}"]
                rows.append([words, kernel.replace("_", ", "), dtype, f"{value:.1f}", f"{value / read:.2f}"])
    return table(["tensor", "kernel", "dtype", "GB/s", "of read bandwidth"], rows)


def all_steps(runs):
    return [step for run in runs for step in run["steps"]]


def step_rows(bench, model, steps, rounds):
    result = json.loads(bench.run(bench.program("bench_step"), model, str(steps), str(rounds), str(bench.folder)))
    bare = statistics.median(all_steps(result["bare"]))
    rows = []
    for level in ("bare", "full", "sketch"):
        runs = result[level]
        times = all_steps(runs)
        median = statistics.median(times)
        low, high = statistics.quantiles(times, n=10)[0], statistics.quantiles(times, n=10)[-1]
        file_size = statistics.median(run["file_bytes"] for run in runs) / 1e6
        close = statistics.median(run["close"] for run in runs)
        first = statistics.median(run["first_step"] for run in runs)
        rows.append([model, level, str(len(times)), f"{median * 1e3:.1f}", f"{low * 1e3:.1f}-{high * 1e3:.1f}",
                     f"{median / bare:.2f}", f"{first * 1e3:.0f}", f"{close * 1e3:.0f}", f"{file_size:.1f}"])
    return rows


def step_section(bench):
    rows = step_rows(bench, "mlp", 30, 5) + step_rows(bench, "gpt", 6, 2)
    return table(["model", "capture", "steps timed", "median ms", "10-90 % ms", "ratio to bare", "first step ms",
                  "close ms", "file MB"], rows)


def diff_section(bench):
    rows = []
    for capture in ("full", "sketch"):
        a, b = (bench.record(f"{side}-{capture}.h5", *SMALL_MLP, "--capture", capture) for side in "ab")
        time = bench.median_time(bench.program("gtrace"), "diff", a, b, runs=30)
        size = os.path.getsize(a) / 1e3
        rows.append([f"gtrace diff, equal traces of a small MLP, {capture} ({size:.0f} kB each)",
                     f"{time * 1e3:.1f} ms", "50 ms"])
    version = bench.median_time(bench.program("gtrace"), "--version", runs=30)
    rows.append(["gtrace --version", f"{version * 1e3:.1f} ms", ""])
    return table(["start to end", "median", "goal"], rows)


def replay_section(bench):
    trace = bench.record("gpt.h5", *GPT, "--capture", "full")
    time = bench.median_time(bench.program("gtrace"), "replay", trace, "--layer", REPLAYED_LAYER, "--step", "0", runs=5)
    return table(["start to verdict", "median", "goal", "floor"],
                 [[f"gtrace replay of {REPLAYED_LAYER}, one step, forward and backward, GPT 4 x 768, 256 tokens",
                   f"{time:.2f} s", "1 s", "2 s"]])


SECTIONS = {
    "step": ("Step with capture against a bare step", step_section),
    "diff": ("Start-up of gtrace diff", diff_section),
    "replay": ("Replay of one layer", replay_section),
    "kernels": ("Kernels against memory bandwidth", kernel_section),
}


def machine():
    info = pathlib.Path("/proc/cpuinfo").read_text()
    model = next((line.split(":")[1].strip() for line in info.splitlines() if line.startswith("model name")), "unknown")
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    vectors = [name for name in ("avx2", "avx512f") if f" {name} " in info]
    return (f"{model}, {os.cpu_count()} cores, {pages:.0f} GiB of memory, {' '.join(vectors)}; load average at the start "
            f"{os.getloadavg()[0]:.1f}; not run on a GPU")


def report(bench, wanted):
    lines = [f"Machine: {machine()}."]
    for key in wanted:
        title, section = SECTIONS[key]
        lines += ["", f"### {title}", ""]
        print(f"bench: {key} …", file=sys.stderr)
        try:
            lines += section(bench)
        except Unavailable as reason:
            lines.append(f"Not available: {reason}.")
    return "\n".join(lines)


def write_readme(text):
    page = README.read_text(encoding="utf-8")
    head, rest = page.split(BEGIN)
    README.write_text(head + BEGIN + "\n" + text + "\n" + END + rest.split(END)[1], encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"), help="build folder")
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, comma-separated: " + ", ".join(SECTIONS))
    parser.add_argument("--write", action="store_true", help="put the figures into bench/README.md")
    arguments = parser.parse_args()
    wanted = arguments.only.split(",")
    if unknown := [key for key in wanted if key not in SECTIONS]:
        parser.error(f"unknown section {unknown[0]}; use {', '.join(SECTIONS)}")
    with tempfile.TemporaryDirectory(prefix="goldentrace-bench-") as folder:
        text = report(Bench(arguments.build.resolve(), pathlib.Path(folder)), wanted)
    print(text)
    if arguments.write:
        write_readme(text)


if __name__ == "__main__":
    main()
