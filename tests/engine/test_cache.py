"""The cache: what is known is not looked at again, and whatever a result depends on is looked at again when it changes."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from devlint.config.finder import ConfigFinder
from devlint.config.option_table import FORMATS
from devlint.engine import cache
from devlint.engine import runner as running
from devlint.engine.cache import dependencies, identity
from devlint.engine.ruleset import RuleSets
from devlint.syntax.notebooks.notebook_source import NotebookSource
from tests.support.cached import CLEAN, FINDING, NOTEBOOK, PLAIN, Project, cached

__all__ = ["cached"]

USES = "from storage import Storage\n\nrollouts = Storage()\nrollouts.cuda()\n"
OWN_CUDA = "class Storage:\n    def cuda(self):\n        self.x = 1\n"


def test_what_is_known_is_not_looked_at_again(cached: Project) -> None:
    for name, text in (("a.py", FINDING), ("b.py", CLEAN), ("c.py", PLAIN), ("d.sh", "export CUDA_VISIBLE_DEVICE=1\n")):
        cached.write(name, text)
    first = cached.check()
    assert first.looked == ["a.py", "b.py", "c.py", "d.sh"]
    assert first.code == 1 and "Found 2 errors" in first.out
    second = cached.check()
    assert second == first
    assert second.looked == []
    assert set(cached.entries()) == {"a.py", "b.py", "c.py", "d.sh"}


def test_a_changed_file_is_looked_at_and_no_other(cached: Project) -> None:
    cached.write("a.py")
    cached.write("b.py")
    cached.check()
    cached.write("a.py", CLEAN)
    result = cached.check()
    assert result.looked == ["a.py"] and "a.py" not in result.out and "b.py:3" in result.out
    cached.write("a.py")
    assert cached.check().looked == ["a.py"]


def test_the_same_contents_are_known_at_another_time(cached: Project) -> None:
    cached.write("a.py")
    plain = cached.write("b.py", PLAIN)
    cached.check()
    for name in ("a.py", "b.py"):
        os.utime(name, (1, 1))
    assert cached.check().looked == []
    assert cached.entries()["b.py"][2] == plain.stat().st_mtime_ns == 10**9
    assert cached.check().looked == []  # what is kept with the new times is whole


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every name is text")
def test_a_file_whose_name_is_no_text_is_known(cached: Project) -> None:
    cached.write(os.fsdecode(b"\xff.py"), CLEAN)
    assert len(cached.run("check").looked) == 1
    assert cached.run("check").looked == []


def test_a_clean_file_is_not_even_read(cached: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    cached.write("a.py", CLEAN)
    cached.write("b.py", PLAIN)
    cached.check()
    monkeypatch.setattr(cache.Cache, "_read", lambda *_: pytest.fail("read, though nothing has changed"))
    assert cached.run("check").looked == []


def test_a_file_of_another_length_is_read_once(cached: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    cached.write("a.py")
    cached.check()
    cached.write("a.py", FINDING + "\n")
    monkeypatch.setattr(cache.Cache, "_read", lambda *_: pytest.fail("compared, though it cannot be the same"))
    assert cached.run("check").looked == ["a.py"]


def test_a_file_changed_within_a_tick_of_the_clock_is_read_again(
    cached: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same size and times do not mean the same contents for a file that was read when it was new."""
    monkeypatch.undo()
    monkeypatch.chdir(cached.root)
    monkeypatch.setattr(running, "_FEW", 0)
    path = cached.write("a.py", PLAIN)
    before = path.stat()
    monkeypatch.setattr(dependencies.time, "time_ns", lambda: before.st_ctime_ns)
    cached.check()
    assert cached.entries()["a.py"][1:4] == [-1, 0, 0]
    (store,) = cached.stores
    written = store.stat()
    assert cached.check().looked == []
    assert (store.stat().st_ino, store.stat().st_mtime_ns) == (written.st_ino, written.st_mtime_ns), "nothing is new"
    changed = "x = (\n"
    assert len(changed) == len(PLAIN)
    path.write_text(changed)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert cached.check("a.py").code == 1


