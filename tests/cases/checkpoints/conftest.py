"""The command as the cases use it: gtrace convert, show and record on a folder of their own."""

import os
import pathlib
import resource
import subprocess

import pytest

GTRACE = pathlib.Path(os.environ["GOLDENTRACE_BIN"]) / "gtrace"


class Command:
    def __init__(self, folder):
        self.folder = folder
        self.count = 0

    def run(self, *arguments, **more):
        return subprocess.run([GTRACE, *map(str, arguments)], capture_output=True, text=True, timeout=120, cwd=self.folder,
                              **more)

    def convert(self, source, to="hf"):
        """The folder that a conversion makes, and what it says on stderr."""
        self.count += 1
        target = self.folder / f"converted{self.count}"
        done = self.run("convert", source, target, "--to", to)
        assert done.returncode == 0, done.stderr
        return target, done.stderr

    def refusal(self, source, to="hf", **more):
        """The one line of a refused conversion, which leaves nothing behind."""
        before = sorted(self.folder.rglob("*"))
        done = self.run("convert", source, self.folder / "refused", "--to", to, **more)
        assert done.returncode == 2, done.stderr
        assert done.stdout == "" and done.stderr.count("\n") == 1, done.stdout + done.stderr
        assert sorted(self.folder.rglob("*")) == before, "something was left behind"
        return done.stderr

    def refusals(self, source, to="hf", **more):
        """The one line of a conversion; and what else reads the file says so in a line, too, and leaves nothing."""
        message = self.refusal(source, to, **more)
        before = sorted(self.folder.rglob("*"))
        done = self.run("record", "gpt", "--load", source, "-o", self.folder / "refused.h5", "--seq", 5, "--quiet")
        assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1, done.stdout + done.stderr
        assert sorted(self.folder.rglob("*")) == before, "something was left behind"
        # The same finding, whichever command it is.
        assert done.stderr.partition(": ")[2] == message.partition(": ")[2], done.stderr + message
        return message


def bounded():
    """For subprocess: little address space and time, so that nothing grows or loops unseen."""
    resource.setrlimit(resource.RLIMIT_AS, (512 << 20, 512 << 20))
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))


@pytest.fixture
def command(tmp_path):
    return Command(tmp_path)
