"""How long an editor waits for findings after an edit: the language server, measured by its client.

    python -m benchmarks.server_speed [FILES]

Without FILES the text is made of devlint's own fixtures: 1,500 lines with as many findings as a file hardly has.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import statistics
import time
from pathlib import Path

import psutil

from tests.support.editor import Editor, editing
from tests.support.paths import ROOT

_EDITS = 20
_LINES = 1500


def dense_text(lines: int = _LINES) -> str:
    """Programs of the fixtures, one after the other, with about so many lines."""
    found: list[str] = []
    for path in sorted((ROOT / "fixtures").glob("*/input.py")):
        text = path.read_text(encoding="utf-8")
        if "__future__" not in text and _parses(text):
            found.append(text)
        if sum(one.count("\n") for one in found) >= lines:
            break
    return "".join(found)


def usual_text(lines: int = _LINES) -> str:
    """A file of about so many lines with the layers of a model, of which one in ten is tied to CUDA."""
    parts = ["import torch\nfrom torch import nn\n"]
    for number in range(lines // 13):
        move = "x = x.cuda()\n        " if number % 10 == 0 else ""
        parts.append(
            f"\n\nclass Block{number}(nn.Module):\n"
            f'    """Block {number}."""\n\n'
            "    def __init__(self, width: int) -> None:\n"
            "        super().__init__()\n"
            "        self.first = nn.Linear(width, 2 * width)\n"
            "        self.second = nn.Linear(2 * width, width)\n\n"
            "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
            f"        {move}y = torch.relu(self.first(x))\n"
            "        return x + self.second(y)\n"
        )
    return "".join(parts)


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


async def waits(editor: Editor, name: str, text: str) -> tuple[list[float], float, int]:
    """What an edit, a key in the middle of a text, costs until findings are there, and how many these are.

    Milliseconds for each of some edits; those for which the server computes, which do not count what else runs.
    """
    uri = editor.open(name, text)
    count = len(await editor.shown(uri))
    place = text.index("\n", len(text) // 2)
    editor.change(uri, (place, place, "  # "))
    await editor.shown(uri)
    found = []
    server = psutil.Process(editor.client._server.pid)  # type: ignore[union-attr]
    before = sum(server.cpu_times()[:2])
    for number in range(_EDITS):
        at = place + 4 + number
        start = time.perf_counter()
        editor.change(uri, (at, at, "x"))
        await editor.shown(uri)
        found.append(1000 * (time.perf_counter() - start))
    busy = 1000 * (sum(server.cpu_times()[:2]) - before) / _EDITS
    editor.close(uri)
    return found, busy, count


async def main(paths: list[str]) -> None:
    """Print a line for each text, without and with the usual wait for more keys."""
    texts = {Path(path).name: Path(path).read_text(encoding="utf-8") for path in paths}
    texts = texts or {"model.py": usual_text(), "dense.py": dense_text()}
    print(f"{'text':32} {'lines':>6} {'findings':>9} {'debounce':>9} {'median':>8} {'slowest':>8} {'processor':>10}")
    for debounce in (0, 200):
        async with editing(Path("/nowhere"), {"debounce": debounce}) as editor:
            for name, text in texts.items():
                found, busy, count = await waits(editor, name, text)
                row = f"{name:32} {text.count(chr(10)):6,} {count:9} {debounce:6} ms"
                print(f"{row} {statistics.median(found):5.0f} ms {max(found):5.0f} ms {busy:7.0f} ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILES")
    asyncio.run(main(parser.parse_args().files))