def test_times_are_trusted_only_when_they_are_old(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(PLAIN)
    now = path.stat().st_ctime_ns
    for passed, trusted in ((-(10**12), False), (0, False), (10**9, False), (2 * 10**9, False), (3 * 10**9, True)):
        monkeypatch.setattr(dependencies.time, "time_ns", lambda passed=passed: now + passed)
        assert (dependencies.reliable_times(path.stat()) == dependencies.times_of(path.stat())) is trusted
    os.utime(path, ns=(now, now + 10**12))  # a file from the future
    assert dependencies.reliable_times(path.stat()) == (-1, 0, 0)


def test_what_was_not_looked_at_without_a_version_of_torch_is_looked_at_with_one(cached: Project) -> None:
    cached.write("a.py", "import torch\n\nprint(torch.accelerator.device_count())\n")
    assert "DEV705" not in cached.check().out
    assert cached.check().looked == []
    result = cached.check("--torch-min-version", "2.4")
    assert result.looked == ["a.py"] and "DEV705" in result.out


def test_a_device_with_another_name_is_another_question(cached: Project) -> None:
    cached.write("a.py", "import torch, own\n\nif torch.cuda.is_available():\n    x = torch.ones(2, device='cuda')\n")
    assert "DEV102" not in cached.check("--target", "project", "--device", "other.gpu").out
    assert "DEV102" in cached.check("--target", "project", "--device", "own.gpu").out


@pytest.mark.parametrize(
    "options",
    [
        ("--select", "DEV101"),
        ("--ignore", "DEV101"),
        ("--extend-select", "DEV003"),
        ("--target", "accelerator", "--torch-min-version", "2.6"),
        ("--torch-min-version", "2.1"),
        ("--target", "project", "--device", "get_device()"),
        ("--document-code",),
        ("--docstring-code",),
        ("a.py", "b.py"),
    ],
    ids=" ".join,
)
def test_other_options_are_other_questions(cached: Project, options: tuple[str, ...]) -> None:
    cached.write("a.py")
    cached.write("b.py", CLEAN)
    cached.check()
    assert cached.check(*options).looked == ["a.py", "b.py"]
    assert cached.check(*options).looked == []
    known = cached.check().looked
    assert known == ([] if len(cached.stores) > 1 else ["a.py", "b.py"])  # of a file one target is known


@pytest.mark.parametrize(
    "options", [("--exclude", "x"), ("-q",), ("--unsafe-fixes",), ("--exit-zero",), ("--statistics",)]
)
def test_options_that_change_no_finding_are_no_other_questions(cached: Project, options: tuple[str, ...]) -> None:
    cached.write("a.py", FINDING + "if torch.cuda.device_count() > 1:\n    x = x.to(0)\n")
    cached.check()
    assert cached.check(*options).looked == []


def test_the_configuration_counts(cached: Project) -> None:
    cached.write("a.py")
    cached.write("tests/a.py")
    cached.check()
    for text, concerned in (
        ('ignore = ["DEV101"]\n', ["a.py", "tests/a.py"]),
        ('[per-file-ignores]\n"tests/**" = ["DEV1"]\n', ["tests/a.py"]),
        ('suppression-comments = ["no cuda"]\n', ["a.py", "tests/a.py"]),
        ('target = "accelerator"\ntorch-min-version = "2.6"\n', ["a.py", "tests/a.py"]),
        ('exclude = ["tests"]\n', []),
    ):
        cached.write("devlint.toml", text)
        assert cached.check().looked == concerned, text
        assert cached.check().looked == [], text


def test_the_requirements_of_the_project_count(cached: Project) -> None:
    cached.write("a.py")
    cached.write("b.py", PLAIN)
    for line in ("torch>=2.6\n", "torch>=2.7\n"):
        cached.write("requirements.txt", line)
        assert "a.py" in cached.check("--target", "accelerator").looked
        assert cached.check("--target", "accelerator").looked == []
    assert cached.check("--target", "accelerator", "--ignore", "DEV2").looked[:2] == ["a.py", "b.py"]


@pytest.mark.parametrize("part", ["devlint", "libcst", "python"])
def test_other_code_is_another_question(cached: Project, monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    cached.write("a.py")
    cached.check()
    if part == "devlint":
        monkeypatch.setattr(identity, "__version__", "0.0.0")
    elif part == "libcst":
        monkeypatch.setattr(identity, "_libcst", lambda: "other")
    else:
        monkeypatch.setattr(sys, "hexversion", 0)
    assert cached.check().looked == ["a.py"]
    assert cached.check().looked == []
    monkeypatch.undo()


def test_a_package_that_is_worked_on_is_known_by_its_files(tmp_path: Path) -> None:
    package = tmp_path / "devlint"
    (package / "inner").mkdir(parents=True)
    (package / "inner" / "rule.py").write_text("1\n")
    before = list(identity._files(str(package)))
    os.utime(package / "inner" / "rule.py", (1, 1))
    assert before != list(identity._files(str(package)))
    assert list(identity._files(str(tmp_path / "archive.zip"))) == []
    assert "1.9" in identity._libcst() or "version" in identity._libcst()


def test_an_installed_package_is_known_by_its_record(tmp_path: Path) -> None:
    record = tmp_path / f"devlint-{identity.__version__}.dist-info" / "RECORD"
    assert identity._installed(str(tmp_path / "devlint")) == ""
    record.parent.mkdir()
    record.write_bytes(b"devlint/engine/runner.py,sha256=abc,1\n\xff")
    assert identity._installed(str(tmp_path / "devlint")).encode("utf-8", "surrogateescape") == record.read_bytes()


def test_what_other_files_say_counts(cached: Project) -> None:
    cached.write("a.py", USES)
    first = cached.check()
    assert cached.check().looked == []
    cached.write("storage.py", OWN_CUDA)
    second = cached.check()
    assert "a.py" in second.looked and second.out != first.out
    assert cached.check().looked == []
    cached.write("storage.py", OWN_CUDA.replace("cuda", "move"))
    third = cached.check()
    assert "a.py" in third.looked and third.out == first.out
    Path("storage.py").unlink()
    assert "a.py" in cached.check().looked


def test_how_a_file_is_called_counts(cached: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder called cuda_kernels says that what is in it is for CUDA, if it is seen."""
    cached.write("devlint.toml", "")
    cached.write("cuda_kernels/a.py")
    cached.write("cuda_kernels/b.py", "import torch\n\nassert torch.cuda.is_available()\ntorch.cuda.synchronize()\n")
    cached.check()
    monkeypatch.chdir(cached.root / "cuda_kernels")
    cached.check()
    assert cached.check().looked == []


def everything(project: Project) -> None:
    """Files of every kind, with findings and without."""
    project.write(
        "a.py", FINDING + "y = x.cuda()  # noqa: DEV101\nz = 1  # noqa: DEV102\nif True:\n\tw = x.to('cuda:0')\n"
    )
    project.write("b.py", "import torch\r\nx = 'é'; y = torch.zeros(2).cuda()\r\n")
    project.write("bom.py", "\ufeff" + FINDING)
    project.write("broken.py", "import torch\nx.cuda(\n")
    project.write("clean.py", CLEAN)
    project.write("docs/page.md", "# Page\n\n```python\nimport torch\nx = torch.zeros(2).cuda()\n```\n")
    project.write("docs/strings.py", '"""Use it.\n\n>>> import torch\n>>> x = torch.zeros(2).cuda()\n"""\n')
    (project.root / "latin.py").write_bytes(
        b"# -*- coding: latin-1 -*-\nimport torch\nx = '\xe9'; y = torch.zeros(2).cuda()\n"
    )
    (project.root / "nul.py").write_bytes(b"x.cuda()\0\n")
    commands = "\\n!CUDA_VISIBLE_DEVICE=1 python a.py\\n%%time\\nz = x.cuda()"
    for name, rest in (("n.ipynb", ".cuda()"), ("m.ipynb", ""), ("o.ipynb", commands), ("p.ipynb", ".cuda(")):
        project.write(name, NOTEBOOK.replace("FIX", rest))
    project.write("bom.ipynb", "\ufeff" + json.dumps(json.loads(NOTEBOOK)).replace("FIX", ".cuda()"))
    project.write("plain.py", PLAIN)
    project.write("run.sh", "export CUDA_VISIBLE_DEVICE=1\n")
    project.write("sub/devlint.toml", 'ignore = ["DEV101"]\nunsafe-fixes = true\n')
    project.write("sub/a.py", FINDING + "torch.cuda.empty_cache()\n")
    (project.root / "undecodable.py").write_bytes(b"x = '\xff'  # cuda\n")


@pytest.mark.parametrize("output_format", FORMATS)
@pytest.mark.parametrize("options", [(), ("--document-code", "--docstring-code"), ("--unsafe-fixes",)], ids=" ".join)
def test_output_is_the_same_to_the_byte(cached: Project, output_format: str, options: tuple[str, ...]) -> None:
    everything(cached)
    arguments = ("check", "--output-format", output_format, *options)
    plain = cached.run(*arguments, "--no-cache")
    assert not cached.folder.exists()
    cold = cached.run(*arguments)
    warm = cached.run(*arguments)
    assert plain == cold == warm
    assert len(plain.looked) == len(cold.looked) > 14
    assert warm.looked == []


@pytest.mark.parametrize("unsafe", [False, True])
def test_reports_are_the_same_but_for_texts_that_nobody_needs(cached: Project, unsafe: bool) -> None:
    everything(cached)
    cached.run("check", *["--unsafe-fixes"] * unsafe)
    finder = ConfigFinder({"unsafe-fixes": True} if unsafe else {})
    known = cache.Cache(finder, RuleSets())
    seen = 0
    for found in running.discover(["."], finder, running.is_looked_at):
        assert isinstance(found, running.Found)
        report = known.report(found)
        looked = running.Runner(finder).file(found)
        if report is not None:
            seen += 1
            assert report.diagnostics == looked.diagnostics
            assert (report.path, report.failures, report.unsafe_fixes, report.baselined) == (
                looked.path,
                looked.failures,
                looked.unsafe_fixes,
                looked.baselined,
            )
            if report.diagnostics:
                wanted = looked.source
                if isinstance(wanted, NotebookSource):
                    wanted = replace(wanted, complaints={})  # which are among the findings
                assert report.source == wanted
    assert seen > 12


def test_a_baseline_counts_for_the_files_it_lists(cached: Project) -> None:
    cached.write("a.py")
    cached.write("b.py")
    cached.check()
    cached.run("baseline", "a.py")
    cached.write("devlint.toml", 'baseline = "devlint-baseline.json"\n')
    result = cached.check()
    assert result.looked == ["a.py"] and "1 error known" in result.out
    assert cached.check().looked == []
    cached.run("baseline")
    assert cached.check().looked == ["b.py"]
    assert cached.check("--no-baseline").looked == ["a.py", "b.py"]


def test_fix_asks_for_files_without_findings_only(cached: Project) -> None:
    everything(cached)
    cached.run("check")
    known = cached.run("fix", "--diff").looked
    assert "clean.py" not in known and "plain.py" not in known and "a.py" in known
    diff = cached.run("fix", "--diff")
    assert diff == cached.run("fix", "--diff", "--no-cache") and diff.code == 1
    assert cached.check().looked == []
    cached.run("fix")
    fixed = cached.run("fix", "--diff")
    assert fixed == cached.run("fix", "--diff", "--no-cache")
    left = ["broken.py", "nul.py", "p.ipynb", "undecodable.py"]
    assert {*left, "a.py"} <= set(fixed.looked)
    assert cached.run("fix").looked == left
    assert cached.check().looked == []


def test_what_fix_finds_clean_is_known_to_a_check(cached: Project) -> None:
    cached.write("a.py", CLEAN)
    cached.write("b.py", PLAIN)
    cached.write("c.py")
    assert cached.run("fix", "--diff").looked == ["a.py", "b.py", "c.py"]
    assert cached.check().looked == ["c.py"]


def test_only_runs_over_files_with_all_their_lines_use_it(cached: Project) -> None:
    cached.write("a.py")
    os.system("git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm a")
    cached.write("a.py", FINDING * 2)
    cached.run("check", "--diff-base", "HEAD")
    cached.run("check", "--no-cache")
    cached.run("baseline")
    assert not cached.folder.exists()


def test_a_few_files_without_a_word_of_a_rule_open_no_cache(cached: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_FEW", 3)
    for name in "abc":
        cached.write(f"{name}.py", PLAIN)
    assert cached.check().looked == []
    assert cached.check("a.py").looked == []
    assert not cached.folder.exists()
    cached.write("d.py", PLAIN)
    assert cached.check().looked == ["d.py"]
    assert list(cached.entries()) == ["d.py"]
    cached.write("b.py", "x = (\n")
    assert cached.check("a.py", "b.py", "c.py").looked == ["b.py", "c.py"]


def test_failures_are_told_every_time(cached: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    cached.write("a.py", PLAIN)
    cached.write("b.py", "import torch\nx = " + "(" * 300 + "torch.cuda" + ")" * 300 + "\n")
    for _ in range(2):
        result = cached.check("a.py", "b.py", "c.py")
        assert result.code == 2 and result.looked[-1:] == ["b.py"] and "c.py" in result.err
    os.symlink("nowhere", "link.py")
    assert cached.check().code == 2


def test_several_processes_are_told_what_is_known_and_tell_what_is_new(cached: Project) -> None:
    for n in range(6):
        cached.write(f"a{n}.py", FINDING if n % 2 else CLEAN)
    first = cached.run("check", "--jobs", "2")
    assert set(cached.entries()) == {f"a{n}.py" for n in range(6)}
    second = cached.run("check", "--jobs", "2")
    assert first == second == cached.run("check", "--no-cache")
    assert cached.run("check").looked == []
