"""The measurements of speed: what can be wrong in them without taking long."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import speed_check, speed_yard
from benchmarks.speed_check import PYTHON, TIME, compare
from benchmarks.speed_contests import PARTS, wanted
from benchmarks.speed_figures import FIGURES, Verdict
from benchmarks.speed_files import EVERY, FILES, write_files, write_sample
from benchmarks.speed_measure import Command, Run, SpeedError, alternate, measure, summary
from benchmarks.speed_table import PAGE, RESULTS, report, with_report
from benchmarks.speed_tools import HEAVY, PEERS, Devlint, options_in
from benchmarks.speed_yard import Yard
from devlint import check
from devlint.core.diagnostic import Applicability

needs_wait4 = pytest.mark.skipif(sys.platform == "win32", reason="measures with os.wait4")


def cost(cpu: float, **others: Any) -> dict[str, Any]:
    return {"cpu": cpu, "wall": cpu, "memory": 50.0, "runs": 1, **others}


def complete() -> dict[str, dict[str, dict[str, Any]]]:
    """Results in which every goal is just met."""
    two = {"devlint, 2 processes": cost(2.0, wall=2.0, memory=60.0)}
    shares = {"a rule": {"share": 0.02}, "the dearest rule": {"share": 0.1, "rule": "DEV101"}}
    files = {"python -c pass": 1.0, "check clean.py": 2.5, "check five.py": 12.0, "check thirty.py": 2.0}
    return {
        "cold": {"devlint": cost(3.4, wall=3.4), "ruff": cost(3.4), **two},
        "warm": {"devlint": cost(1.5), "ruff": cost(1.0)},
        "heavy": {"devlint": cost(1.0), "torchfix": cost(100.0), "fixit": cost(100.0), "flake8": cost(100.0)},
        "files": {**{name: cost(value) for name, value in files.items()}, "fix thirty.py": cost(6.0)},
        "growth": {"1 of C": cost(1.0), "4 of C": cost(4.2)},
        "rules": shares,
    }


def verdicts(results: dict[str, dict[str, dict[str, Any]]]) -> list[Verdict]:
    return [figure.verdict(results) for figure in FIGURES]


def record(results: dict[str, Any]) -> dict[str, Any]:
    """What a run keeps."""
    about = {"date": "2026-01-01", "python": "3.11.7", "cores": 2, "repeats": 5, "heavy_repeats": 1}
    return {**about, "versions": {"devlint": "1"}, "sizes": {"C": [4269, 86_000_000]}, "results": results}


def test_every_goal_can_be_met_and_missed() -> None:
    assert [one.is_met for one in verdicts(complete())] == [True] * len(FIGURES)
    worse = complete()
    for contest, name, key in [
        ("cold", "devlint", "cpu"),
        ("warm", "devlint", "cpu"),
        ("heavy", "devlint", "cpu"),
        ("files", "check clean.py", "cpu"),
        ("files", "check five.py", "cpu"),
        ("cold", "devlint, 2 processes", "wall"),
        ("cold", "devlint, 2 processes", "memory"),
        ("growth", "4 of C", "cpu"),
        ("files", "fix thirty.py", "cpu"),
        ("rules", "a rule", "share"),
    ]:
        worse[contest][name][key] *= 1.1
    assert [one.is_met for one in verdicts(worse)] == [False] * len(FIGURES)


def test_what_was_not_measured_says_why() -> None:
    assert {(one.is_met, one.measured) for one in verdicts({})} == {(None, "not part of this run")}
    results = complete()
    results["warm"]["devlint"] = {"missing": "devlint has no --cache-dir"}
    results["cold"]["devlint, 2 processes"] = {"missing": "devlint has no --jobs"}
    del results["heavy"]["fixit"]
    said = {one.what: one.measured for one in verdicts(results) if one.is_met is None}
    assert said == {
        "C warm, one process, against ruff warm": "devlint has no --cache-dir",
        "C cold, wall, one process against two": "devlint has no --jobs",
        "S, Fixit against devlint": "fixit was not part of this run",
    }
    results["growth"]["1 of C"]["files"] = "S"
    assert "4 of S 4.20 s, 1 of S 1.00 s" in {one.measured for one in verdicts(results)}
    results["growth"] = {"devlint": {"missing": "it failed"}}
    assert next(one for one in verdicts(results) if one.what.startswith("growth")).measured == "it failed"


def test_tables() -> None:
    results = complete()
    results["sample"] = {"devlint": cost(0.5), "ruff": cost(0.25), "ast-grep": {"missing": "it failed"}}
    text = report(record(results))
    assert "| C cold, one process, against ruff | ≤ 1 × | 1.00 × | yes | devlint 3.40 s, ruff 3.40 s |" in text
    assert "| C cold, memory of the largest process | ≤ 60 MB | 60 MB | yes | one process 50 MB, two 60 MB |" in text
    assert (
        "| a rule more, of a cold run over C | ≤ 2 % | 2.00 % | yes | the mean, over C; the dearest 10.0 % (DEV101) |"
        in text
    )
    rows = [line.split(" | ")[0] for line in text.partition("The field on S")[2].partition("C, cold")[0].splitlines()]
    assert rows[4:10] == ["| ruff", "| devlint", "| torchfix", "| fixit", "| flake8", "| ast-grep"]
    assert "| torchfix | 100 s | 100 s | 50 MB | 100 × | all its rules |" in text
    assert "| ruff | 250 ms | 250 ms | 50 MB | 0.50 × | default rules, no cache |" in text
    results["cold"]["devlint"]["cpu"] = 6.8
    assert "| 2.00 × | **no** |" in report(record(results))


def test_the_page_shows_what_was_measured_last() -> None:
    page = PAGE.read_text(encoding="utf-8")
    kept = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert page == with_report(page, kept), "run `python benchmarks/speed.py --show`"
    assert with_report(page, record(complete())) != page
    assert with_report(with_report(page, record(complete())), kept) == page


def test_what_takes_part() -> None:
    assert wanted(frozenset({*PEERS, *PARTS})) == ["cold", "warm", "sample", "files", "growth", "rules", "heavy"]
    assert wanted(frozenset({"ruff"})) == ["cold", "warm", "sample"]
    assert wanted(frozenset({"ast-grep"})) == ["sample"]
    assert wanted(frozenset({HEAVY[0], "files"})) == ["files", "heavy"]


HELP = """
Options:
  --document-code / --no-cache    Words. The long-option of --target.
  -j, --jobs N|auto               Processes.
