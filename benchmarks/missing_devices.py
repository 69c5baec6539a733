"""Deletes one ``device=`` at a time from code that works on GPUs: is the tensor found that is then made on the CPU?

    python -m benchmarks.missing_devices FOLDER... [--count 600] [--half tuned|other|all] [--untouched]
        [--missed] [--certain]

A folder holds unpacked packages. Half of the files, told by a hash of their paths, were looked at while the analysis
was written; the other half was not. ``--untouched`` lists what is found in the code as it is, each of which is a false
alarm or a bug; without it ``device=`` is deleted ``--count`` times. ``--certain`` asks only for what is certain, which
is DEV402; without it DEV407 is asked as well.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from devlint.analysis.places.certain.certain_devices import certain_devices
from devlint.analysis.places.results.missing_devices import MissingDevice, missing_devices
from devlint.analysis.project.project import Index, Project
from devlint.torch_api.tensor_makers import MAKERS

SEED = 7
BEFORE_COMMA = re.compile(rb"(?:[^,#]|#.*)*")
"""What may stand between an argument and its comma: brackets around it, spaces and comments."""
Find = Callable[[str, Project], tuple[MissingDevice, ...]]


class Deletion(NamedTuple):
    """One ``device=`` that can be deleted."""

    path: Path
    row: int
    column: int
    maker: str
    device: str
    """What the author wrote."""
    start: int
    end: int
    """The bytes that go."""


def python_files(folders: Sequence[Path], half: str) -> Iterator[tuple[Path, str]]:
    """The files of a half, with their paths below the folder that was named."""
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            name = path.relative_to(folder).as_posix()
            is_tuned = hashlib.sha1(name.encode()).digest()[0] % 2 == 0
            if half == "all" or is_tuned == (half == "tuned"):
                yield path, name


def deletions(path: Path, data: bytes) -> Iterator[Deletion]:
    """The ``device=`` of factories inside of functions, where the device is a tensor's, the module's or an argument."""
    try:
        tree = ast.parse(data)
    except SyntaxError:
        return
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    functions = [one for one in ast.walk(tree) if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))]
    calls = {call for function in functions for call in ast.walk(function) if isinstance(call, ast.Call)}
    for call in sorted(calls, key=lambda one: (one.lineno, one.col_offset)):
        made = call.func
        if not isinstance(made, ast.Attribute) or ast.unparse(made.value) != "torch" or made.attr not in MAKERS:
            continue
        for keyword in call.keywords:
            device = ast.unparse(keyword.value)
            is_usual = device in ("device", "self.device") or (
                isinstance(keyword.value, ast.Attribute) and keyword.value.attr == "device"
            )
            if keyword.arg != "device" or not is_usual:
                continue
            before = [one for one in (*call.args, *(each.value for each in call.keywords)) if _end(one) < _end(keyword)]
            last = max((starts[row - 1] + column for row, column in map(_end, before)), default=None)
            row, column = _end(keyword)
            if last is not None:
                start = last + len(BEFORE_COMMA.match(data, last)[0])
                yield Deletion(path, call.lineno, call.col_offset, made.attr, device, start, starts[row - 1] + column)


def _end(node: ast.expr | ast.keyword) -> tuple[int, int]:
    return node.end_lineno or 0, node.end_col_offset or 0


def every_device(text: str, project: Project) -> tuple[MissingDevice, ...]:
    """What DEV402 and DEV407 find."""
    return missing_devices(text, project)


def certain_device(text: str, project: Project) -> tuple[MissingDevice, ...]:
    """What DEV402 finds."""
    return certain_devices(text, project)


def delete(folders: Sequence[Path], half: str, count: int, shows_missed: bool, find: Find) -> None:
    """Delete ``device=`` one at a time, and count what is found."""
    every: list[tuple[str, Deletion]] = []
    for path, name in python_files(folders, "all"):
        data = path.read_bytes()
        if b"device" in data:
            every += ((name, one) for one in deletions(path, data))
    random.Random(SEED).shuffle(every)
    chosen = every[:count]
    names = {name for _, name in python_files(folders, half)}
    found, total = Counter[str](), Counter[str]()
    kinds = Counter[str]()
    restored = 0
    started = time.process_time()
    index = Index()
    for name, one in (each for each in chosen if each[0] in names):
        data = one.path.read_bytes()
        text = (data[: one.start] + data[one.end :]).decode("utf-8", "replace")
        project = Project(str(one.path), index)
        hits = [each for each in find(text, project) if (each.site.row, each.site.column) == (one.row, one.column)]
        for group in ("all", one.maker, name.partition("/")[0]):
            total[group] += 1
            found[group] += bool(hits)
        if hits:
            kinds[hits[0].kind] += 1
            is_same = hits[0].device == one.device
            restored += is_same
            if shows_missed and not is_same:
                print(f"OTHER {name}:{one.row} wrote {one.device}, fix {hits[0].device}")
        elif shows_missed:
            print(f"MISSED {name}:{one.row} torch.{one.maker} device={one.device}")
    print(f"{half}: {found['all']} of {total['all']} found, {found['all'] / max(total['all'], 1):.1%}")
    print(f"  as the author wrote it: {restored} of {found['all']}, {restored / max(found['all'], 1):.1%}")
    print("  " + ", ".join(f"{group} {found[group]}/{total[group]}" for group in sorted(total) if group != "all"))
    print("  " + ", ".join(f"{kind} {number}" for kind, number in kinds.most_common(20)))
    print(f"  {len(every)} places, {time.process_time() - started:.0f} s of CPU")


def untouched(folders: Sequence[Path], half: str, find: Find) -> None:
    """List what is found in the code as it is."""
    lines = size = number = 0
    started = time.process_time()
    index = Index()
    for path, name in python_files(folders, half):
        text = path.read_bytes().decode("utf-8", "replace")
        lines += text.count("\n")
        size += len(text)
        if "torch" not in text:
            continue
        for one in find(text, Project(str(path), index)):
            number += 1
            where = f"a tensor {one.partner} in {one.kind} on line {one.place.row}"
            print(f"{name}:{one.site.row}: torch.{one.maker} meets {where}; {one.device or 'no fix'}")
    seconds = time.process_time() - started
    print(f"{half}: {number} found in {lines:,} lines, {number / lines * 1e5:.2f} per 100,000 lines")
    print(f"  {seconds:.0f} s of CPU, {seconds / size * 1e6:.2f} s for a million characters")


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--half", choices=("tuned", "other", "all"), default="all")
    parser.add_argument("--untouched", action="store_true")
    parser.add_argument("--missed", action="store_true", help="list the places that were not found")
    parser.add_argument("--certain", action="store_true", help="only what is certain")
    options = parser.parse_args(arguments)
    find = certain_device if options.certain else every_device
    if options.untouched:
        untouched(options.folders, options.half, find)
    else:
        delete(options.folders, options.half, options.count, options.missed, find)


if __name__ == "__main__":
    main(sys.argv[1:])
