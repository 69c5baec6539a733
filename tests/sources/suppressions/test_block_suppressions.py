"""Suppressions of blocks: how far they go, what ends them, and which of them nothing needed."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest

from devlint.cli import main
from devlint.sources.suppressions.suppressions import Suppressions

CODE = "DEV101"


def rows(text: str, code: str = CODE) -> list[str]:
    """The lines on which a code is off, without their comments."""
    program = textwrap.dedent(text).lstrip("\n")
    found = Suppressions.of(program)
    lines = program.splitlines()
    return [
        line.partition("#")[0].strip()
        for row, line in enumerate(lines, 1)
        if found.suppresses(code, row, row) and line.partition("#")[0].strip()
    ]


SCOPES = [
    ("a()\n# devlint: disable=DEV101\nb()\nc()\n", "b() c()"),
    ("# devlint: disable=DEV101\na()\n# devlint: enable=DEV101\nb()\n", "a()"),
    ("# devlint: disable=DEV101\na()\n# devlint: enable\nb()\n", "a()"),
    ("# devlint: disable=DEV101\na()\n# devlint: enable=DEV102\nb()\n", "a() b()"),
    ("# devlint: disable=DEV1\na()\n# devlint: enable=DEV101\nb()\n", "a()"),
    ("# devlint: disable=DEV101\na()\n# devlint: enable=DEV1\nb()\n", "a()"),
    ("# devlint: disable=cuda-method why\na()\n# devlint: enable=cuda-method\nb()\n", "a()"),
    ("# devlint: disable[DEV101]\na()\n# devlint: enable[DEV101]\nb()\n", "a()"),
    ("# devlint: disable=all\na()\n", "a()"),
    ("#devlint:disable=DEV102, DEV101 both\na()\n", "a()"),
    ("# devlint: disable=DEV102\na()\n", ""),
    ("# devlint: disable\na()\n", ""),
    ("# devlint: disable=DEV1O1\na()\n", ""),
    ("# devlint: disabled=DEV101\na()\n", ""),
    # behind code: that statement, or the block that it begins
    ("a()  # devlint: disable=DEV101\nb()\n", "a()"),
    ("a(\n    b,  # devlint: disable=DEV101\n    c,\n)\nd()\n", "b,"),
    ("a(\n    # devlint: disable=DEV101\n    c,\n)\nd()\n", "c, )"),
    ("a(1, \\\n  2)  # devlint: disable=DEV101\nd()\n", "a(1, \\ 2)"),
    ("def f():  # devlint: disable=DEV101\n    a()\n    b()\nc()\n", "def f(): a() b()"),
    ("if x:  # devlint: disable=DEV101\n    a()\nelse:\n    b()\n", "if x: a()"),
    # a block ends with its indentation
    ("def f():\n    # devlint: disable=DEV101\n    a()\n    if x:\n        b()\n\nc()\n", "a() if x: b()"),
    ("def f():\n    a()\n    # devlint: disable=DEV101\n    b()\nc()\n", "b()"),
    ("def f():\n    a()\n# devlint: disable=DEV101\n    b()\nc()\n", "b()"),
    ("def f():\n    a()\n    # devlint: disable=DEV101\nc()\n", ""),
    ("class A:\n    def f(self):\n        a()\n    # devlint: disable=DEV101\n    b = 1\nc()\n", "b = 1"),
    ("def f():\n    # devlint: disable=DEV101\n    a(\n1)\n    b()\nc()\n", "a( 1) b()"),
    ('def f():\n    # devlint: disable=DEV101\n    a = """\nno code\n"""\n    b()\nc()\n', 'a = """ no code """ b()'),
    ("if x:\n\t# devlint: disable=DEV101\n\ta()\nb()\n", "a()"),
    # what ends it ends it for its own block
    ("# devlint: disable=DEV101\ndef f():\n    # devlint: enable=DEV101\n    a()\nb()\n", "def f(): b()"),
    ("# devlint: disable=DEV101\na()  # devlint: enable=DEV101\nb()\n", "b()"),
    # again
    ("# devlint: disable=DEV101\na()\n# devlint: enable\nb()\n# devlint: disable=DEV101\nc()\n", "a() c()"),
    # no comment
    ('a = "# devlint: disable=DEV101"\nb()\n', ""),
    ('"""\n# devlint: disable=DEV101\n"""\nb()\n', ""),
    ("a()  # no # devlint: disable=DEV101\nb()\n", ""),
]


