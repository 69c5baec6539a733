"""Baselines: what is known stays silent and as it is, what is new shows, and what is no more is told."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from devlint import fix as fix_text
from devlint.cli import main
from devlint.config.baseline import VERSION, Baseline, Entry, Lines
from devlint.core.diagnostic import Diagnostic, Edit, Location, Span
from devlint.core.errors import ConfigError
from devlint.engine.baseline_writer import dumped
from devlint.engine.finding_filter import FindingFilter
from devlint.sources.source import Source

HEAD = "import torch\n\n"
MARK = {"format": "devlint-baseline", "version": VERSION}
Run = Callable[..., "Result"]


@dataclass
class Result:
    code: Any
    out: str
    err: str


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")

    def call(*arguments: str) -> Result:
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        return Result(left.value.code or 0, *capsys.readouterr())

    return call


def make(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def rows(path: str = "devlint-baseline.json") -> list[dict[str, Any]]:
    found = json.loads(Path(path).read_text())
    assert found.pop() == MARK
    return list(found)


def places(result: Result) -> list[tuple[str, int]]:
    return [(one["code"], one["location"]["row"]) for one in json.loads(result.out)]


def test_what_is_known_is_silent_and_what_is_new_shows(run: Run) -> None:
    make("a.py", HEAD + "x = torch.zeros(2).cuda()\n")
    written = run("baseline")
    assert (written.code, written.err) == (0, "")
    assert written.out.splitlines() == [
        "Wrote devlint-baseline.json: 1 error in 1 file (1 new, 0 no longer found).",
        'To use it: `devlint check --baseline devlint-baseline.json`, or `baseline = "devlint-baseline.json"` '
        "in the configuration.",
    ]
    assert rows() == [{"path": "a.py", "code": "DEV101", "line": "x = torch.zeros(2).cuda()", "count": 1}]
    known = run("check", "--baseline", "devlint-baseline.json")
    assert known == Result(0, "All checks passed!\n1 error known to the baseline.\n", "")
    make(
        "a.py",
        "import os\n" + HEAD + "if os:\n    x  =  torch.zeros(2).cuda()  # a comment\ny = torch.ones(2).cuda()\n",
    )
    found = run("check", "--baseline", "devlint-baseline.json", "--output-format", "json")
    assert (found.code, places(found)) == (1, [("DEV101", 6)])
    assert places(run("check", "--output-format", "json")) == [("DEV101", 5), ("DEV101", 6)]


def test_the_configuration_names_one_for_all_commands(run: Run) -> None:
    make("pyproject.toml", '[tool.devlint]\nbaseline = "ci/known.json"\n')
    os.mkdir("ci")
    make("src/a.py", HEAD + "x = torch.zeros(2).cuda()\n")
    assert "To use it" not in run("baseline").out
    assert [row["path"] for row in rows("ci/known.json")] == ["../src/a.py"]
    assert run("check").code == 0
    assert run("fix", "--diff").out == ""
    assert run("check", "--no-baseline").code == 1
    assert run("check", "--isolated").code == 1
    clash = run("check", "--no-baseline", "--baseline", "ci/known.json")
    assert (clash.code, "exclude each other" in clash.err) == (2, True)
    os.chdir("src")
    assert run("check", "a.py").code == 0
    assert run("baseline", "--check").code == 0


def test_more_of_the_same_shows_the_last(run: Run) -> None:
    line = "x = torch.zeros(2).cuda()\n"
    make("a.py", HEAD + line * 2)
    run("baseline")
    assert rows()[0]["count"] == 2
    make("a.py", HEAD + line * 3)
    found = run("check", "--baseline", "devlint-baseline.json", "--output-format", "json")
    assert places(found) == [("DEV101", 5)]


def test_another_code_on_a_known_line_shows(run: Run) -> None:
    make("a.py", HEAD + "x = torch.zeros(2).cuda()\n")
    Path("known.json").write_bytes(dumped({Entry("a.py", "DEV201", "x = torch.zeros(2).cuda()"): 1}))
    assert run("check", "--baseline", "known.json").code == 1


def test_known_findings_are_not_fixed_whatever_happens_around_them(run: Run) -> None:
    make("a.py", HEAD + "x = torch.zeros(2).cuda()\nprint(x)\n")
    run("baseline")
    both = "x = torch.zeros(2).cuda()\nprint(x)\ny = torch.cuda.FloatTensor(2).cuda(); z = torch.ones(2).cuda()\n"
    make("a.py", HEAD + both)
    result = run("fix", "--baseline", "devlint-baseline.json")
    text = Path("a.py").read_text()
    assert "x = torch.zeros(2).cuda()\n" in text
    assert text.count(".cuda()") == 1
    assert (result.code, result.out.splitlines()[-1]) == (0, "1 error known to the baseline.")


def test_a_known_finding_on_a_line_that_a_fix_changes_stays(run: Run) -> None:
    make("a.py", HEAD + "x = torch.zeros(2).cuda(); y = torch.cuda.FloatTensor(2)\n")
    line = Path("a.py").read_text().splitlines()[2]
    Path("known.json").write_bytes(dumped({Entry("a.py", "DEV101", line): 1}))
    result = run("fix", "--baseline", "known.json")
    assert "x = torch.zeros(2).cuda(); y = torch.empty(2" in Path("a.py").read_text()
    assert result.code == 0


def test_fixed_findings_are_dropped_when_it_is_written_again(run: Run) -> None:
    make("a.py", HEAD + "x = torch.zeros(2).cuda()\ny = torch.ones(2).cuda()\ny = torch.ones(2).cuda()\n")
    make("b.py", HEAD + "x = torch.zeros(2).cuda()\n")
    run("baseline")
    assert run("baseline", "--check") == Result(0, "devlint-baseline.json: up to date.\n", "")
    make("a.py", HEAD + "x = torch.zeros(2).cuda()\nz = torch.ones(3).cuda()\n")
    stale = run("baseline", "--check")
    assert stale == Result(
        1,
        "a.py: DEV101 no longer found (2 times): y = torch.ones(2).cuda()\n"
        "devlint-baseline.json: 2 errors no longer found; `devlint baseline` drops them.\n",
        "",
    )
    os.remove("b.py")
    assert "b.py: DEV101 no longer found: x = torch.zeros(2).cuda()\n" in run("baseline", "--check").out
    assert run("baseline").out.startswith("Wrote devlint-baseline.json: 2 errors in 1 file (1 new, 3 no longer found).")
    assert [row["line"] for row in rows()] == ["x = torch.zeros(2).cuda()", "z = torch.ones(3).cuda()"]


def test_some_paths_leave_what_is_known_of_others(run: Run) -> None:
    for name in ("a/a.py", "b/b.py", "b/c.py"):
        make(name, HEAD + "x = torch.zeros(2).cuda()\n")
    run("baseline")
    make("a/a.py", HEAD)
    os.remove("b/c.py")
    assert run("baseline", "--check", "b/b.py").code == 1  # b/c.py is no more, wherever one looks
    run("baseline", "b/b.py")
    assert [row["path"] for row in rows()] == ["a/a.py", "b/b.py"]
    assert run("baseline", "--check", "b").code == 0
    assert run("baseline", "--check", "a").code == 1


def test_two_baselines_in_one_tree(run: Run) -> None:
    make("devlint.toml", 'baseline = "devlint-baseline.json"\n')
    make("sub/devlint.toml", 'baseline = "devlint-baseline.json"\n')
    for name in ("a.py", "sub/b.py"):
        make(name, HEAD + "x = torch.zeros(2).cuda()\n")
    run("baseline")
    assert [row["path"] for row in rows()] == ["a.py"]
    missing = run("check")
    assert (missing.code, missing.err.count("\n")) == (2, 1)
    assert missing.err.endswith("no such baseline; `devlint baseline` writes one\n")
    os.chdir("sub")
    run("baseline")
    assert [row["path"] for row in rows()] == ["b.py"]
    os.chdir("..")
    assert run("check").code == 0


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is no baseline, but text that is no JSON"),
        ("[", "is no baseline, but text that is no JSON"),
        ("\xff", "is no baseline, but text that is no JSON"),
        ("[\n<<<<<<< HEAD\n]\n", "is no baseline: it has the marks of a merge that is not finished"),
        ("{}", "is no baseline of devlint's; "),
        ("[]", "is no baseline of devlint's; "),
        ('[{"format": "other", "version": 1}]', "is no baseline of devlint's; "),
        (json.dumps([{**MARK, "version": 2}]), "is a baseline of version 2, but this devlint reads version 1"),
        (json.dumps([{"path": "a.py"}, MARK]), "has an entry that is none: {'path': 'a.py'}"),
        (json.dumps([3, MARK]), "has an entry that is none: 3"),
        (json.dumps([{"path": "a.py", "code": "D", "line": "", "count": 0}, MARK]), "has an entry that is none"),
        (json.dumps([{"path": "a.py", "code": "D", "line": "", "count": True}, MARK]), "has an entry that is none"),
        (
            json.dumps([{"path": "b", "code": "D", "line": "", "count": 1}, MARK]),
            "'b', which it lists, does not exist: ",
        ),
    ],
)
def test_what_is_no_baseline_is_one_line(run: Run, text: str, complaint: str) -> None:
    make("a.py", HEAD)
    Path("known.json").write_bytes(text.encode("latin-1"))
    for arguments in (("check", "--baseline", "known.json"), ("baseline", "--check", "--output", "known.json")):
        result = run(*arguments)
        assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
        assert f"known.json: {complaint}" in result.err
    if "does not exist" not in complaint:  # what is no baseline of devlint's is not written over
        assert run("baseline", "--output", "known.json").code == 2
        assert Path("known.json").read_bytes() == text.encode("latin-1")


def test_a_missing_one_is_an_error_even_where_nothing_is_found(run: Run) -> None:
    make("a.py", "x = 1\n")
    missing = run("check", "--baseline", "none.json")
    assert (missing.code, missing.out) == (2, "")
    assert missing.err.endswith("none.json: no such baseline; `devlint baseline` writes one\n")
    assert run("baseline", "--check", "--output", "none.json").code == 2
    assert run("check", "--baseline", ".").err.endswith("cannot be read: Is a directory\n")
    assert "there is no baseline of standard input" in run("baseline", "-").err


def test_an_empty_one_is_one(run: Run) -> None:
    make("a.py", HEAD)
    run("baseline")
    assert Path("devlint-baseline.json").read_text() == '[\n{"format": "devlint-baseline", "version": 1}\n]\n'
    assert run("check", "--baseline", "devlint-baseline.json").code == 0


def test_a_file_that_cannot_be_read_prevents_a_baseline_with_a_hole(run: Run) -> None:
    make("a.py", HEAD + "x = torch.zeros(2).cuda()\n")
    result = run("baseline", "a.py", "none.py")
    assert (result.code, result.out) == (2, "")
    assert result.err.splitlines() == [
        "error: none.py: No such file or directory",
        "error: devlint-baseline.json: not written, since not every file could be read",
    ]
    assert not Path("devlint-baseline.json").exists()


def test_files_that_are_no_python_can_be_known(run: Run) -> None:
    make("a.py", "import torch\nprint 'x', torch.cuda\nx.cuda()\n")
    Path("b.py").write_bytes(b"# torch.cuda \xff\n")
    make("c.ipynb", '{"torch": ".cuda(')
    run("baseline", ".")
    assert [(row["path"], row["code"], row["line"]) for row in rows()] == [
        ("a.py", "DEV001", "print 'x', torch.cuda"),
        ("b.py", "DEV001", ""),
        ("c.ipynb", "DEV001", ""),
    ]
    assert run("check", "--baseline", "devlint-baseline.json").code == 0


def test_notebooks(run: Run) -> None:
    def notebook(*cells: str) -> str:
        code = [{"cell_type": "code", "source": cell, "metadata": {}, "outputs": []} for cell in cells]
        return json.dumps({"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)

    make("a.ipynb", notebook("import torch", "x = torch.zeros(2).cuda()"))
    run("baseline")
    assert rows() == [{"path": "a.ipynb", "code": "DEV101", "line": "x = torch.zeros(2).cuda()", "count": 1}]
    make("a.ipynb", notebook("import torch", "1", "x = torch.zeros(2).cuda()", "y = torch.zeros(3).cuda()"))
    found = run("check", "--baseline", "devlint-baseline.json", "--output-format", "json")
    assert [(one["cell"], one["location"]["row"]) for one in json.loads(found.out)] == [(4, 1)]


def test_suppressions(run: Run) -> None:
    """A known finding that gets suppressed is known no more, and an unused suppression can be known."""
    make("a.py", HEAD + "x = torch.zeros(2).cuda()\ny = 1  # noqa: DEV101\n")
    run("baseline")
    assert [(row["code"], row["line"]) for row in rows()] == [
        ("DEV002", "y = 1"),
        ("DEV101", "x = torch.zeros(2).cuda()"),
    ]
    assert run("check", "--baseline", "devlint-baseline.json").code == 0
    make("a.py", HEAD + "x = torch.zeros(2).cuda()  # noqa: DEV101\ny = 1\n")
    assert run("check", "--baseline", "devlint-baseline.json").code == 0
    assert run("baseline", "--check").code == 1


def test_formats_and_statistics(run: Run) -> None:
    make("a.py", HEAD + "x = torch.zeros(2).cuda()\n")
    run("baseline")
    make("a.py", HEAD + "x = torch.zeros(2).cuda()\ny = torch.zeros(3).cuda()\n")
    known = ("--baseline", "devlint-baseline.json")
    for name in (
        "text",
        "concise",
        "grouped",
        "json",
        "json-lines",
        "sarif",
        "github",
        "gitlab",
        "azure",
        "junit",
        "pylint",
    ):
        out = run("check", *known, "--output-format", name).out
        assert "DEV101" in out
        assert out.count("torch.zeros(2)") == 0
    assert run("check", *known, "--statistics").out.startswith("1  DEV101")
    assert run("check", *known, "-q", "--output-format", "concise").out.count("\n") == 1


def test_git_merges_two_of_them(tmp_path: Path) -> None:
    def entry(path: str) -> Entry:
        return Entry(path, "DEV101", "x = x.cuda()")

    base = {entry(name): 1 for name in ("b.py", "d.py", "f.py", "h.py", "j.py")}
    ours = {**base, entry("a.py"): 1, entry("d.py"): 2}
    theirs = {**base, entry("z.py"): 1}
    del theirs[entry("h.py")]
    for name, counts in (("ours", ours), ("base", base), ("theirs", theirs)):
        (tmp_path / name).write_bytes(dumped(counts))
    command = ["git", "merge-file", "-p", "ours", "base", "theirs"]
    merged = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    tmp_path.joinpath("merged").write_bytes(merged.stdout)
    assert Baseline.read(str(tmp_path / "merged")).counts == {
        entry("a.py"): 1,
        entry("b.py"): 1,
        entry("d.py"): 2,
        entry("f.py"): 1,
        entry("j.py"): 1,
        entry("z.py"): 1,
    }


def test_entries_that_a_merge_has_doubled_count_once(tmp_path: Path) -> None:
    row = {"path": "a.py", "code": "DEV101", "line": "x", "count": 2}
    tmp_path.joinpath("known.json").write_text(json.dumps([row, {**row, "count": 3}, MARK, MARK]))
    assert Baseline.read(str(tmp_path / "known.json")).counts == {Entry("a.py", "DEV101", "x"): 3}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("    x = x.cuda()", "x = x.cuda()"),
        ("x\t=  x.cuda()  # why", "x = x.cuda()"),
        ("x = '# no comment'", "x = '# no comment'"),
        ("# only a comment", "# only a comment"),
        ("x = '" + "a" * 300 + "'", "x = '" + "a" * 195),
    ],
)
def test_lines(line: str, expected: str) -> None:
    text = f"if x:\n    pass\n{line}\n" if line[0] != " " else f"if x:\n{line}\n"
    assert Lines(Source.from_text("", text)).at(text.index(line)) == expected


def test_lines_of_what_has_no_tokens() -> None:
    assert Lines(Source.from_text("", "x = ( # a\n")).at(0) == "x = ( # a"


def test_the_flake8_plugin_knows_it_too(run: Run) -> None:
    from devlint.integrations.flake8_plugin import _Run

    text = HEAD + "x = torch.zeros(2).cuda()\n"
    make("a.py", text)
    make("devlint.toml", 'baseline = "devlint-baseline.json"\n')
    run("baseline")
    assert list(_Run({}).file("a.py", text)) == []
    assert len(list(_Run({}).file("a.py", text + "y = torch.zeros(3).cuda()\n"))) == 1


def test_the_library_heeds_the_configured_one(run: Run) -> None:
    text = HEAD + "x = torch.zeros(2).cuda()\n"
    make("a.py", text)
    make("devlint.toml", 'baseline = "devlint-baseline.json"\n')
    run("baseline")
    assert fix_text(Path("a.py")).text == text
    assert fix_text(Path("a.py"), isolated=True).text != text


@pytest.mark.parametrize(
    ("value", "complaint"), [("true", "expected a string"), ("3", "expected a string"), ('""', "expected a string")]
)
def test_wrong_values_in_a_configuration(run: Run, value: str, complaint: str) -> None:
    make("a.py", HEAD)
    make("devlint.toml", f"baseline = {value}\n")
    result = run("check")
    assert (result.code, complaint in result.err) == (2, True)


def test_false_is_none(run: Run) -> None:
    make("devlint.toml", 'baseline = "devlint-baseline.json"\n')
    make("a.py", HEAD + "x = torch.zeros(2).cuda()\n")
    run("baseline")
    make("sub/devlint.toml", 'extend = "../devlint.toml"\nbaseline = false\n')
    make("sub/a.py", HEAD + "x = torch.zeros(2).cuda()\n")
    assert run("check", "a.py").code == 0
    assert run("check", "sub").code == 1


def test_a_baseline_is_not_written_where_it_cannot_be(run: Run) -> None:
    make("a.py", HEAD)
    result = run("baseline", "--output", "none/known.json")
    assert (result.code, result.out) == (2, "")
    assert result.err.endswith("none/known.json: cannot be written: No such file or directory\n")


def test_a_file_that_would_stay_as_it_is_is_not_touched(run: Run) -> None:
    make("a.py", HEAD + "x = torch.zeros(2).cuda()\n")
    run("baseline")
    os.utime("devlint-baseline.json", (1, 1))
    run("baseline")
    assert os.stat("devlint-baseline.json").st_mtime == 1


def finding(start: int, end: int) -> Diagnostic:
    return Diagnostic("", "DEV1", "", Span(start, end), Location(1, 1), Location(1, 1))


@pytest.mark.parametrize(
    ("edits", "place", "origin"),
    [
        ([Edit(Span(0, 0), "new\n")], (4, 6), (0, 2)),
        ([Edit(Span(0, 0), "new\n")], (0, 3), (0, 0)),
        ([Edit(Span(2, 5), "y")], (0, 2), (0, 2)),
        ([Edit(Span(2, 5), "y")], (2, 3), (2, 5)),
        ([Edit(Span(2, 5), "yyyyy")], (3, 4), (2, 5)),
        ([Edit(Span(2, 5), "")], (2, 4), (5, 7)),
        ([Edit(Span(0, 1), "abc"), Edit(Span(4, 6), "d")], (9, 10), (8, 9)),
    ],
)
def test_places_are_traced_back(edits: list[Edit], place: tuple[int, int], origin: tuple[int, int]) -> None:
    finding_filter = FindingFilter()
    finding_filter.begin(Source.from_text("", "0123456789"))
    finding_filter.edited(edits)
    assert finding_filter.origin(Span(*place)) == Span(*origin)


def test_errors_have_their_place() -> None:
    with pytest.raises(ConfigError, match="no such baseline"):
        Baseline.read("/none/known.json")
