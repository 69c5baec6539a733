"""Input at its worst, through the real engine: one clear line with the path, the others go on, nothing is lost."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from devlint import fix
from devlint.cli import main
from devlint.core import file_reading
from devlint.sources.gitignore import GitIgnores

GOOD = "import torch\n\nmodel = torch.nn.Linear(2, 2)\nmodel.cuda()\n"


@dataclass
class Result:
    code: Any
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: Any) -> Run:
    """Runs devlint in an empty folder that also has a good file, whose finding must always be there."""
    monkeypatch.chdir(tmp_path)
    Path("zz_good.py").write_text(GOOD)

    def call(*arguments: str) -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        with pytest.raises(SystemExit) as left:
            main([*arguments, "--output-format", "concise"])
        out, err = capsysbinary.readouterr()
        assert re.search(r"^(\S+/)?zz_good\.py:4:\d+: DEV101 ", out.decode(), re.MULTILINE)
        return Result(left.value.code or 0, out.decode(), err.decode())

    return call


def findings(result: Result, path: str) -> list[str]:
    """The lines about one file, without its name."""
    return [line[len(path) + 1 :] for line in result.out.splitlines() if line.startswith(path + ":")]


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("def f(:\n    x.cuda()\n", "1:7: DEV001 "),
        ("print 'Python 2', x.cuda()\n", "1:1: DEV001 "),
        ("raise E, x.cuda()\n", "1:8: DEV001 "),
        ("<<<<<<< HEAD\nx.cuda()\n=======\n", "1:1: DEV001 "),
        ("x.cuda(\n", "1:7: DEV001 "),
        ("if x:\nx.cuda()\n", "2:1: DEV001 "),
        ("x = '''.cuda()\n", "1:5: DEV001 "),
    ],
)
def test_unparsable(run: Run, text: str, finding: str) -> None:
    Path("bad.py").write_text(text)
    result = run("check")
    (line,) = findings(result, "bad.py")
    assert line.startswith(finding)
    assert (result.code, result.err) == (1, "")
    assert Path("bad.py").read_text() == text


def test_unparsable_files_are_never_written(run: Run, capsysbinary: Any) -> None:
    Path("bad.py").write_text("def f(:\n    x.cuda()  # noqa: DEV999\n")
    with pytest.raises(SystemExit):
        main(["fix", "bad.py"])
    assert Path("bad.py").read_text() == "def f(:\n    x.cuda()  # noqa: DEV999\n"


@pytest.mark.parametrize(
    ("data", "place", "words"),
    [
        (b"import torch\nx = '\xe9'.cuda()\n", "2:6", "utf-8: byte 0xe9"),
        (b"# coding: ascii\nx = '\xe9'\n", "2:6", "ascii"),
        (b"# coding: klingon\nx.cuda()\n", "1:1", "unknown encoding 'klingon'"),
        ("x.cuda()\n".encode("utf-16"), "1:4", "UTF-16"),
        (b"x.cuda()\0\n", "1:9", "null byte"),
        (bytes(range(128, 256)) * 10, "1:1", "byte 0x80"),
    ],
)
def test_undecodable(run: Run, data: bytes, place: str, words: str) -> None:
    Path("bad.py").write_bytes(data)
    result = run("check")
    (line,) = findings(result, "bad.py")
    assert line.startswith(f"{place}: DEV001 ")
    assert words in line
    assert (result.code, result.err) == (1, "")


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"\xef\xbb\xbf", b"# only a comment", b"\x0c", b"\r", b'"""a docstring"""']
)
def test_empty(run: Run, data: bytes) -> None:
    Path("empty.py").write_bytes(data)
    for paths in (["."], ["empty.py", "zz_good.py"]):
        result = run("check", *paths)
        assert findings(result, "empty.py") == []
        assert (result.code, result.err) == (1, "")
    assert Path("empty.py").read_bytes() == data


def test_a_folder_named_like_a_file(run: Run) -> None:
    os.mkdir("x.py")
    Path("x.py/inner.py").write_text(GOOD)
    result = run("check", "x.py", "zz_good.py")
    assert len(findings(result, "x.py/inner.py")) == 1
    assert (result.code, result.err) == (1, "")


def test_a_broken_link(run: Run) -> None:
    os.symlink("nowhere.py", "broken.py")
    for paths in (["."], ["broken.py", "zz_good.py"]):
        result = run("check", *paths)
        assert (result.code, result.err) == (2, "error: broken.py: No such file or directory\n")


def test_a_link_out_of_the_project_is_a_warning_and_its_file_stays(run: Run, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text(GOOD)
    os.mkdir("inner")
    Path("inner/zz_good.py").write_text(GOOD)
    os.symlink(outside, "inner/link.py")
    result = run("check", "inner")
    warning = (
        f"warning: inner/link.py: is a symbolic link out of the project, to {os.path.realpath(outside)}; skipped\n"
    )
    assert (result.code, result.err) == (1, warning)
    with pytest.raises(SystemExit) as left:
        main(["fix", "inner"])
    assert left.value.code in (None, 0)
    assert outside.read_text() == GOOD != Path("inner/zz_good.py").read_text()


def test_a_thousand_folders_in_one_another(tmp_path: Path) -> None:
    """More than Python calls in one another; they need not exist, since most of the questions are about what may."""
    path = os.path.join(tmp_path, *["d"] * 1500, "deep.py")
    assert len(path) < 4000
    result = fix(GOOD, filename=path)
    assert "model.to(device)" in result.text
    assert GitIgnores().holding(os.path.dirname(path)) == ()


def test_a_loop_of_folders(run: Run) -> None:
    os.mkdir("a")
    os.symlink("..", "a/up")
    os.symlink("a", "b")
    Path("a/c.py").write_text(GOOD)
    result = run("check", ".", "a/up", "b")
    assert result.out.count("DEV101") == 2
    assert (result.code, result.err) == (1, "")


def test_no_permission(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("closed.py").write_text(GOOD)
    if os.geteuid() == 0:  # root may read anything: say no in the system's place

        def guarded(path: Any, *rest: Any, **options: Any) -> Any:
            if path == "closed.py":
                raise PermissionError(13, "Permission denied", path)
            return open(path, *rest, **options)

        monkeypatch.setattr("devlint.core.file_reading.open", guarded, raising=False)
    else:
        os.chmod("closed.py", 0)
    result = run("check")
    assert (result.code, result.err) == (2, "error: closed.py: Permission denied\n")


def test_no_permission_to_write(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("aa_closed.py").write_text(GOOD)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(SystemExit) as left:
        main(["fix", "aa_closed.py"])
    assert left.value.code == 2
    assert Path("aa_closed.py").read_text() == GOOD


def test_a_file_that_changes_meanwhile(run: Run, monkeypatch: pytest.MonkeyPatch, capsysbinary: Any) -> None:
    from devlint.engine import analyze

    original = analyze.analyze

    def slow(source: Any, *rest: Any) -> Any:
        if source.path == "busy.py":
            Path("busy.py").write_text(GOOD + "# saved by an editor\n")
        return original(source, *rest)

    monkeypatch.setattr(analyze, "analyze", slow)
    Path("busy.py").write_text(GOOD)
    with pytest.raises(SystemExit) as left:
        main(["fix"])
    assert left.value.code == 2
    _, err = capsysbinary.readouterr()
    assert err == b"error: busy.py: changed while devlint was working on it; nothing was written\n"
    assert Path("busy.py").read_text() == GOOD + "# saved by an editor\n"
    assert Path("zz_good.py").read_text() != GOOD
    assert sorted(os.listdir()) == ["busy.py", "zz_good.py"]


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 5000 + "y.cuda()" + ")" * 5000 + "\n",
        "x = " + "[" * 3000 + "]" * 3000 + ".cuda()\n",
        "x = y" + ".cuda()" * 3000 + "\n",
        "x = " + "1 + " * 5000 + "y.cuda()\n",
        "x = " + "-" * 20000 + "y.cuda()\n",
        "x = " + "not " * 20000 + "y.cuda()\n",
        "x = " + "lambda: " * 5000 + "y.cuda()\n",
        "".join("    " * depth + "if x:\n" for depth in range(150)) + "    " * 150 + "y.cuda()\n",
        "x = f'{y.cuda()}'" + " + f'{z}'" * 3000 + "\n",
        "x = a" + "[0]" * 1500 + ".cuda()\n",
        "x = " + "a if b else " * 3000 + "y.cuda()\n",
        "x = " + "a ** " * 3000 + "y.cuda()\n",
        "if x:\n    pass\n" + "elif y:\n    pass\n" * 3000 + "else:\n    y.cuda()\n",
    ],
    ids=lambda text: text.strip()[:12].replace(" ", "_").replace("\n", "_"),
)
def test_nesting_too_deep_for_any_parser(run: Run, text: str) -> None:
    Path("deep.py").write_text(text)
    result = run("check")
    said = [*findings(result, "deep.py"), *(line for line in result.err.splitlines() if "deep.py" in line)]
    assert said, "neither a finding nor a failure"
    assert "internal error" not in result.err
    assert result.code in (1, 2)
    assert result.code == 2 if result.err else True


@pytest.mark.parametrize("indent", ["", "    "])
def test_what_is_nested_too_deeply_is_read_for_another_file(run: Run, indent: str) -> None:
    Path(".git").mkdir()
    branches = f"{indent}if x:\n{indent}    pass\n" + f"{indent}elif y:\n{indent}    pass\n" * 1500
    Path("deep.py").write_text(f"import torch\nclass Deep(torch.nn.Module):\n    x = y = 1\n{branches}")
    Path("user.py").write_text("import torch\nfrom deep import Deep\n\nmodel = Deep().cuda()\n")
    result = run("check")
    assert findings(result, "user.py") and result.err == ""


def test_two_megabytes_of_generated_code(run: Run) -> None:
    row = "    (0.123456, 1.234567, 2, 3, 'name', x),\n"
    Path("generated.py").write_text("import torch\n\nTABLE = [\n" + row * 50_000 + "]\nx.cuda()\n")
    result = run("check")
    assert result.code == 2
    assert re.fullmatch(r"error: generated\.py: .*left alone.*\n", result.err)


def test_one_line_of_a_megabyte(run: Run) -> None:
    Path("line.py").write_text("import torch\nx = '" + "a" * 1_000_000 + "'; y = torch.zeros(1).cuda()\n")
    result = run("check")
    assert len(findings(result, "line.py")) >= 1
    assert result.code == 1


def test_a_file_of_the_system_that_has_nothing_to_give(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `/proc/kmsg` has not, where no message waits."""

    def nothing(file: Any, most: int = 0) -> bytes:
        if file.name != "a.py":
            return read_all(file)
        return read_all(SimpleNamespace(fileno=file.fileno, name=file.name, read=lambda _: None))  # type: ignore[arg-type]

    read_all = file_reading.read_all
    Path("a.py").write_text(GOOD)
    monkeypatch.setattr(file_reading, "read_all", nothing)
    assert run("check", "--no-cache").err == "error: a.py: is neither a file nor a folder\n"


@pytest.mark.parametrize("end", ["\r", "\n\r", "\r\n\r"])
def test_a_file_may_end_in_a_carriage_return(end: str) -> None:
    result = fix("import torch\nx = torch.zeros(3).cuda()" + end, isolated=True)
    assert result.failure is None
    assert result.text.endswith("torch.zeros(3).to(device)" + end)


def test_what_is_added_below_a_carriage_return_does_not_join_it() -> None:
    text = (
        'import torch\ntry:\n    x = torch.randn(3, device="cuda")\nexcept A:\n'
        '    def f(): return net.cuda()\n    os.environ["CUDA_VISIBLE_DEVICES"] = "1"\r'
    )
    result = fix(text, select=["DEV101"], unsafe=True, isolated=True)
    assert result.text.endswith('\r\rdevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\r')
