"""What every section of the benchmarks uses: running programs with equal malloc settings, medians, Markdown tables."""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

# Without these, freshly mapped pages (10-50x slower than touched ones) decide who wins.
MALLOC = {
    "MALLOC_MMAP_THRESHOLD_": "2000000000",
    "MALLOC_TRIM_THRESHOLD_": "8000000000",
    "MALLOC_TOP_PAD_": "67108864",
}
GPT = ["gpt", "--layers", "4", "--hidden", "768", "--heads", "12", "--batch", "1", "--seq", "256", "--threads", "1"]


class Unavailable(Exception):
    """A figure that this build or machine cannot give, with the reason."""


class Bench:
    """The programs of one build, and a folder for what they write."""

    def __init__(self, build, folder):
        self.build = build.resolve()
        self.bin = self.build / "bin"
        self.folder = folder
        self.environment = dict(os.environ, **MALLOC, HDF5_PLUGIN_PATH=str(self.build / "lib" / "hdf5-plugin"))

    def program(self, name):
        path = self.bin / name
        if not path.exists():
            raise Unavailable(f"{name} is not built")
        return str(path)

    def python(self):
        """The interpreter of the tests, which has h5py and hdf5plugin."""
        return sys.executable

    def peers(self):
        """The interpreter that has the peers as well (`ci/deps.sh bench` makes it)."""
        path = pathlib.Path(os.environ.get("GOLDENTRACE_DEPS", ".deps")) / "bench-venv" / "bin" / "python"
        if not path.exists():
            raise Unavailable("the peers are not installed; run ci/deps.sh bench")
        return str(path)

    def run(self, *command, codes=(0,)):
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment)
        if done.returncode not in codes:
            words = " ".join(pathlib.Path(word).name for word in command[:3])
            raise Unavailable(f"{words} ended with {done.returncode}: {done.stderr.strip()[-200:]}")
        return done.stdout

    def script(self, interpreter, name, *arguments):
        """What a Python program of this folder prints as JSON."""
        return json.loads(self.run(interpreter, str(HERE / name), *map(str, arguments)).splitlines()[-1])

    def median_time(self, *command, runs, codes=(0,)):
        """Start to end of a command, in seconds."""
        if not shutil.which("hyperfine"):
            raise Unavailable("hyperfine is not installed")
        report = self.folder / "hyperfine.json"
        line = " ".join(f"'{word}'" for word in command)
        ignore = [] if codes == (0,) else ["--ignore-failure"]
        self.run("hyperfine", "--shell=none", "--warmup=1", *ignore, f"--runs={runs}", f"--export-json={report}", line)
        result = json.loads(report.read_text())["results"][0]
        if any(code not in codes for code in result["exit_codes"]):
            raise Unavailable(f"{pathlib.Path(command[0]).name} ended with {result['exit_codes'][0]}")
        return result["median"]

    def record(self, name, *arguments):
        path = self.folder / name
        if not path.exists():
            self.run(self.program("gtrace"), "record", *arguments, "-o", str(path))
        return str(path)


def median(values):
    return statistics.median(values)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]
