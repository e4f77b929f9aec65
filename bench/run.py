#!/usr/bin/env python3
"""Prints the figures of bench/README.md as Markdown; --write puts them into that page.

    python3 bench/run.py --build build [--only scaling,step,…] [--write]

Every ratio is taken within one run of one machine, with equal malloc settings on both sides.
"""
import argparse
import pathlib
import sys
import tempfile

import codecs_table
import commands
import converting
import diffing
import kernel_rates
import machine
import peers
import steps
import writing
from harness import HERE, Bench, Unavailable

README = HERE / "README.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"

SECTIONS = {
    "scaling": ("Two threads against one", machine.scaling),
    "step": ("Step with capture against a bare step", steps.section),
    "write": ("Writing against h5py", writing.section),
    "codecs": ("Compression ratios", codecs_table.section),
    "peers": ("msProbe on the same small GPT", peers.section),
    "diff": ("Comparing against h5diff", diffing.section),
    "start": ("Start-up of gtrace diff", commands.start_up),
    "replay": ("Replay of one layer", commands.replay),
    "golden": ("Size of a golden", commands.golden),
    "convert": ("Converting a checkpoint", converting.section),
    "kernels": ("Kernels against memory bandwidth", kernel_rates.section),
}


def report(bench, wanted):
    lines = [f"Machine: {machine.facts()}."]
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
