"""The corpus run: each of its checks can fail, and a run over a small folder says so."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks import corpus, crowd
from benchmarks.corpus_checks import compare, new_messages
from benchmarks.corpus_packages import MORE, REQUIREMENTS, CorpusError, pinned, projects

GOOD = b"import torch\n\nx = torch.ones(2).cuda()\nprint(x)\n"
FIXED = b'import torch\n\ndevice = torch.device("cpu")\nx = torch.ones(2).to(device)\nprint(x)\n'

# A stand-in for devlint: finds and replaces one string, MODE says what it does wrong.
FAKE = """
import json, sys
from pathlib import Path
OLD, NEW = {old!r}, {new!r}
assert Path(sys.argv[-1], ".git").is_dir(), "the files of a project know of each other"
files = [path for path in Path(sys.argv[-1]).rglob("*.py")]
if sys.argv[1] == "check":
    print(json.dumps([dict(code="DEV101", filename=str(path)) for path in files if OLD in path.read_text()]))
else:
    for path in files:
        path.write_text(path.read_text().replace(OLD, NEW))
"""


def worse(before: bytes, after: bytes, again: bytes | None = None, notebook: bool = False) -> str:
    return "; ".join(compare(before, after, after if again is None else again, notebook).worse)


def notebook(*sources: str) -> bytes:
    cells = [{"cell_type": "code", "source": source.splitlines(keepends=True)} for source in sources]
    return json.dumps({"cells": [{"cell_type": "markdown", "source": "x ="}, *cells]}).encode()


def test_good_fix_and_untouched_file_pass() -> None:
    assert not worse(GOOD, FIXED)
    assert not worse(GOOD, GOOD)
    assert not worse(b"x = (", b"x = (")
    assert not worse(b"x.cuda(async=True)\n", b"x.cuda(non_blocking=True)\n"), "an unparsable file may be cured"
    assert compare(GOOD, FIXED, FIXED).changed


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        (b"x = 1\n", b"x = (\n", "no longer parses"),
        (b"print 1\n", b"print 2\n", "was unparsable and was changed"),
        (b"def f():\n    return 1\n", b"return 1\n", "no longer compiles"),
        (b"def f(a):\n    return a\n", b"def f(a, a):\n    return a\n", "no longer compiles"),
        (b"import torch\ntorch.ones(2)\n", b"import torch\ntorch.ones(2).to(device)\n", "UndefinedName device"),
        (
            b"d = 1\ndef f():\n    print(d)\n    return 2\n",
            b"d = 1\ndef f():\n    print(d)\n    d = 2\n    return d\n",
            "UndefinedLocal d",
        ),
        (b"from torch import *\nones(2)\n", b"from torch import *\nones(2).to(device)\n", "ImportStarUsage device"),
        (b"from torch import *\nones(2)\n", b"from torch import *\nones(2, ones)\n", ""),
        (b"\xef\xbb\xbfx = 1\n", b"x = 2\n", "byte-order mark"),
        (b"# coding: latin-1\nx = '\xe9'\n", "# coding: latin-1\nx = 'é'\n".encode(), "new bytes outside ASCII"),
        (b"# coding: latin-1\nx = 1\n", b"x = 1\n", "the encoding"),
        (b"x = 1\r\ny = 2\r\n", b"x = 1\r\nz = 0\ny = 2\r\n", "a new kind of newline"),
        (b"x = 1\ny = 2\n", b"x = 1\ny = 3", "the final newline went"),
        (b"x = 1\ny = 2\nz = 3\n", b"x = 1\ny  =  2\nz = 4\n", ""),
        (b"x = 1 \ny = 2\nz = 3\n", b"x = 1\ny = 2\nz = 4\n", "only white space changed in line 1"),
        (b"if x:\n  y = 2\nw = 1\nz = 3\n", b"if x:\n    y = 2\nw = 1\nz = 4\n", "only white space changed in line 2"),
        (b"f()\n\nf()\n", b"if 1:\n    f()\n\n    f()\n", ""),
    ],
)
def test_each_check_can_fail(before: bytes, after: bytes, complaint: str) -> None:
    said = worse(before, after)
    assert complaint in said if complaint else not said


def test_a_second_fix_must_change_nothing() -> None:
    assert "not settled: a second fix changes line 3" in worse(GOOD, FIXED, FIXED.replace(b"cpu", b"cuda"))
    assert "not settled" in worse(GOOD, GOOD, FIXED), "even where the first one did nothing"
    assert "the number of lines" in worse(GOOD, FIXED, FIXED + b"\n")


def test_new_imports_and_variables_are_for_a_reader_to_judge() -> None:
    verdict = compare(GOOD, b"import os\n" + FIXED, b"import os\n" + FIXED)
    assert not verdict.worse
    assert verdict.lint == ["UnusedImport os"]
    moved = b"import os\n\n\nimport torch\nprint(torch)\n"
    assert not new_messages(b"import os\nimport torch\nprint(torch)\n", moved), "an old message on another line is old"


def test_notebooks_are_judged_by_cell() -> None:
    first = "%matplotlib inline\nimport torch\nif not torch:\n    !pip install torch"
    before = notebook(first, "x = torch.ones(2).cuda()", "for ever: no python")
    assert not worse(before, before.replace(b".cuda()", b".cpu()"), notebook=True)
    assert "no longer parses in cell 2" in worse(before, before.replace(b".cuda()", b".cuda("), notebook=True)
    assert "UndefinedName device" in worse(before, before.replace(b".cuda()", b".to(device)"), notebook=True)
    assert "cell 3" in worse(before, before.replace(b"for ever", b"for once"), notebook=True)
    assert "3 cells became 1" in worse(before, b"{}", notebook=True)


@pytest.mark.parametrize(
    ("new", "code", "said"),
    [
        (".cpu()", 0, "FILES MADE WORSE: 0"),
        (".to(device)", 1, "app/train.py: UndefinedName device"),
        (".cuda().cpu()", 1, "app/train.py: not settled"),
        (".cuda(", 1, "app/train.py: no longer parses"),
    ],
)
def test_a_whole_run(tmp_path: Path, capfd: pytest.CaptureFixture[str], new: str, code: int, said: str) -> None:
    project = tmp_path / "all" / "app"
    project.mkdir(parents=True)
    (project / "train.py").write_bytes(GOOD)
    (project / "left.py").write_bytes(b"x = (\n")
    fake = tmp_path / "fake.py"
    fake.write_text(FAKE.format(old=".cuda()", new=new))
    command = f"{sys.executable} {fake}"
    assert corpus.main(["--packages", "--dir", str(tmp_path / "all"), "--devlint", command, "--jobs", "1"]) == code
    output = capfd.readouterr().out
    assert said in output
    assert (project / "train.py").read_bytes() == GOOD, "the original is never touched"
    assert "DEV101            1        1        0" in output or code


def test_crash_and_failure_are_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "all" / "app").mkdir(parents=True)
    fake = tmp_path / "fake.py"
    fake.write_text("import os, sys\nprint('a.py: bad input', file=sys.stderr)\nos.abort()\n")
    arguments = ["--packages", "--dir", str(tmp_path / "all"), "--devlint", f"{sys.executable} {fake}", "--jobs", "1"]
    assert corpus.main(arguments) == 1
    output = capfd.readouterr().out
    assert "app: check ended with exit code" in output
    assert "app: a.py: bad input" in output


@pytest.mark.parametrize(("output", "code"), [("print('[]')", 2), ("pass", 1)])
def test_a_devlint_that_does_nothing_proves_nothing(tmp_path: Path, output: str, code: int) -> None:
    (tmp_path / "all" / "app").mkdir(parents=True)
    (tmp_path / "all" / "app" / "train.py").write_bytes(GOOD)
    fake = tmp_path / "fake.py"
    fake.write_text(output)
    arguments = ["--packages", "--dir", str(tmp_path / "all"), "--devlint", f"{sys.executable} {fake}", "--jobs", "1"]
    assert corpus.main(arguments) == code


def test_unknown_package_and_folder_are_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    assert corpus.main(["--packages", "nosuchpackage"]) == 2
    assert corpus.main(["--packages", "--dir", "no/such/folder"]) == 2
    errors = capfd.readouterr().err.splitlines()
    assert len(errors) == 2
    with pytest.raises(CorpusError):
        list(projects(["nosuchpackage"]))


def test_every_package_is_pinned_by_version_and_content() -> None:
    own, more = pinned(REQUIREMENTS), pinned(MORE)
    assert pinned() == own
    assert len(own) >= 10
    assert not own.keys() & more.keys()
    assert pinned(REQUIREMENTS, MORE) == {**own, **more}
    assert all("==" in line and "--hash=sha256:" in line for line in (*own.values(), *more.values()))


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        (b"x = 1  # why\n", b"x = 2\n", "lost the comment '# why'"),
        (b"x = 1  # noqa: DEV101\n", b"x = 2\n", ""),
        (b"a = 1\nb = 2\n", b"b = a\na = 1\n", "a is read before it is bound in the module"),
        (
            b"def f(a):\n    b = a\n    return b\n",
            b"def f(a):\n    c = b\n    b = a\n    return c\n",
            "b is read before",
        ),
        (b"def f(a):\n    return 1\n", b"def f(a):\n    b = a\n    a = 1\n    return b\n", ""),
        (b"x = 1\n", b"x = lambda: y\ny = 1\n", ""),
        (b"def f():\n    return a\n\n\na = 1\n", b"def f():\n    return a + 1\n\n\na = 1\n", ""),
        (b"import b\n", b"x = b.c\nimport b\n", "b is read before"),
    ],
)
def test_comments_stay_and_names_are_bound_first(before: bytes, after: bytes, complaint: str) -> None:
    said = worse(before, after)
    assert complaint in said if complaint else not said


def test_a_crowd_says_what_has_changed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "all" / "app").mkdir(parents=True)
    train = tmp_path / "all" / "app" / "train.py"
    train.write_bytes(GOOD)
    (tmp_path / "all" / "app" / "a.ipynb").write_bytes(notebook("1"))
    fake = tmp_path / "fake.py"
    fake.write_text(FAKE.format(old=".cuda()", new=".cpu()"))
    monkeypatch.setattr(crowd, "RECORD", tmp_path / "crowd.json")
    arguments = ["--packages", "--devlint", f"{sys.executable} {fake}", "--ways", "safe", "unsafe", "--jobs", "1"]
    folders = [str(tmp_path / "all")]
    assert crowd.main([*arguments, "--record", *folders]) == 0
    said = capfd.readouterr().out
    for way in ("safe", "unsafe"):  # each begins with the originals
        assert f"\n{way}: 2 files, 1 of them notebooks; 1 findings, 1 fixed in 1 files; 0 offenders" in f"\n{said}"
    assert "no run over 1 of these projects is recorded" in said
    assert crowd.main([*arguments, *folders]) == 0
    assert "became" not in capfd.readouterr().out
    train.write_bytes(b"import torch\n\nx = torch.ones(2)\n")
    assert crowd.main([*arguments, *folders]) == 0
    said = capfd.readouterr().out
    assert "DEV101: 1 findings became 0, 1 fixed became 0" in said
    assert "changed in app" in said
    fake.write_text(FAKE.format(old="ones(2)", new="ones(device)"))
    assert crowd.main([*arguments, *folders]) == 1
    assert "app/train.py: UndefinedName device" in capfd.readouterr().out
    assert crowd.main(["--packages", "--jobs", "1", "no/such/folder"]) == 2