@pytest.mark.parametrize(("text", "off"), SCOPES)
def test_how_far_it_goes(text: str, off: str) -> None:
    assert " ".join(rows(text)) == off


def test_only_the_codes_that_are_named_come_back() -> None:
    text = "# devlint: disable=DEV101,DEV102\na()\n# devlint: enable=DEV102\nb()\n"
    assert rows(text, "DEV101") == ["a()", "b()"]
    assert rows(text, "DEV102") == ["a()"]
    assert rows(text, "DEV103") == []


def test_line_endings_do_not_matter() -> None:
    found = Suppressions.of("# devlint: disable=DEV101\r\na()\r\n# devlint: enable\r\nb()\r\n")
    assert [found.suppresses(CODE, row, row) for row in (2, 4)] == [True, False]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    with pytest.raises(SystemExit):
        main([*arguments, "--isolated", "--no-cache", "-q", "--output-format", "concise"])
    return capsys.readouterr().out.splitlines()


PROGRAM = """\
import torch

# devlint: disable=DEV101 the kernels below are CUDA's
x = torch.zeros(2).cuda()
# devlint: enable=DEV101
y = torch.zeros(2).cuda()
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.py"
    path.write_text(PROGRAM)
    return path


def test_what_is_off_is_neither_reported_nor_rewritten(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "check", "a.py") == ["a.py:6:20: DEV101 [*] `.cuda()` needs CUDA on every machine"]
    assert printed(capsys, "fix", "a.py") == []
    text = program.read_text()
    assert "x = torch.zeros(2).cuda()\n# devlint: enable=DEV101\n" in text
    assert text.endswith("y = torch.zeros(2).to(device)\n")


def test_those_that_nothing_needed_are_removed_with_what_ends_them(
    program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program.write_text("import torch\n\n# devlint: disable=DEV101,DEV102\nx = 1\n# devlint: enable\ny = 2\n")
    (found,) = printed(capsys, "check", "a.py")
    assert found.endswith("DEV002 [*] Unused suppression: nothing to suppress (DEV101, DEV102)")
    printed(capsys, "fix", "a.py")
    assert program.read_text() == "import torch\n\nx = 1\ny = 2\n"


def test_a_code_of_several_that_nothing_needed(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program.write_text(PROGRAM.replace("disable=DEV101", "disable=DEV101,DEV404").replace("enable=DEV101", "enable"))
    printed(capsys, "fix", "a.py")
    assert "# devlint: disable=DEV101 the kernels" in program.read_text()


def test_what_has_no_reason_is_asked_for_one(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "check", "--select", "DEV003,DEV101", "a.py")[0].startswith("a.py:6:")
    program.write_text(PROGRAM.replace(" the kernels below are CUDA's", ""))
    assert printed(capsys, "check", "--select", "DEV003", "a.py") == [
        "a.py:3:1: DEV003 Suppression without a reason: say after it why it is needed"
    ]


def test_codes_that_no_rule_has(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program.write_text(PROGRAM.replace("disable=DEV101", "disable=DEV1O1"))
    found = printed(capsys, "check", "a.py")
    assert "DEV004 [*] No rule is called `DEV1O1`" in found[0]
    assert any("DEV101" in one for one in found[1:])


def test_in_a_notebook_it_goes_to_the_end_of_the_cell(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = (
        "import torch\n# devlint: disable=DEV101\nx = torch.zeros(2).cuda()\n!ls\nx = torch.ones(2).cuda()",
        "y = torch.zeros(2).cuda()",
    )
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": [text]}
        for text in texts
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (program.parent / "a.ipynb").write_text(json.dumps(notebook))
    assert printed(capsys, "check", "a.ipynb") == [
        "a.ipynb:cell 2:1:20: DEV101 [*] `.cuda()` needs CUDA on every machine"
    ]
