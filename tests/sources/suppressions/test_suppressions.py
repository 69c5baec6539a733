"""Suppressions: what they cover, what they leave alone, and how the unused ones are taken out."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import devlint
from devlint.sources.suppressions.suppression_settings import SuppressionSettings
from devlint.sources.suppressions.suppressions import Suppressions

KNOWN = ("DEV101", "DEV102", "DEV201")


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "#noqa",
        "# NOQA",
        "# noqa: DEV101",
        "# noqa:DEV101",
        "# noqa : dev101",
        "# NoQA: E501, DEV101",
        "# noqa: E501 DEV101",
        "# noqa: E501,DEV101,F401",
        "# noqa: DEV1",
        "# noqa: DEV101 - a reason",
        "# type: ignore # noqa: DEV101",
        "# noqa: E501  # noqa: DEV101",
        "# devlint: ignore",
        "# devlint:ignore",
        "# DevLint: ignore[DEV101]",
        "# devlint: ignore[DEV201, DEV1] because",
        "# devlint: ignore[cuda-method]",
        "# devlint: ignore[DEV201, cuda-method] (the kernel is CUDA's)",
        "# devlint: ignore-file[cuda-method]",
        "# noqa: cuda-method",
        "# noqa: E501, cuda-method",
        "# noqa: see-above",
        "# devlint: ignore - because",
        "# devlint: ignore-file",
        "# devlint: ignore-file[DEV101]",
        "# flake8: noqa",
        "# flake8: noqa: DEV101",
        "# ruff: noqa: DEV101, E501",
    ],
)
def test_a_suppression_covers_its_line(comment: str) -> None:
    suppressions = Suppressions.of(f"import torch\nx.cuda()  {comment}\n")
    assert suppressions
    assert suppressions.suppresses("DEV101", 2, 2)


@pytest.mark.parametrize(
    "line",
    [
        "x.cuda()  # noqa: E501",
        "x.cuda()  # noqa: DEV102",
        "x.cuda()  # noqa: DEV1011",
        "x.cuda()  # noqax",
        "x.cuda()  # nothing about noqa",
        "x.cuda()  # devlint: ignored",
        "x.cuda()  # devlint: ignore-files",
        "x.cuda()  # devlint: ignore[]",
        "x.cuda()  # devlint: ignore[DEV1O1]",
        "x.cuda()  # devlint: ignore[DEV101x]",
        "x.cuda()  # devlint: ignore[cuda-metod]",
        "x.cuda()  # devlint: ignore[DEV101",
        "x.cuda()  # devlint: ignore(DEV101)",
        "x.cuda()  # devlint: ignore (DEV102)",
        "x.cuda()  # devlint: ignore: DEV102",
        "x.cuda()  # devlint: ignore=DEV102",
        "x.cuda()  # devlint: ignore DEV102",
        "x.cuda()  # devlint: ignore cuda-method",
        "x.cuda()  # devlint: ignore: cuda-argument",
        "x.cuda()  # noqa: DEV1O1",
        "x.cuda()  # noqa: DEV1O1, E501",
        "x.cuda()  # noqa: E501, DEV1O1",
        "x.cuda()  # noqa: cuda-metod",
        "x.cuda()  # noqa: cuda-argument",
        "# devlint: ignore-file(DEV101)\nx.cuda()",
        "# devlint: ignore-file[DEV1O1]\nx.cuda()",
        "# devlint: ignore-file DEV102\nx.cuda()",
        "x.cuda()  # ruff: noqa: E501",
        "x.cuda('# noqa')",
        "x.cuda('''\n# noqa: DEV101\n''')",
        "f(x.cuda(), '# devlint: ignore-file')",
    ],
)
def test_what_is_no_suppression_covers_nothing(line: str) -> None:
    suppressions = Suppressions.of(line + "\n")
    assert not any(suppressions.suppresses("DEV101", row, row) for row in range(1, 4))


def test_line_suppressions_cover_only_findings_that_touch_their_line() -> None:
    suppressions = Suppressions.of("a\nf(\n  x.cuda(\n  ),  # noqa: DEV101\n)\nb\n")
    assert suppressions.suppresses("DEV101", 3, 4)
    assert suppressions.suppresses("DEV101", 2, 5)
    assert not suppressions.suppresses("DEV101", 2, 3)
    assert not suppressions.suppresses("DEV101", 5, 6)
    assert suppressions.rows("DEV101") == {4}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_comment_after_a_backslash_or_a_long_string_speaks_for_all_its_rows(newline: str) -> None:
    text = newline.join(["x = a.cuda() + \\", "    b  # noqa: DEV101", "y = '''", "''' + c  # noqa: DEV102", ""])
    suppressions = Suppressions.of(text)
    assert suppressions.rows("DEV101") == {1, 2}
    assert suppressions.rows("DEV102") == {3, 4}


def test_file_suppressions_cover_every_row() -> None:
    suppressions = Suppressions.of("x.cuda()\n# devlint: ignore-file[DEV1]\ny.cuda()\n")
    assert suppressions.suppresses("DEV101", 1, 1)
    assert not suppressions.suppresses("DEV201", 1, 1)
    assert suppressions.rows("DEV101") == {1, 2, 3, 4}


def test_where_python_finds_no_tokens_lines_are_read_as_they_stand() -> None:
    suppressions = Suppressions.of("x.cuda(async=True)  # noqa: DEV101\ny = '''\n")
    assert suppressions.suppresses("DEV101", 1, 1)


@pytest.mark.parametrize(
    ("before", "after", "codes"),
    [
        ("x()  # noqa: DEV101\n", "x()\n", ("DEV101",)),
        ("x()  # noqa: DEV101 - a reason  \n", "x()\n", ("DEV101",)),
        ("x()\t#noqa:DEV101\r\n", "x()\r\n", ("DEV101",)),
        ("x()  # noqa: DEV101, E501\n", "x()  # noqa: E501\n", ("DEV101",)),
        ("x()  # noqa: E501,DEV101,F401 why\n", "x()  # noqa: E501,F401 why\n", ("DEV101",)),
        ("x()  # noqa: E501 DEV101\n", "x()  # noqa: E501\n", ("DEV101",)),
        ("x()  # noqa: DEV101, DEV201\n", "x()\n", ("DEV101", "DEV201")),
        ("x()  # type: ignore  # noqa: DEV101\n", "x()  # type: ignore\n", ("DEV101",)),
        ("x()  # noqa: DEV101  # type: ignore\n", "x()  # type: ignore\n", ("DEV101",)),
        ("x()  # devlint: ignore[DEV101] why", "x()", ("DEV101",)),
        ("x()  # devlint: ignore\n", "x()\n", ()),
        ("# devlint: ignore-file\nx()\n", "x()\n", ()),
        ("x()\n    # flake8: noqa: DEV1", "x()\n", ("DEV1",)),
        ("x()\n# flake8: noqa: DEV1\n", "x()\n", ("DEV1",)),
    ],
)
def test_unused_codes_are_taken_out(before: str, after: str, codes: tuple[str, ...]) -> None:
    (unused,) = Suppressions.of(before).unused(KNOWN)
    assert unused.codes == codes
    edit = unused.edit
    assert before[: edit.span.start] + edit.text + before[edit.span.end :] == after
    assert before[unused.span.start] == "#"


@pytest.mark.parametrize("comment", ["# noqa", "# noqa: E501", "# flake8: noqa", "# ruff: noqa", "# noqa: anything"])
def test_what_may_be_meant_for_others_is_never_unused(comment: str) -> None:
    assert Suppressions.of(f"x()  {comment}\n").unused(KNOWN) == []


def test_a_used_suppression_is_not_unused() -> None:
    suppressions = Suppressions.of("x.cuda()  # noqa: DEV1\ny  # noqa: DEV102, DEV101\nz  # devlint: ignore\n")
    assert suppressions.suppresses("DEV101", 1, 1)
    assert suppressions.suppresses("DEV101", 2, 2)
    assert suppressions.suppresses("DEV201", 3, 3)
    assert [unused.codes for unused in suppressions.unused(KNOWN)] == [("DEV102",)]


def test_rules_that_did_not_run_leave_their_suppressions_alone() -> None:
    suppressions = Suppressions.of("x()  # noqa: DEV101\ny()  # devlint: ignore\nz()  # noqa: DEV998\n")
    assert suppressions.unused({"DEV201"}, KNOWN) == []
    assert [unused.codes for unused in suppressions.unused(KNOWN, KNOWN)] == [("DEV101",), ()]


@pytest.mark.parametrize(
    ("comment", "missing"),
    [
        ("# noqa: DEV101", True),
        ("# noqa: DEV101 -", True),
        ("# noqa: DEV101  # type: ignore", True),
        ("# devlint: ignore", True),
        ("# devlint: ignore-file[DEV1]:", True),
        ("# noqa: DEV101 - CUDA kernel", False),
        ("# devlint: ignore[DEV101] (CUDA kernel)", False),
        ("# noqa", False),
        ("# noqa: E501", False),
    ],
)
def test_a_reason_is_any_text_after_the_codes(comment: str, missing: bool) -> None:
    assert bool(Suppressions.of(f"x.cuda()  {comment}\n").without_reason()) is missing


@given(
    st.lists(st.sampled_from(["# noqa", ": DEV101", ", E5", "#", " ", "'", "\n", "\\\n", "x", "devlint: ignore", "\r"]))
)
def test_any_text_is_read_without_an_error(pieces: list[str]) -> None:
    text = "".join(pieces)
    suppressions = Suppressions.of(text)
    suppressions.suppresses("DEV101", 1, 1)
    for unused in suppressions.unused(KNOWN):
        assert 0 <= unused.edit.span.start <= unused.edit.span.end <= len(text)


THEIRS = SuppressionSettings(words=("allow-cuda", "ignore-cuda"))


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("x.cuda()  # allow-cuda: a kernel", {1}),
        ("x.cuda()  #ignore-cuda", {1}),
        ("x.cuda()  # type: ignore # allow-cuda", {1}),
        ("x.cuda()  # allow-cuda, and more # noqa: E501", {1}),
        ("# allow-cuda: a kernel\nx.cuda()\ny.cuda()", {1, 2}),
        ("# allow-cuda: a kernel\n# that is CUDA's\nx.cuda()\ny.cuda()", {1, 2, 3}),
        ("f(\n    # allow-cuda: a kernel\n    x.cuda(),\n)", {2, 3}),
        ('x = """a\n""".cuda()  # allow-cuda: odd', {1, 2}),
        ("x.cuda()  # allow-cudas", set()),
        ("x.cuda()  # allow-cuda-graphs", set()),
        ("x.cuda()  # Allow-Cuda", set()),
        ("x.cuda()  # we allow-cuda here", set()),
        ("x.cuda('# allow-cuda: x')", set()),
        ("x.cuda()  # noqa: E501", set()),
        ("x = ( # allow-cuda: no tokens", {1}),
    ],
)
def test_comments_of_the_project(text: str, rows: set[int]) -> None:
    assert Suppressions.of(text, THEIRS).rows("DEV101") == rows
    assert not Suppressions.of(text).rows("DEV101")


def test_comments_of_the_project_are_never_unused_but_may_lack_a_reason() -> None:
    suppressions = Suppressions.of("x = 1  # allow-cuda: why\ny = 2  # ignore-cuda\n", THEIRS)
    assert suppressions.unused(KNOWN, KNOWN) == []
    assert [span.start for span in suppressions.without_reason()] == [32]


def test_noqa_can_be_left_to_others() -> None:
    text = "x.cuda()  # noqa\ny.cuda()  # devlint: ignore\nz.cuda()  # allow-cuda\n"
    assert Suppressions.of(text, SuppressionSettings(noqa=False)).rows("DEV101") == {2}
    assert Suppressions.of(text, SuppressionSettings(False, ("allow-cuda",))).rows("DEV101") == {2, 3}


def test_comments_of_the_project_are_configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("devlint.toml").write_text('suppression-comments = ["allow-cuda"]\nextend-select = ["DEV003"]\n')
    text = "import torch\n\nx = torch.zeros(2).cuda()  # allow-cuda: why\ny = torch.ones(2).cuda()\n"
    Path("a.py").write_text(text)
    assert [(one.code, one.location.row) for one in devlint.check(Path("a.py")).diagnostics] == [("DEV101", 4)]
    assert devlint.fix(Path("a.py")).text.count("  # allow-cuda: why") == 1
    assert "torch.zeros(2).cuda()" in devlint.fix(Path("a.py")).text
    Path("a.py").write_text("x = 1  # allow-cuda\n")
    assert [one.code for one in devlint.check(Path("a.py")).diagnostics] == ["DEV003"]


@pytest.mark.parametrize("value", ['"allow-cuda"', '[""]', '["# allow"]', '["a\\nb"]', "[1]", '["-"]'])
def test_words_that_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("devlint.toml").write_text(f"suppression-comments = {value}\n")
    Path("a.py").write_text("x = 1\n")
    (failure,) = devlint.check(Path("a.py")).failures
    assert "'suppression-comments': expected" in failure.message
