"""Renderers: carets under what they mean, machine formats as their readers know them, diffs that patch takes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.cli.output import concise, diff, statistics, text
from devlint.cli.output import json as json_output
from devlint.cli.output.style import Style, visible, width
from devlint.core.addresses import rule_address
from devlint.core.diagnostic import Applicability, Diagnostic, Edit, Fix, Span
from devlint.sources.source import Source

PLAIN = Style()
COLOUR = Style(on=True)


def finding(source: Source, start: int, end: int, applicability: Applicability | None = None) -> Diagnostic:
    span = Span(start, end)
    edits = (Edit(span, ".to(device)"), Edit(Span(0, 0), "import torch\n"))
    fix = Fix(edits, applicability, "Replace it") if applicability else None
    return Diagnostic(source.path, "DEV101", "It is bad", span, source.location(start), source.location(end), fix)


def shown(content: str, needle: str, applicability: Applicability | None = None, unsafe: bool = False) -> str:
    source = Source.from_text("a.py", content)
    start = content.index(needle)
    return text.render(finding(source, start, start + len(needle), applicability), source.line, PLAIN, unsafe)


def test_full_format() -> None:
    assert shown("import torch\n\n    x = y.cuda()\n", "y.cuda()", Applicability.SAFE) == (
        "a.py:3:9: DEV101 [*] It is bad\n  |\n3 |     x = y.cuda()\n  |         ^^^^^^^^\nhelp: Replace it (safe fix)\n"
    )


def test_the_star_is_there_only_where_the_fix_would_be_applied() -> None:
    assert "DEV101 It is bad" in shown("x.cuda()\n", ".cuda()")
    assert "help" not in shown("x.cuda()\n", ".cuda()")
    unsafe = shown("x.cuda()\n", ".cuda()", Applicability.UNSAFE)
    assert "DEV101 It is bad" in unsafe
    assert "help: Replace it (unsafe fix)" in unsafe
    assert "DEV101 [*] It is bad" in shown("x.cuda()\n", ".cuda()", Applicability.UNSAFE, unsafe=True)


def test_several_rows_are_underlined_each() -> None:
    assert shown("f(\n    a,\n\n  b)\n", "f(\n    a,\n\n  b)").splitlines()[2:] == [
        "1 | f(",
        "  | ^^",
        "2 |     a,",
        "  |     ^^",
        "3 |",
        "  | ^",
        "4 |   b)",
        "  |   ^^",
    ]


def test_of_many_rows_the_middle_is_left_out() -> None:
    content = "f(\n" + "".join(f"  {number},\n" for number in range(20)) + ")\n"
    lines = shown(content, content[:-1]).splitlines()
    assert [line for line in lines if "^" not in line][2:] == [" 1 | f(", " 2 |   0,", " 3 |   1,", "...", "22 | )"]


def test_a_finding_that_ends_with_its_line_is_one_row() -> None:
    assert len(shown("x = 1\ny = 2\n", "x = 1\n").splitlines()) == 4


def test_an_empty_finding_has_one_caret() -> None:
    source = Source.from_text("a.py", "")
    assert text.render(finding(source, 0, 0), source.line, PLAIN).splitlines()[1:] == ["  |", "1 |", "  | ^"]


@pytest.mark.parametrize(
    "before", ["\t", "\t\tif x:\t", "漢字 = ", "e\u0301 = ", "é = ", "🔥 = ", "\x1b[31m = ", "\x0c"]
)
def test_carets_stand_below_tabs_wide_and_combining_characters(before: str) -> None:
    row, underline = shown(f"{before}y.cuda()\n", "y.cuda()").splitlines()[2:]
    assert "\t" not in row
    assert "\x1b" not in row
    assert "\x0c" not in row
    assert width(row.partition("y.cuda()")[0]) == width(underline.partition("^")[0])
    assert underline.count("^") == len("y.cuda()")


def test_wide_findings_have_wide_underlines() -> None:
    assert shown("x = '漢字'\n", "'漢字'").splitlines()[3] == "  |     ^^^^^^"


@pytest.mark.slow
@given(st.text(alphabet="a\t漢é\u0301\x1b", max_size=20), st.text(alphabet="b\t漢", min_size=1, max_size=5))
def test_what_is_underlined_is_what_was_found(before: str, found: str) -> None:
    source = Source.from_text("a.py", f"{before}{found}cc")
    rendered = text.render(finding(source, len(before), len(before + found)), source.line, PLAIN)
    underline = rendered.splitlines()[3].rstrip()
    assert underline == "  | " + " " * width(visible(before)) + "^" * (
        width(visible(before + found)) - width(visible(before))
    )


def test_very_long_lines_are_cut_around_the_finding() -> None:
    content = "a" * 1_000_000 + ".cuda()" + "b" * 1_000_000
    row, underline = shown(content, ".cuda()").splitlines()[2:]
    assert len(row) < 400
    start = underline.index("^")
    assert row[start : start + 7] == ".cuda()"
    assert underline.count("^") == 7
    assert len(shown(content, content)) < 1000


def test_a_finding_without_its_source_is_a_line() -> None:
    source = Source.from_text("a.py", "")
    assert text.render(finding(source, 0, 0), None, PLAIN) == "a.py:1:1: DEV101 It is bad\n"


def test_concise_is_one_line_whatever_the_message_holds() -> None:
    source = Source.from_text("a\nb.py", "x\n")
    rendered = concise.render(finding(source, 0, 1, Applicability.SAFE), PLAIN)
    assert rendered == "a\ufffdb.py:1:1: DEV101 [*] It is bad\n"


def test_colours_add_nothing_but_escapes() -> None:
    import re

    source = Source.from_text("a.py", "x.cuda()\n")
    one = finding(source, 1, 8, Applicability.SAFE)
    coloured = text.render(one, source.line, COLOUR)
    assert coloured != text.render(one, source.line, PLAIN)
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == text.render(one, source.line, PLAIN)


def test_json_has_the_names_of_ruff(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    source = Source.from_text("a.py", "é\nx.cuda()\n")
    one = finding(source, 3, 10, Applicability.UNSAFE)
    (found,) = json.loads(json_output.render([json_output.as_object(one, "cuda-method", source.location)]))
    assert found == {
        "cell": None,
        "code": "DEV101",
        "name": "cuda-method",
        "message": "It is bad",
        "filename": str(tmp_path / "a.py"),
        "location": {"row": 2, "column": 2},
        "end_location": {"row": 2, "column": 9},
        "fix": {
            "applicability": "unsafe",
            "message": "Replace it",
            "edits": [
                {
                    "content": ".to(device)",
                    "location": {"row": 2, "column": 2},
                    "end_location": {"row": 2, "column": 9},
                },
                {
                    "content": "import torch\n",
                    "location": {"row": 1, "column": 1},
                    "end_location": {"row": 1, "column": 1},
                },
            ],
        },
        "noqa_row": 2,
        "url": rule_address("DEV101"),
    }
    assert json_output.as_object(finding(source, 0, 1), "", source.location)["fix"] is None
    assert json_output.render([]) == "[]\n"


def test_statistics_are_ordered_and_marked() -> None:
    rows = statistics.rows({"DEV1": 3, "DEV2": 12, "DEV3": 3}, {"DEV2": 12, "DEV3": 1}, {"DEV1": "one", "DEV2": "two"})
    assert statistics.render(rows, PLAIN) == "12  DEV2  [*]  two\n 3  DEV1  [ ]  one\n 3  DEV3  [-]  \n"
    assert statistics.render([], PLAIN) == ""


def test_equal_texts_have_no_diff() -> None:
    assert diff.render("a.py", "x\n", "x\n", PLAIN) == ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x\ny\n", "x\nz\n"),
        ("x\ny", "x\nz"),
        ("x\ny", "x\ny\n"),
        ("x\r\ny\r\n", "x\r\nz\r\n"),
        ("x\x0cx\x0b\u2028\ny\n", "x\x0cx\x0b\u2028\nz\n"),
        ("", "x\n"),
    ],
)
def test_patch_takes_the_diff(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(before.encode())
    rendered = diff.render("a.py", before, after, PLAIN)
    assert rendered.startswith("--- a.py\n+++ a.py\n@@")
    program = shutil.which("git")
    assert program is not None
    subprocess.run([program, "apply", "-p0", "-"], cwd=tmp_path, input=rendered.encode(), check=True)
    assert path.read_bytes() == after.encode()


@pytest.mark.skipif(os.name == "nt", reason="such names do not exist there")
@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("a b/c d.py", "a b/c d.py\t"),
        (" a.py", '"\\040a.py"'),
        ("a.py ", '"a.py\\040"'),
        ("a\nb.py", '"a\\012b.py"'),
        ("tab\t.py", '"tab\\011.py"'),
        ('q"u\\o.py', '"q\\042u\\134o.py"'),
        ("\x1b[31m.py", '"\\033[31m.py"'),
        ("\u202egnp.py", '"\\342\\200\\256gnp.py"'),
        (os.fsdecode(b"\xff.py"), '"\\377.py"'),
        ("é漢.py", "é漢.py"),
    ],
)
@pytest.mark.parametrize("command", [["git", "apply", "-p0", "-"], ["patch", "-p0"]], ids=lambda command: command[0])
def test_patch_finds_the_file(name: str, header: str, command: list[str], tmp_path: Path) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"there is no {command[0]}")
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("x\n")
    rendered = diff.render(name, "x\n", "y\n", PLAIN)
    assert rendered.startswith(f"--- {header}\n+++ {header}\n@@")
    subprocess.run(command, cwd=tmp_path, input=rendered.encode(), check=True, capture_output=True)
    assert path.read_text() == "y\n"


def test_a_diff_for_a_terminal_has_escapes() -> None:
    before = "a\x1b[2J\tb\u202e\r\nc\rd\x9b\n"
    rendered = diff.render("a.py", before, f"{before}e", PLAIN, escapes=True)
    lines = [" a\\x1b[2J\tb\\u202e\r", " c\\r", " d\\x9b", "+e", "\\ No newline at end of file", ""]
    assert rendered.split("\n")[3:] == lines
    assert before.split("\r\n")[0] in diff.render("a.py", before, "", PLAIN)


def test_diffs_are_coloured_line_by_line() -> None:
    rendered = diff.render("a.py", "x\ny\n", "x\nz\n", COLOUR)
    assert "\x1b[31m-y\x1b[0m\n" in rendered
    assert "\x1b[32m+z\x1b[0m\n" in rendered
    assert "\n x\n" in rendered
