"""Fingerprint and compare kernels against memory bandwidth."""
import json

from harness import table


def rates(bench):
    """Median GB/s of each benchmark, by name."""
    text = bench.run(bench.program("bench_kernels"), "--benchmark_format=json", "--benchmark_repetitions=5",
                     "--benchmark_min_time=0.1", "--benchmark_report_aggregates_only=true")
    return {entry["run_name"]: entry["bytes_per_second"] / 1e9 for entry in json.loads(text)["benchmarks"]
            if entry.get("aggregate_name") == "median"}


def section(bench):
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
