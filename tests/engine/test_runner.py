"""Running over files: the first look at bytes, what is written, and that no file stops the others."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from devlint.config.finder import ConfigFinder
from devlint.core import catalogue
from devlint.core.diagnostic import Failure, Location, Span
from devlint.engine.report import FileReport, Mode
from devlint.engine.runner import Runner
from devlint.engine.summary import Summary
from tests.support import fake_engine


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fake_engine.install(monkeypatch)


def make(path: str, text: str | bytes) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(text.encode() if isinstance(text, str) else text)


def reports(*paths: str, mode: Mode = Mode.CHECK, **overrides: Any) -> dict[str, FileReport]:
    runner = Runner(ConfigFinder({key.replace("_", "-"): value for key, value in overrides.items()}), mode)
    return {report.path: report for report in runner.run(paths or ["."])}


def lines(report: FileReport) -> list[str]:
    return [f"{one.location.row}:{one.code}" for one in report.diagnostics]


def test_findings_come_sorted_with_the_text_they_speak_of() -> None:
    make("a.py", "x.cuda()\ny.cuda()\npinned\nnccl\n")
    report = reports()["a.py"]
    assert lines(report) == ["1:DEV101", "2:DEV101", "3:DEV201"]
    assert report.source is not None
    assert report.source.line(2) == "y.cuda()"


def test_only_enabled_rules_run() -> None:
    make("a.py", "x.cuda()\npinned\nnccl\n")
    make("tests/a.py", "x.cuda()\npinned\n")
    make("devlint.toml", 'extend-select = ["DEV5"]\nper-file-ignores = {"tests/*" = ["DEV1"]}\n')
    found = reports()
    assert lines(found["a.py"]) == ["1:DEV101", "2:DEV201", "3:DEV505"]
    assert lines(found["tests/a.py"]) == ["2:DEV201"]
    assert lines(reports(select=["DEV2"])["a.py"]) == ["2:DEV201"]
    assert lines(reports(select=["Pinned"])["a.py"]) == ["2:DEV201"]
    assert lines(reports(ignore=["DEV2", "DEV505"])["a.py"]) == ["1:DEV101"]


def test_a_file_without_a_rules_words_is_not_parsed_unless_it_is_named() -> None:
    make("a.py", "def (")
    make("b.py", "def (.cuda()")
    found = reports()
    assert found["a.py"] == FileReport("a.py")
    assert lines(found["b.py"]) == ["1:DEV001"]
    assert lines(reports("a.py")["a.py"]) == ["1:DEV001"]
    assert reports("a.py", ignore=["DEV0"])["a.py"].diagnostics == ()


def test_a_rule_that_goes_by_the_oldest_torch_is_asked_only_where_that_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = (row.replace(needs_torch_min=row.code == "DEV201") for row in fake_engine.ROWS)
    monkeypatch.setattr(catalogue, "RULES", tuple(rows))
    make("a.py", "pinned\n")
    assert reports()["a.py"] == FileReport("a.py", by_target=True)
    assert lines(reports(torch_min_version="2.4")["a.py"]) == ["1:DEV201"]
    make("pyproject.toml", '[project]\ndependencies = ["torch>=2.4"]\n')
    assert lines(reports()["a.py"]) == ["1:DEV201"]


def test_syntax_errors_show_although_they_are_not_selected() -> None:
    make("b.py", "def (.cuda()")
    assert lines(reports(select=["DEV101"])["b.py"]) == ["1:DEV001"]


def test_an_undecodable_file_is_a_finding_wherever_it_is() -> None:
    make("a.py", b"x = 1\ny = '\xff'\n")
    report = reports()["a.py"]
    assert lines(report) == ["2:DEV001"]
    assert "byte 0xff" in report.diagnostics[0].message
    assert report.diagnostics[0].span == Span(0, 0)
    assert report.failures == ()
    assert reports(ignore=["DEV001"])["a.py"].diagnostics == ()
    assert reports(mode=Mode.FIX)["a.py"].diagnostics == report.diagnostics


def test_only_unneeded_suppressions_of_ours_bring_a_file_before_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    lint = fake_engine.lint
    monkeypatch.setattr(fake_engine, "lint", lambda source, *rest: seen.append(source.path) or lint(source, *rest))
    make("a.py", "x  # noqa\n")
    make("b.py", "x  # noqa: E501\n")
    make("c.py", "x  # noqa: E501, dev101\n")
    make("d.py", "x  # devlint: ignore\n")
    make("e.py", "# flake8: noqa: DEV1\n")
    reports()
    assert seen == ["c.py", "d.py", "e.py"]
    seen.clear()
    reports(ignore=["DEV002", "DEV004"])
    assert seen == []


@pytest.mark.parametrize("error", [RecursionError, MemoryError, ValueError, KeyError])
def test_any_exception_in_one_file_is_one_line_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def fail(source: Any, *rest: Any) -> Any:
        if source.path == "a.py":
            raise error("deep\n  inside")
        return original(source, *rest)

    original = fake_engine.lint
    monkeypatch.setattr(fake_engine, "lint", fail)
    make("a.py", "x.cuda()\n")
    make("b.py", "x.cuda()\n")
    found = reports()
    (failure,) = found["a.py"].failures
    assert failure.path == "a.py"
    assert failure.message.startswith(f"internal error, please report it: {error.__name__}: ")
    assert "\n" not in failure.message
    assert lines(found["b.py"]) == ["1:DEV101"]


def test_a_failure_of_the_engine_is_passed_on_beside_the_findings() -> None:
    make("a.py", "x.cuda() half\n")
    report = reports()["a.py"]
    assert report.failures == (Failure("a.py", "is left alone"),)
    assert lines(report) == ["1:DEV101"]


def test_unreadable_files_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    make("a.py", "x.cuda()\n")
    make("b.py", "x.cuda()\n")

    def guarded(path: Any, *rest: Any, **options: Any) -> Any:
        if path == "a.py":
            raise PermissionError(13, "Permission denied", path)
        return open(path, *rest, **options)

    monkeypatch.setattr("devlint.core.file_reading.open", guarded, raising=False)
    found = reports()
    assert found["a.py"].failures == (Failure("a.py", "Permission denied"),)
    assert lines(found["b.py"]) == ["1:DEV101"]


def test_fix_writes_what_is_safe_and_reports_the_rest() -> None:
    make("a.py", b"\xef\xbb\xbfx.cuda()\r\npinned\r\n")
    report = reports(mode=Mode.FIX)["a.py"]
    assert Path("a.py").read_bytes() == b"\xef\xbb\xbfx.to(device)\r\npinned\r\n"
    assert report.fixed == {"DEV101": 1}
    assert lines(report) == ["2:DEV201"]
    assert report.source is not None
    assert report.source.line(1) == "x.to(device)"
    report = reports(mode=Mode.FIX, unsafe_fixes=True)["a.py"]
    assert Path("a.py").read_bytes() == b"\xef\xbb\xbfx.to(device)\r\nfree\r\n"
    assert report.diagnostics == ()


def test_what_fixes_write_is_found_by_rules_without_a_word_in_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fake_engine.Safe, "replacement", ".to(nccl, pinned)")
    make("a.py", "x.cuda()\n")
    report = reports(mode=Mode.FIX, extend_select=["DEV505"])["a.py"]
    assert Path("a.py").read_text() == "x.to(nccl, pinned)\n"
    assert lines(report) == ["1:DEV505", "1:DEV201"]  # by their places


def test_a_file_with_nothing_to_fix_is_not_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    make("a.py", "pinned\n")
    monkeypatch.setattr("devlint.sources.source.write_source", lambda *_: pytest.fail("written"))
    assert lines(reports(mode=Mode.FIX)["a.py"]) == ["1:DEV201"]


def test_diff_writes_nothing() -> None:
    make("a.py", "x.cuda()\n")
    (report,) = Runner(ConfigFinder(), Mode.DIFF).run(["."])
    assert (report.before_text, report.after_text) == ("x.cuda()\n", "x.to(device)\n")
    assert Path("a.py").read_text() == "x.cuda()\n"


def test_a_file_that_changes_meanwhile_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    fix = fake_engine.fix

    def slow(source: Any, *rest: Any) -> Any:
        make("a.py", "x.cuda()  # saved by an editor\n")
        return fix(source, *rest)

    monkeypatch.setattr(fake_engine, "fix", slow)
    make("a.py", "x.cuda()\n")
    (report,) = Runner(ConfigFinder(), Mode.FIX).run(["a.py"])
    assert "changed while devlint was working on it" in report.failures[0].message
    assert Path("a.py").read_text() == "x.cuda()  # saved by an editor\n"
    assert os.listdir() == ["a.py"]


def test_a_write_that_fails_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("devlint.sources.source.write_source", fail)
    make("a.py", "x.cuda()\n")
    report = reports(mode=Mode.FIX)["a.py"]
    assert report.failures == (Failure("a.py", "No space left on device"),)


def test_text_that_is_in_no_file_is_never_written() -> None:
    make("a.py", "y.cuda()\n")
    make("devlint.toml", "unsafe-fixes = true\n")
    report = Runner(ConfigFinder(), Mode.FIX).text("a.py", b"x.cuda() pinned\n")
    assert report.after_text == "x.to(device) free\n"
    assert Path("a.py").read_text() == "y.cuda()\n"
    make("devlint.toml", "unsafe = true\n")
    assert "unknown key 'unsafe'" in Runner(ConfigFinder()).text("a.py", b"").failures[0].message
    runner = Runner(ConfigFinder({"force-exclude": True, "exclude": ["a.py"]}, isolated=True))
    assert runner.text("a.py", b"x.cuda()\n").diagnostics == ()
    assert runner.text("b.py", b"x.cuda()\n").diagnostics != ()
    assert Runner(ConfigFinder({"exclude": ["a.py"]}, isolated=True)).text("a.py", b"x.cuda()\n").diagnostics != ()


def test_only_changed_files_are_looked_at_and_all_where_nothing_is_known_of_changes() -> None:
    class Changes:
        def rows(self, path: str, data: object) -> list[int] | None:
            return {"a.py": [1], "b.py": []}.get(os.path.basename(path))

    for name in ("a.py", "b.py", "c.py"):
        make(name, "x.cuda()\n")
    found = Runner(ConfigFinder(isolated=True), changes=Changes()).run(["."])  # type: ignore[arg-type]
    assert {report.path: len(report.diagnostics) for report in found} == {"a.py": 1, "b.py": 0, "c.py": 1}


def test_a_requirement_too_old_for_the_target_is_one_line() -> None:
    make("requirements.txt", "torch>=1.13\n")
    make("a.py", "x.cuda()\n")
    (failure,) = reports(target="accelerator")["command line"].failures
    assert "needs torch 2.6" in failure.message


def test_tally_counts_and_decides_the_exit_code() -> None:
    make("a.py", "x.cuda()\npinned\n")
    summary = Summary()
    for report in Runner(ConfigFinder()).run(["."]):
        summary.add(report)
    assert (summary.found, summary.fixable, summary.hidden) == ({"DEV101": 1, "DEV201": 1}, {"DEV101": 1}, 1)
    assert summary.exit_code() == 1
    assert summary.exit_code(exit_zero=True) == 0
    again = Summary()
    assert again.exit_code(exit_non_zero_on_fix=True) == 0
    again.changed = 1  # by a fix whose finding is still there
    assert (again.exit_code(), again.exit_code(exit_non_zero_on_fix=True)) == (0, 1)
    summary.add(FileReport("b.py", failures=(Failure("b.py", "unreadable"),)))
    assert summary.exit_code(exit_zero=True) == 2


def test_text_is_looked_at_as_text_whatever_encoding_it_declares() -> None:
    text = "\ufeff# -*- coding: latin-1 -*-\né = x.cuda()\n"
    report = Runner(ConfigFinder()).text("a.py", text)
    assert [one.location for one in report.diagnostics] == [Location(2, 6)]
    assert Runner(ConfigFinder(), Mode.DIFF).text("a.py", text).after_text == text[1:].replace(".cuda()", ".to(device)")


def test_text_without_a_rules_words_is_parsed_only_when_it_is_named() -> None:
    assert lines(Runner(ConfigFinder()).text("a.py", "def (")) == ["1:DEV001"]
    assert lines(Runner(ConfigFinder()).text("a.py", "def é(", explicit=False)) == []


def test_text_that_was_parsed_to_look_for_triggers_is_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    monkeypatch.setattr("devlint.engine.load_source.parses", lambda text: parsed.append(text) or True)
    only_said = 'def move(x):\n    return f"""\n    x.cuda()\n    {x}"""\n'
    assert lines(Runner(ConfigFinder()).text("a.py", only_said)) == []
    assert parsed == []
    assert lines(Runner(ConfigFinder()).text("a.py", "print(1)\n")) == []
    assert parsed == ["print(1)\n"]


def test_noqa_may_be_left_to_others() -> None:
    text = "x.cuda()  # noqa\npinned  # devlint: ignore\n"
    assert lines(Runner(ConfigFinder()).text("a.py", text)) == []
    assert lines(Runner(ConfigFinder(), noqa=False).text("a.py", text)) == ["1:DEV101"]


def test_no_file_is_written_before_all_are_analyzed(monkeypatch: pytest.MonkeyPatch) -> None:
    lint, seen = fake_engine.fix, []

    def looking(source: Any, *rest: Any) -> Any:
        seen.append([Path(name).read_text() for name in ("a.py", "b.py", "c.py")])
        return lint(source, *rest)

    monkeypatch.setattr(fake_engine, "fix", looking)
    monkeypatch.setattr("devlint.engine.writing.MOST_HELD", 1)  # most of them are in a file
    for name in ("a.py", "b.py", "c.py"):
        make(name, "x.cuda()\n")
    watched: list[str] = []

    def watch(reports: Iterable[FileReport]) -> Iterator[FileReport]:
        for report in reports:
            watched.append(report.path)
            yield report

    done = [report.path for report in Runner(ConfigFinder(), Mode.FIX).run(["."], watch=watch)]
    assert done == watched == ["a.py", "b.py", "c.py"]
    assert seen and all(texts == ["x.cuda()\n"] * 3 for texts in seen)
    assert {Path(name).read_text() for name in done} == {"x.to(device)\n"}


def test_an_interrupt_while_files_are_analyzed_leaves_all_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    fix = fake_engine.fix

    def interrupted(source: Any, *rest: Any) -> Any:
        if source.path.endswith("b.py"):
            raise KeyboardInterrupt
        return fix(source, *rest)

    monkeypatch.setattr(fake_engine, "fix", interrupted)
    make("a.py", "x.cuda()\n")
    make("b.py", "x.cuda()\n")
    with pytest.raises(KeyboardInterrupt):
        list(Runner(ConfigFinder(), Mode.FIX).run(["."]))
    assert Path("a.py").read_text() == "x.cuda()\n"
