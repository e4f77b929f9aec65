"""What the harnesses that run real recordings share: commands, killed recordings, and traces as comparable values."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

TIMEOUT = 300


class Commands:
    """The commands of one build; every call is given the folder that it runs in."""

    def __init__(self, bin_folder, folder):
        self.bin = pathlib.Path(bin_folder).resolve()
        self.folder = pathlib.Path(folder)

    def run(self, *words):
        return subprocess.run([self.bin / "gtrace", *map(str, words)], cwd=self.folder, capture_output=True, text=True,
                              timeout=TIMEOUT)

    def start(self, *words, log="log"):
        output = open(self.folder / log, "w")
        return subprocess.Popen([self.bin / "gtrace", *map(str, words)], cwd=self.folder, stdout=output,
                                stderr=subprocess.STDOUT)

    def json(self, *words):
        process = self.run(*words, "--json")
        if process.returncode != 0:
            raise AssertionError(f"gtrace {' '.join(map(str, words))}: exit {process.returncode}: {process.stderr}")
        return json.loads(process.stdout)

    def records(self, trace):
        """Records by id, with everything that the index says of them; the payload is proved by gtrace verify."""
        if self.run("verify", "--quiet", trace).returncode != 0:
            raise AssertionError(f"{trace} does not verify")
        keep = ("position", "dtype", "shape", "hash", "payload", "external", "declared", "statistics")
        return {record["id"]: {key: record[key] for key in keep} for record in self.json("show", trace)["records"]}


def wait_for(condition, process, seconds=120):
    """Waits until condition() holds or the process has ended; False when it ended first."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        if process.poll() is not None:
            return condition()
        time.sleep(0.002)
    raise AssertionError("waited too long")


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.wait()


def scratch_folder(prefix):
    return tempfile.TemporaryDirectory(prefix=f"gtrace-{prefix}-", dir=os.environ.get("TMPDIR"))


def step_of(record_id):
    return int(record_id.split(":", 1)[0])


def same_prefix(recovered, whole):
    """None when `recovered` is what `whole` holds of its first steps; else what is wrong."""
    steps = {step_of(name) for name in recovered}
    if steps != set(range(len(steps))):
        return f"steps {sorted(steps)} are no beginning of the run"
    expected = {name: facts for name, facts in whole.items() if step_of(name) in steps}
    for name, facts in expected.items():
        if name not in recovered:
            return f"{name} is missing"
        if recovered[name] != facts:
            return f"{name} is {recovered[name]}, not {facts}"
    extra = set(recovered) - set(expected)
    return f"{sorted(extra)[0]} is no record of the run" if extra else None
