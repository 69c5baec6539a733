"""The pictures of terminals in the documentation: the examples of pages, run by the real commands.

``python -m website.recording`` writes them; a test runs the commands again and compares.
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
from typing import NamedTuple

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).parents[1]
_AS_ON_A_TERMINAL = "--color always --show-diff --no-cache"
"""What a terminal gets by itself. No real one is used: its progress bar would depend on how busy the computer is."""
_WIDTH = 92
_FONTS = re.compile(r"@font-face \{\{.*?\}\}\s*", re.DOTALL)
_EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Recording(NamedTuple):
    """A picture, and the commands whose output it shows."""

    picture: str
    page: str
    """The page whose first example is the program."""
    commands: tuple[tuple[str, str], ...]
    """The commands as people type them, each with what a terminal adds by itself."""

    @property
    def path(self) -> Path:
        """Where the picture is."""
        return ROOT / "docs/pictures" / f"{self.picture}.svg"


RECORDINGS = (
    Recording(
        "terminal",
        "README.md",
        tuple((one, f"{one} {_AS_ON_A_TERMINAL}") for one in ("check train.py", "fix train.py", "check train.py")),
    ),
    Recording(
        "observe", "docs/observe.md", (("observe -- python train.py", "observe --color always -- python train.py"),)
    ),
)


def example(page: str = "README.md") -> str:
    """The first program that a page shows."""
    found = _EXAMPLE.search(ROOT.joinpath(page).read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


def session(folder: Path, recording: Recording) -> str:
    """What a terminal shows when the commands are run one after the other."""
    folder.joinpath("train.py").write_text(example(recording.page), encoding="utf-8")
    path = os.pathsep.join((os.path.dirname(sys.executable), os.environ["PATH"]))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": str(_WIDTH), "PATH": path}
    shown = []
    for command, run in recording.commands:
        words = [sys.executable, "-m", "devlint", *run.split()]
        result = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        shown.append(f"\x1b[1;32m$\x1b[0m \x1b[1mdevlint {command}\x1b[0m\n{result.stdout}{result.stderr}")
    return "\n".join(shown)


def picture(shown: str) -> str:
    """The same as SVG, which loads no font from elsewhere."""
    text = Text.from_ansi(shown)
    width = max(_WIDTH, *(line.cell_len for line in text.split()))
    console = Console(record=True, width=width, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    console.print(text, soft_wrap=True, highlight=False)
    svg = console.export_svg(title="train.py", theme=MONOKAI, code_format=without_fonts(console), unique_id="terminal")
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def without_fonts(console: Console) -> str:
    """The form of rich's pictures, but for the fonts that it loads from elsewhere."""
    form: str = inspect.signature(console.export_svg).parameters["code_format"].default
    return _FONTS.sub("", form)


def recorded(recording: Recording) -> str:
    """The picture as it must be."""
    with tempfile.TemporaryDirectory() as folder:
        return picture(session(Path(folder), recording))


def main() -> None:
    """Writes the pictures."""
    for one in RECORDINGS:
        one.path.parent.mkdir(exist_ok=True)
        one.path.write_text(recorded(one), encoding="utf-8")


if __name__ == "__main__":
    main()
