"""What the machine is, and whether two threads are worth two."""
import json
import os
import pathlib

from harness import table


def facts():
    info = pathlib.Path("/proc/cpuinfo").read_text()
    model = next((line.split(":")[1].strip() for line in info.splitlines() if line.startswith("model name")), "unknown")
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    vectors = [name for name in ("avx2", "avx512f") if f" {name} " in info]
    return (f"{model}, {os.cpu_count()} cores, {pages:.0f} GiB of memory, {' '.join(vectors)}; load average at the start "
            f"{os.getloadavg()[0]:.1f}; not run on a GPU")


def scaling(bench):
    """Two threads against one: on a shared or busy machine the second core may not be there."""
    result = json.loads(bench.run(bench.program("bench_scaling")))
    return table(["work", "one thread", "two threads", "ratio"],
                 [[name, f"{one:.2f} {unit}", f"{two:.2f} {unit}", f"{two / one:.2f}"]
                  for name, unit, one, two in result])
