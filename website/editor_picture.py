"""The picture of an editor in the documentation: a real Neovim that shows what ``devlint server`` says.

``python -m website.editor_picture`` writes it. It needs Neovim and pyte, which reads what a terminal shows. No test
compares it: each version of Neovim draws its screen in its own way.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import tempfile
import time
from itertools import groupby
from pathlib import Path

import pexpect
import pyte
from rich.console import Console
from rich.style import Style
from rich.text import Text

from website.recording import ROOT, example, without_fonts

PICTURE = ROOT / "docs/pictures/editor.svg"
_ROWS, _COLUMNS = 12, 100
_SETTINGS = """
vim.o.number, vim.o.signcolumn, vim.o.termguicolors, vim.o.laststatus = true, "yes", true, 0
vim.o.ruler, vim.o.showcmd, vim.o.updatetime = false, false, 100
vim.cmd("colorscheme desert | highlight SignColumn guibg=NONE")
local id = vim.lsp.start_client({ name = "devlint", cmd = COMMAND, root_dir = vim.loop.cwd() })
vim.lsp.buf_attach_client(0, id)
"""
_HEX = re.compile(r"[0-9a-f]{6}")


def screen(folder: Path) -> pyte.Screen:
    """What a terminal shows when the README's example is open in Neovim."""
    folder.joinpath("train.py").write_text(example(), encoding="utf-8")
    command = f"COMMAND = {{ {sys.executable!r}, '-m', 'devlint', 'server' }}"
    folder.joinpath("settings.lua").write_text(command + _SETTINGS, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(folder), "TERM": "xterm-256color"}
    editor = shutil.which("nvim")
    assert editor is not None, "neovim is not installed"
    shown = pyte.Screen(_COLUMNS, _ROWS)
    stream = pyte.Stream(shown)
    child = pexpect.spawn(
        editor,
        ["--clean", "-n", "-c", "luafile settings.lua", "train.py"],
        cwd=str(folder),
        env=environment,
        dimensions=(_ROWS, _COLUMNS),
        encoding="utf-8",
    )
    end = time.monotonic() + 30
    while time.monotonic() < end and sum("needs CUDA" in line for line in shown.display) < 2:
        try:
            stream.feed(child.read_nonblocking(65536, timeout=0.5))
        except pexpect.TIMEOUT:
            continue
    child.terminate(force=True)
    return shown


def rows(shown: pyte.Screen) -> Text:
    """The screen with its colours."""
    text = Text()
    for row in range(_ROWS):
        cells = [shown.buffer[row][column] for column in range(_COLUMNS)]
        for style, run in groupby(cells, key=_style):
            text.append("".join(one.data for one in run), style)
        text.append("\n")
    return text


def _style(cell: pyte.screens.Char) -> Style:
    """How a character is drawn."""
    colours = [f"#{name}" if _HEX.fullmatch(name) else None for name in (cell.fg, cell.bg)]
    return Style(color=colours[0], bgcolor=colours[1], bold=cell.bold, underline=cell.underscore)


def main() -> None:
    """Writes the picture."""
    with tempfile.TemporaryDirectory() as folder:
        text = rows(screen(Path(folder)))
    assert text.plain.count("needs CUDA") == 2, text.plain
    console = Console(record=True, width=_COLUMNS, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    console.print(text, soft_wrap=True, highlight=False, end="")
    svg = console.export_svg(title="train.py", code_format=without_fonts(console), unique_id="editor")
    PICTURE.write_text("\n".join(line.rstrip() for line in svg.splitlines()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
