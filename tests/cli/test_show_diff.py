"""The diff of a fix under its finding."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from devlint.cli import main
from devlint.cli.fix_changes import changes_in
from devlint.cli.output.diff import change_lines
from devlint.cli.output.style import Style
from devlint.core.diagnostic import Applicability, Edit, Fix, Span
from devlint.sources.source import Source

PROGRAM = "import torch\n\nx = torch.zeros(2).cuda()\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 1) -> str:
    with pytest.raises(SystemExit) as left:
        main(["check", "--no-cache", *arguments])
    out, err = capsys.readouterr()
    assert left.value.code == code, err
    return out + err


def test_a_diff_stands_under_the_help_line(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text(PROGRAM)
    assert (
        "help: Replace `.cuda()` by `.to(device)` (safe fix)\n"
        "@@ -2,2 +2,4 @@\n"
        " \n"
        "-x = torch.zeros(2).cuda()\n"
        '+device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
        "+\n"
        "+x = torch.zeros(2).to(device)\n"
        "\n"
        "Found 1 error.\n"
    ) in printed(capsys, "--show-diff", "a.py")
    for options in ([], ["--no-show-diff"]):
        assert "@@" not in printed(capsys, *options, "a.py")  # what is printed goes to no terminal


def test_cells_have_their_names(capsys: pytest.CaptureFixture[str]) -> None:
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": [text]}
        for text in ("import torch", "!ls\nx = torch.zeros(2).cuda()")
    ]
    Path("a.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    shown = printed(capsys, "--show-diff", "a.ipynb")
    assert (
        "a.ipynb:cell 2\n@@ -1,2 +1,2 @@\n !ls\n-x = torch.zeros(2).cuda()\n+x = torch.zeros(2).to(device)\n" in shown
    )
    assert '+device = torch.device("cuda"' in shown.partition("a.ipynb:cell 1\n")[2]


@pytest.mark.parametrize("name", ["concise", "json", "sarif"])
def test_other_formats_have_no_place_for_it(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text(PROGRAM)
    said = printed(capsys, "--show-diff", "--output-format", name, "a.py", code=2)
    assert said == f"error: --show-diff cannot be shown as {name}\n"


def lines_of(text: str, *edits: Edit) -> list[str]:
    source = Source.from_text("a.py", text)
    return change_lines(changes_in(source, Fix(edits, Applicability.SAFE, "")), Style())


def test_rows_count_on_after_those_that_were_added() -> None:
    text = "".join(f"{number}\n" for number in range(1, 21))
    far = text.index("15")
    shown = lines_of(text, Edit(Span(0, 0), "a\nb\n"), Edit(Span(far, far + 2), "fifteen"))
    assert shown == ["@@ -1 +1,3 @@", "+a", "+b", " 1", "@@ -14,3 +16,3 @@", " 14", "-15", "+fifteen", " 16"]


def test_near_changes_are_one_and_the_last_line_needs_no_end() -> None:
    assert lines_of("a\nb\nc", Edit(Span(0, 1), "A"), Edit(Span(4, 5), "C")) == [
        "@@ -1,3 +1,3 @@", "-a", "+A", " b", "-c", "+C"
    ]  # fmt: skip


def test_control_characters_are_not_sent_to_a_terminal() -> None:
    assert lines_of("\x1b[2J a\r\n", Edit(Span(5, 6), "b")) == ["@@ -1 +1 @@", "-\ufffd[2J a", "+\ufffd[2J b"]


def test_a_diff_costs_no_more_in_a_long_file() -> None:
    source = Source.from_text("a.py", "x = 1\n" * 200_000)
    fix = Fix((Edit(Span(0, 0), "y\n"), Edit(Span(600_000, 600_001), "y")), Applicability.SAFE, "")
    list(changes_in(source, fix))
    start = time.process_time()
    for _ in range(100):
        assert len(change_lines(changes_in(source, fix), Style())) == 8
    assert time.process_time() - start < 10  # or minutes
    assert re.match(r"@@ -100000,3 \+100001,3 @@", change_lines(changes_in(source, fix), Style())[3])
