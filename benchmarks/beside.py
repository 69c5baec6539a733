"""What devlint, Ruff and TorchFix find in the programs of docs/beside.md.

    python -m benchmarks.beside --torchfix PROGRAM    # run all three, and write the table

Without ``--torchfix`` the column of TorchFix stays as it is: it needs an environment of its own, with an older LibCST.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs/beside.md"
_PROGRAM = re.compile(r"^### (\d+)\. [^\n]*\n\n```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_ROW = re.compile(r"^\| (\[(\d+)\]\(\S+\)) \|(.*)\|(.*)\|(.*)\|$", re.MULTILINE)
_TORCHFIX = re.compile(r"^\S+?:\d+:\d+: (TOR\d+) (\[\*\])?", re.MULTILINE)
_RUFF = "check --isolated --no-cache --quiet --preview --select ALL --ignore ANN,CPY,D,T20 --output-format json".split()
_DEVLINT = "check --no-cache --exit-zero --select ALL --output-format json".split()


def programs() -> dict[str, str]:
    """The programs of the page by their number."""
    return dict(_PROGRAM.findall(PAGE.read_text(encoding="utf-8")))


def recorded() -> dict[str, tuple[str, str, str]]:
    """What the page says that devlint, Ruff and TorchFix find in each program."""
    rows = _ROW.findall(PAGE.read_text(encoding="utf-8"))
    return {number: (ours.strip(), ruff.strip(), torchfix.strip()) for _, number, ours, ruff, torchfix in rows}


def recorded_version(tool: str) -> str:
    """The version of a tool that the page names."""
    found = re.search(rf"^Versions:.*\b{tool} ([\d.]*\d)", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    return found[1]


def version_of(*program: str) -> str:
    """What a program calls its version."""
    found = re.search(r"\d+(?:\.\d+)+", _output(*program, "--version", cwd="."))
    assert found is not None
    return found[0]


def devlint(folder: str) -> str:
    """What devlint finds in the program of a folder."""
    found = json.loads(_output(sys.executable, "-m", "devlint", *_DEVLINT, "program.py", cwd=folder))
    return _cell((one["code"], one["fix"] is not None) for one in found)


def ruff(folder: str) -> str:
    """What Ruff finds."""
    found = json.loads(_output(sys.executable, "-m", "ruff", *_RUFF, "program.py", cwd=folder))
    return _cell((one["code"], one["fix"] is not None) for one in found)


def torchfix(program: str, folder: str) -> str:
    """What TorchFix finds."""
    return _cell(
        (code, bool(star)) for code, star in _TORCHFIX.findall(_output(program, "--select=ALL", ".", cwd=folder))
    )


def _output(*command: str, cwd: str) -> str:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False).stdout


def _cell(found: Iterable[tuple[str, bool]]) -> str:
    """The codes in a cell of the table, each once."""
    return (
        ", ".join(dict.fromkeys(f"{code}{' *' if fixed else ''}".replace("*", "\\*") for code, fixed in found)) or "–"
    )


def main() -> None:
    """Runs the tools and writes the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.beside", description=__doc__)
    parser.add_argument("--torchfix", metavar="PROGRAM", help="TorchFix's program")
    options = parser.parse_args()
    rows = recorded()
    for number, text in programs().items():
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "program.py").write_text(text, encoding="utf-8")
            theirs = torchfix(options.torchfix, folder) if options.torchfix else rows[number][2]
            rows[number] = (devlint(folder), ruff(folder), theirs)
    page = _ROW.sub(lambda row: f"| {' | '.join((row[1], *rows[row[2]]))} |", PAGE.read_text(encoding="utf-8"))
    names = {"Ruff": version_of(sys.executable, "-m", "ruff")}
    if options.torchfix:
        names["TorchFix"] = version_of(options.torchfix)
    for name, version in names.items():
        page = page.replace(f"{name} {recorded_version(name)}", f"{name} {version}")
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
