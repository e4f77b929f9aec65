#!/usr/bin/env python3
"""E03, E09, E14 and D13: traces that are being written, written again, read by many at once, or recorded for long.
Needs GOLDENTRACE_BIN."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

GTRACE = os.path.join(os.environ["GOLDENTRACE_BIN"], "gtrace")
NOBODY = 65534
SMALL = ["mlp", "--input_dim", "16", "--batch_size", "4", "--threads", "1", "--log_steps", "1"]
SHORT = [*SMALL, "--train_dataset_len", "40"]
LONG = [*SMALL, "--train_dataset_len", "2000"]  # 500 steps


def gtrace(*arguments, **more):
    return subprocess.run([GTRACE, *map(str, arguments)], capture_output=True, text=True, timeout=300, **more)


def resident(pid):
    pages = pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGESIZE")


class Recording:
    """A `gtrace record` in the background; its log lines come one per step."""

    def __init__(self, output, arguments):
        self.log = pathlib.Path(f"{output}.log")
        with self.log.open("w") as log:
            self.process = subprocess.Popen([GTRACE, "record", *arguments, "-o", str(output)], stdout=log,
                                            stderr=subprocess.STDOUT)

    def wait_for_step(self, number):
        while not re.search(rf"step {number}\b", self.log.read_text()):
            if self.process.poll() is not None:
                raise AssertionError(f"ended before step {number}: {self.log.read_text()[-300:]}")
            time.sleep(0.005)

    def send(self, number):
        # gtrace replaces itself by gtrace-record: one process.
        self.process.send_signal(number)

    def finish(self):
        status = self.process.wait(timeout=300)
        self.log.unlink()
        return status


class Cases(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="goldentrace-case-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def record(self, name, arguments):
        done = gtrace("record", *arguments, "-o", self.folder / name, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / name

    def start(self, name, arguments):
        recording = Recording(self.folder / name, arguments)
        self.addCleanup(recording.process.kill)
        return recording

    def assert_refused(self, path, golden, words):
        for pair in ((path, golden), (golden, path)):
            done = gtrace("diff", *pair)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertRegex(done.stderr, words)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertEqual(done.stdout, "")


class BeingWritten(Cases):  # E03 (1), E14
    def test_is_refused_until_it_is_finished_and_not_disturbed(self):
        golden = self.record("golden.h5", LONG)
        recording = self.start("run.h5", LONG)
        recording.wait_for_step(3)
        recording.send(signal.SIGSTOP)
        self.assert_refused(self.folder / "run.h5", golden, r"still being written \(lock held\)")
        recording.send(signal.SIGCONT)
        while recording.process.poll() is None:
            done = gtrace("diff", golden, self.folder / "run.h5", "--quiet")
            if not (self.folder / "run.h5").exists():
                self.assertEqual(done.returncode, 2, done.stderr)
            time.sleep(0.1)
        self.assertEqual(recording.finish(), 0)
        done = gtrace("diff", golden, self.folder / "run.h5", "--gate", "bitwise")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_that_was_abandoned_names_the_command_that_recovers_it(self):
        golden = self.record("golden.h5", SHORT)
        recording = self.start("run.h5", LONG)
        recording.wait_for_step(3)
        recording.send(signal.SIGKILL)
        recording.finish()
        self.assert_refused(self.folder / "run.h5", golden, "incomplete.*gtrace recover")


class ReadOnly(Cases):  # E03 (2)
    def test_readers_need_no_lock_and_no_writable_folder(self):
        path = self.record("golden.h5", SHORT)
        shelf = self.folder / "shelf"
        shelf.mkdir()
        a = shutil.copy(path, shelf / "a.h5")
        b = shutil.copy(path, shelf / "b.h5")
        for name in (a, b):
            os.chmod(name, 0o444)
        os.chmod(shelf, 0o555)
        self.addCleanup(os.chmod, shelf, 0o755)
        os.chmod(self.folder, 0o755)
        user = self.unprivileged()
        readers = [subprocess.Popen([GTRACE, "diff", a, b, "--gate", "bitwise"], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True, user=user) for _ in range(8)]
        for reader in readers:
            out, errors = reader.communicate(timeout=300)
            self.assertEqual(reader.returncode, 0, out + errors)
        self.assertEqual(sorted(os.listdir(shelf)), ["a.h5", "b.h5"])

    @staticmethod
    def unprivileged():
        """A user whom permissions stop, where this one is root and the program can be reached by others."""
        if os.geteuid() != 0:
            return None
        try:
            subprocess.run([GTRACE, "--version"], user=NOBODY, check=True, capture_output=True)
        except (PermissionError, subprocess.CalledProcessError):
            return None
        return NOBODY


class RecordedAgain(Cases):  # E09
    def test_a_file_keeps_its_size(self):
        sizes = {os.path.getsize(self.record("run.h5", SHORT)) for _ in range(20)}
        self.assertLess(max(sizes), 1.01 * min(sizes))
        self.assertEqual(os.listdir(self.folder), ["run.h5"])

    def test_the_old_file_is_intact_after_a_kill(self):
        path = self.record("run.h5", SHORT)
        before = path.read_bytes()
        copy = shutil.copy(path, self.folder / "copy.h5")
        recording = self.start("run.h5", LONG)
        recording.wait_for_step(3)
        recording.send(signal.SIGKILL)
        recording.finish()
        self.assertEqual(path.read_bytes(), before)
        self.assertEqual(gtrace("verify", path).returncode, 0)
        self.assertEqual(gtrace("diff", copy, path, "--gate", "bitwise").returncode, 0)

    def test_recovering_replaces_it_by_one_file(self):
        path = self.record("run.h5", SHORT)
        recording = self.start("run.h5", LONG)
        recording.wait_for_step(12)
        recording.send(signal.SIGKILL)
        recording.finish()
        done = gtrace("recover", self.folder / "run.h5.journal", "-o", path, "--force")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(gtrace("verify", path).returncode, 0)
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".partial")], [])


class Memory(Cases):  # D13
    def setUp(self):
        super().setUp()
        # A pool takes time to fill: until then memory grows, and by how much is a matter of speed. In a small one the
        # model soon has to write itself.
        if "--pool-size" not in gtrace("record", "mlp", "--help").stdout:
            self.skipTest("gtrace record has no --pool-size")

    def growth(self, name, width, *more):
        """Resident bytes at step 50, and how many more there are at step 299."""
        recording = self.start(name, ["mlp", "--input_dim", str(width), "--batch_size", "4", "--threads", "1",
                                      "--train_dataset_len", "1204", "--log_steps", "1", "--pool-size", "2MB", *more])
        recording.wait_for_step(50)
        early = resident(recording.process.pid)
        recording.wait_for_step(299)
        late = resident(recording.process.pid)
        self.assertEqual(recording.finish(), 0)
        return early, late - early

    def steady(self, capture, width):
        # The trainer's own memory grows while it touches its data; what recording adds to that stays flat.
        _, own = self.growth("bare.h5", width, "--record-steps", "0")
        early, recorded = self.growth("run.h5", width, "--capture", capture)
        self.assertLess(recorded - own, 0.05 * early)

    def test_stays_flat_with_payloads(self):
        self.steady("full", 256)

    def test_stays_flat_with_sketches(self):
        self.steady("sketch", 512)


if __name__ == "__main__":
    unittest.main()