"""


def test_options_are_found_in_the_help() -> None:
    assert options_in(HELP) == {"--document-code", "--no-cache", "--jobs", "--target"}


def test_what_devlint_cannot_do_yet_is_missing() -> None:
    old = Devlint("devlint", {"check": frozenset(), "fix": frozenset()})
    assert old.cold("a", "C").arguments == ("devlint", "check", "--isolated", "C")
    assert old.cold("a", "C", jobs=2).missing == "devlint has no --jobs"
    assert old.warm("a", Path("cache"), "C").missing == "devlint has no --cache-dir"
    new = Devlint("devlint", {"check": frozenset({"--no-cache", "--cache-dir", "--jobs"}), "fix": frozenset()})
    assert new.cold("a", "C", jobs=2).arguments[2:] == ("--isolated", "--jobs", "2", "--no-cache", "C")
    assert new.warm("a", Path("cache"), "C").arguments[2:] == ("--isolated", "--jobs", "1", "--cache-dir", "cache", "C")
    assert new.cold("a", "x.py", action="fix").arguments == ("devlint", "fix", "--isolated", "x.py")


@pytest.mark.parametrize(
    ("name", "lines", "found"),
    [
        ("clean.py", 1400, 0),
        ("words.py", 1400, 0),
        ("five.py", 300, 5),
        ("five_long.py", 1400, 5),
        ("thirty.py", 1500, 30),
    ],
)
def test_single_files_are_what_they_are_said_to_be(name: str, lines: int, found: int) -> None:
    text = FILES[name]()
    assert text.count("\n") == lines
    assert text == FILES[name]()
    result = check(text)
    assert (len(result.diagnostics), result.failures) == (found, ())
    assert all(one.fix is not None and one.fix.applicability is Applicability.SAFE for one in result.diagnostics)


def test_the_sample_is_every_eighth_file(tmp_path: Path) -> None:
    write_files(tmp_path / "C" / "all")
    for number in range(EVERY * 2):
        tmp_path.joinpath("C", f"{number:02}.py").touch()
    write_sample(tmp_path / "C", tmp_path / "S")
    assert sorted(path.name for path in tmp_path.joinpath("S").rglob("*.py")) == ["00.py", "08.py", "clean.py"]


@needs_wait4
def test_measuring(tmp_path: Path) -> None:
    work = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'sum(range(3_000_000))'])"
    run = measure(Command("children", (sys.executable, "-c", work)), tmp_path)
    alone = measure(Command("nothing", (sys.executable, "-c", "pass")), tmp_path)
    assert run.cpu > alone.cpu > 0 and run.wall > 0 and run.memory > 1
    prepared = Command("file", (sys.executable, "-c", "open('x')"), prepare=tmp_path.joinpath("x").touch)
    assert measure(prepared, tmp_path).wall > 0
    code = "import sys; sys.stderr.write('because'); sys.exit(3)"
    with pytest.raises(SpeedError, match=r"^bad: exit code 3: because$"):
        measure(Command("bad", (sys.executable, "-c", code)), tmp_path)
    with pytest.raises(SpeedError, match=r"^raises: exit code 1: ValueError$"):
        measure(Command("raises", (sys.executable, "-c", "raise ValueError")), tmp_path)


@needs_wait4
def test_commands_run_in_turn(tmp_path: Path) -> None:
    log = "import sys; open('log', 'a').write(sys.argv[1])"
    commands = [Command(name, (sys.executable, "-c", log, name)) for name in "ab"]
    results = alternate([*commands, Command("c", (), missing="there is no c")], tmp_path, 3)
    assert tmp_path.joinpath("log").read_text() == "ababab"
    assert results["a"]["runs"] == 3
    assert results["c"] == {"missing": "there is no c"}


def test_medians_and_the_most_memory() -> None:
    runs = [Run(1.0, 9.0, 30.0), Run(3.0, 7.0, 50.0), Run(2.0, 8.0, 40.0)]
    assert summary(runs) == {"cpu": 2.0, "wall": 8.0, "memory": 50.0, "runs": 3}


def counts(own: int, libraries: int, libcst: str = "1") -> dict[str, Any]:
    return {"libraries": {"libcst": libcst}, "counts": {"a fix": {"devlint": own, "libraries": libraries}}}


def test_growth_is_found_and_named() -> None:
    assert compare(counts(115, 1150), counts(100, 1000))[0] == []
    assert compare(counts(120, 1000), counts(100, 1000))[0] == ["a fix, devlint: 100 → 120 (+20 %)"]
    assert compare(counts(50, 1200), counts(100, 1000))[0] == ["a fix, libraries: 1,000 → 1,200 (+20 %)"]
    assert compare(counts(120, 9999, "2"), counts(100, 1000))[0] == ["a fix, devlint: 100 → 120 (+20 %)"]
    bad, good = compare(counts(100, 9999, "2"), counts(100, 1000))
    assert not bad
    assert good[0] == "lines of libraries are not compared: libcst 1 → 2"
    lost = counts(100, 1000)
    lost["counts"] = {TIME: {"of the reference": 1.0}}
    assert compare(counts(100, 1000), lost) == (
        [],
        ["a fix, devlint: 100, not in the baseline yet", "a fix, libraries: 1,000, not in the baseline yet"],
    )
    assert compare(lost, counts(100, 1000))[0] == ["a fix: no longer measured"]


FAKE = """
import sys
if "--help" in sys.argv:
    print("--cache-dir DIR")
