"""The picture of a terminal in the documentation: the README's example, run by the real commands.

``python -m website.recording`` writes it; a test runs the commands again and compares.
"""

from __future__ import annotations

import inspect
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs/pictures/terminal.svg"
COMMANDS = ("check train.py", "fix train.py", "check train.py")
_AS_ON_A_TERMINAL = ("--color", "always", "--show-diff")
"""What a terminal gets by itself. No real one is used: its progress bar would depend on how busy the computer is."""
_WIDTH = 92
_FONTS = re.compile(r"@font-face \{\{.*?\}\}\s*", re.DOTALL)
_EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def example() -> str:
    """The program that the README shows."""
    found = _EXAMPLE.search(ROOT.joinpath("README.md").read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


def session(folder: Path) -> str:
    """What a terminal shows when the commands are run one after the other."""
    folder.joinpath("train.py").write_text(example(), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": str(_WIDTH)}
    shown = []
    for command in COMMANDS:
        words = [sys.executable, "-m", "devlint", *command.split(), *_AS_ON_A_TERMINAL, "--no-cache"]
        result = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        shown.append(f"\x1b[1;32m$\x1b[0m \x1b[1mdevlint {command}\x1b[0m\n{result.stdout}{result.stderr}")
    return "\n".join(shown)


def picture(shown: str) -> str:
    """The same as SVG, which loads no font from elsewhere."""
    console = Console(record=True, width=_WIDTH, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    console.print(Text.from_ansi(shown), soft_wrap=True, highlight=False)
    svg = console.export_svg(title="train.py", theme=MONOKAI, code_format=without_fonts(console), unique_id="terminal")
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def without_fonts(console: Console) -> str:
    """The form of rich's pictures, but for the fonts that it loads from elsewhere."""
    form: str = inspect.signature(console.export_svg).parameters["code_format"].default
    return _FONTS.sub("", form)


def recorded() -> str:
    """The picture as it must be."""
    with tempfile.TemporaryDirectory() as folder:
        return picture(session(Path(folder)))


def main() -> None:
    """Writes the picture."""
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(recorded(), encoding="utf-8")


if __name__ == "__main__":
    main()
