#!/usr/bin/env python3
"""Fails on include directions and library uses that docs/ARCHITECTURE.md does not allow, and on types of one name in
two headers: programs link both, and the linker would take either one's functions.

Prints one line per offence: file:line, what it includes, what its folder may include. Exit 1 if there is any.
"""
import pathlib
import re
import subprocess
import sys

FOLDERS = ["traces", "kernels", "tape", "recorder", "replayer", "diff", "checkpoints", "models", "cli"]

# folder -> folders that it may include besides itself
ALLOWED = {
    "traces": set(),
    "kernels": {"traces"},
    "tape": {"traces"},
    "recorder": {"traces", "kernels", "tape"},
    "replayer": {"traces", "kernels", "tape", "diff"},
    "diff": {"traces", "kernels"},
    "checkpoints": {"traces"},
    "models": {"checkpoints", "traces"},
    "cli": set(FOLDERS),
}
TORCH = {"tape", "recorder", "replayer", "models", "cli", "tests", "bench", "examples"}

# library -> (pattern of its headers, predicate on the path that may use it, words)
LIBRARIES = {
    "HDF5": (r"^(hdf5|H5)", lambda p: p.parts[0] == "traces" and p.suffix == ".cpp", "only traces/*.cpp"),
    "Zstandard": (r"^zstd", lambda p: p.parts[0] in {"traces", "tests", "bench"} and p.suffix == ".cpp",
                  "only traces/*.cpp"),
    "LibTorch": (r"^(torch|ATen|c10|caffe2)/", lambda p: p.parts[0] in TORCH, "only " + ", ".join(sorted(TORCH))),
    "CUDA": (r"^(cuda|cublas|cudnn|nccl)", lambda p: p.parts[0] == "kernels", "only kernels/"),
    "PCRE2": (r"^pcre2", lambda p: p.parts[0] == "checkpoints" and p.suffix == ".cpp", "only checkpoints/*.cpp"),
    "CLI11": (r"^CLI/", lambda p: "cli" in p.parts[:2], "only cli/ and its tests"),
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def offences(path: pathlib.Path):
    folder = path.parts[0]
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = match.group(2)
        head = target.split("/")[0]
        if folder in ALLOWED and match.group(1) == '"' and "/" in target:
            if head in FOLDERS and head != folder and head not in ALLOWED[folder]:
                yield f'{path}:{number}: {folder}/ includes "{target}"; it may include {sorted(ALLOWED[folder]) or "nothing"}'
        if folder in ALLOWED and match.group(1) == '"' and head in {"tests", "bench", "examples"}:
            yield f'{path}:{number}: product code includes "{target}"'
        for name, (pattern, allowed, words) in LIBRARIES.items():
            if re.search(pattern, target) and head not in FOLDERS and not allowed(path):
                yield f"{path}:{number}: {name} header <{target}>; {words} may use it"


NAMESPACE = re.compile(r"^namespace (\w[\w:]*) \{")
TYPE = re.compile(r"^(?:struct|class|enum class) (\w+)(?![\w:<])[^;]*\{")


def types_of(path: pathlib.Path):
    space = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if match := NAMESPACE.match(line):
            space = match.group(1)
        elif match := TYPE.match(line):
            yield f"{space}::{match.group(1)}", number


def twice_defined(paths):
    seen = {}
    for path in paths:
        for name, number in types_of(path):
            if name in seen:
                yield f"{path}:{number}: {name} is also defined in {seen[name]}; give one of them another name"
            seen.setdefault(name, path)


def main() -> int:
    files = subprocess.run(["git", "ls-files", "*.h", "*.cpp", "*.cu", "*.cuh"], capture_output=True, text=True,
                           check=True).stdout.split()
    if not files:
        print("check_layers: no source files found", file=sys.stderr)
        return 1
    found = [text for name in files for text in offences(pathlib.Path(name))]
    product = [path for path in map(pathlib.Path, files) if path.parts[0] in ALLOWED and path.suffix == ".h"]
    found += twice_defined(product)
    print("\n".join(found) if found else f"layers: {len(files)} files, every include allowed, every type of one name")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