else:
    for number in range(int(open({work!r}).read())):
        pass
sys.exit(1)
"""


@pytest.mark.slow
def test_work_that_grows_by_a_fifth_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    package, work, baseline = tmp_path / "root" / "devlint", tmp_path / "work", tmp_path / "baseline.json"
    package.mkdir(parents=True)
    package.joinpath("__init__.py").touch()
    package.joinpath("__main__.py").write_text(FAKE.format(work=str(work)))
    monkeypatch.setattr(speed_check, "Yard", lambda folder: Yard(folder, tmp_path / "root"))
    monkeypatch.setattr(Yard, "cpu", lambda self: {"of the reference": 1.0})
    monkeypatch.setattr(speed_yard, "SCENES", {"a fix": ("fix",)})

    def run(amount: int, *arguments: str) -> int:
        work.write_text(str(amount))
        return speed_check.main(["--baseline", str(baseline), *arguments])

    assert run(1000) == 0
    assert "nothing is compared" in capsys.readouterr().out
    assert run(1000, "--update") == 0
    assert PYTHON in json.loads(baseline.read_text())
    assert run(1000) == run(1100) == 0
    assert "a fix, devlint: " in capsys.readouterr().out
    assert run(1200) == 1
    assert "GREW a project that a cache knows, devlint: " in capsys.readouterr().out


def test_a_busy_machine_is_no_regression(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    baseline = tmp_path / "baseline.json"
    then = {**counts(100, 1000), "counts": {TIME: {"of the reference": 1.0}}}
    baseline.write_text(json.dumps({PYTHON: then}))
    times = [1.3, 1.2, 1.1, 1.3, 1.3, 1.3, 1.0]
    monkeypatch.setattr(Yard, "__init__", lambda self, folder: None)
    monkeypatch.setattr(Yard, "scenes", lambda self: ())
    monkeypatch.setattr(Yard, "cpu", lambda self: {"of the reference": times.pop(0)})
    monkeypatch.setattr(speed_check, "LIBRARIES", ())
    assert speed_check.main(["--cpu", "--baseline", str(baseline)]) == 0
    assert speed_check.main(["--cpu", "--baseline", str(baseline)]) == 1
    assert times == [1.0]


def test_devlint_does_no_more_work_than_it_did(capsys: pytest.CaptureFixture[str]) -> None:
    """If this fails for a good reason: `make speed-baseline`."""
    if PYTHON not in json.loads(speed_check.BASELINE.read_text(encoding="utf-8")):
        pytest.skip(f"no baseline for Python {PYTHON}")
    code = speed_check.main([])
    said = capsys.readouterr()
    assert code == 0, said.out + said.err
    assert "a clean file, devlint" in said.out
