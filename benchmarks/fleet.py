"""How fast audits are: a plain loop over the files, and each engine with one and two workers (docs/audits.md).

    python -m benchmarks.fleet FOLDER --files 10000

FOLDER is a folder of repositories. CPU time is what the work itself takes in the workers; the wall time of a busy
computer says little. The tables of all runs are compared.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from devlint.config.finder import ConfigFinder
from devlint.engine.runner import Runner
from devlint.fleet.partitions import _peak_memory
from devlint.sources.discovery import discover, is_looked_at

RUNS = ("local:1", "local:2", "ray:1", "ray:2", "spark:1", "spark:2")


def main() -> None:
    """Run everything, one after the other, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--runs", nargs="*", default=RUNS, metavar="ENGINE:WORKERS")
    parser.add_argument("--partition-size", type=int, default=1_000)
    parser.add_argument("--plain", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.plain:
        print(json.dumps(plain(options.folder)))
        return
    with tempfile.TemporaryDirectory() as scratch:
        top = Path(scratch) / "repositories"
        count = choose(options.folder, top, options.files)
        loads = " ".join(f"{one:.1f}" for one in os.getloadavg())
        print(f"{count:,} files, {os.cpu_count()} CPUs, load {loads}", flush=True)
        measure(top, Path(scratch), options.runs, options.partition_size)


def measure(top: Path, scratch: Path, runs: list[str], size: int) -> None:
    """A line for the plain loop and for each engine."""
    command = [sys.executable, "-m", "benchmarks.fleet", str(top), "--plain"]
    base = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    print(f"{'plain loop':12}{line(base, base)}", flush=True)
    tables = set()
    for name in runs:
        engine, _, workers = name.partition(":")
        output = scratch / name.replace(":", "")
        command = [sys.executable, "-m", "devlint", "fleet", "check", str(top), "-o", str(output)]
        command += ["--engine", engine, "-j", workers, "--partition-size", str(size)]
        start = time.perf_counter()
        ended = subprocess.run(command, capture_output=True, text=True)
        if ended.returncode not in (0, 1):
            print(f"{name:12} {ended.stderr.strip().splitlines()[-1]}", flush=True)
            continue
        found = summed(output, time.perf_counter() - start)
        print(f"{name:12}{line(found, base)}", flush=True)
        tables.add(digest(output))
    print("all tables are equal" if len(tables) == 1 else f"{len(tables)} DIFFERENT tables")


def line(found: dict[str, Any], base: dict[str, Any]) -> str:
    """The figures of one run."""
    overhead = found["cpu"] / base["cpu"] - 1
    return (
        f"{found['files'] / found['cpu']:8.0f} files per CPU second  {overhead:+7.1%} CPU  {found['wall']:7.1f} s"
        f"  of it {found['working']:7.1f} s from the first file to the last  {found['memory'] / 1e6:5.0f} MB"
    )


def choose(folder: Path, top: Path, files: int) -> int:
    """Link repositories with about so many files into a folder."""
    top.mkdir()
    count = 0
    for repo in sorted(folder.iterdir()):
        if repo.is_dir() and count < files:
            (top / repo.name).symlink_to(repo.resolve())
            count += sum(1 for _ in discover([str(repo.resolve())], ConfigFinder(isolated=True), is_looked_at))
    return count


def plain(top: Path) -> dict[str, Any]:
    """Check the repositories one after the other, as `devlint check --isolated` does, and keep nothing."""
    gc.set_threshold(50_000)
    start, cpu, count = time.perf_counter(), time.process_time(), 0
    for repo in sorted(top.iterdir()):
        runner = Runner(ConfigFinder(isolated=True))
        count += sum(1 for _ in runner.run([str(repo.resolve())]))
    wall = time.perf_counter() - start
    return {
        "files": count,
        "cpu": time.process_time() - cpu,
        "wall": wall,
        "working": wall,
        "memory": _peak_memory(),
    }


def summed(output: Path, wall: float) -> dict[str, Any]:
    """What the workers say of their partitions."""
    paths = list(output.glob("partition=*/summary.json"))
    parts = [json.loads(path.read_text()) for path in paths]
    begin = min(path.stat().st_mtime - part["seconds"] for path, part in zip(paths, parts))
    return {
        "files": sum(part["files"] for part in parts),
        "cpu": sum(part["cpu_seconds"] for part in parts),
        "wall": wall,
        "working": max(path.stat().st_mtime for path in paths) - begin,
        "memory": max(part["memory"] for part in parts),
    }


def digest(output: Path) -> str:
    """The digest of all tables but that of times."""
    whole = hashlib.sha256()
    for path in sorted(output.glob("partition=*/fi*.parquet")):
        whole.update(path.read_bytes())
    return whole.hexdigest()


if __name__ == "__main__":
    main()
