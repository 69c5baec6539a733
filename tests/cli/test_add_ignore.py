"""``devlint check --add-ignore``: comments that work, keep what stands there, and change nothing else."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from devlint.cli import main

HEAD = "import torch\n\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(["check", "--isolated", "--no-cache", *arguments])
    out, err = capsys.readouterr()
    return int(left.value.code or 0), out, err


WRITTEN = [
    ("x = torch.zeros(2).cuda()\n", "x = torch.zeros(2).cuda()  # devlint: ignore[DEV101] why\n"),
    ("x = torch.zeros(2).cuda()", "x = torch.zeros(2).cuda()  # devlint: ignore[DEV101] why"),
    ("x = torch.zeros(2).cuda()   \n", "x = torch.zeros(2).cuda()  # devlint: ignore[DEV101] why\n"),
    (
        "x = torch.zeros(2).cuda()  # type: ignore\n",
        "x = torch.zeros(2).cuda()  # type: ignore  # devlint: ignore[DEV101] why\n",
    ),
    (
        "x = torch.zeros(2).cuda()  # devlint: ignore[DEV404] old\n",
        "x = torch.zeros(2).cuda()  # devlint: ignore[DEV404] old  # devlint: ignore[DEV101] why\n",
    ),
    (
        'x = torch.zeros(2, device="cuda").cuda()\n',
        'x = torch.zeros(2, device="cuda").cuda()  # devlint: ignore[DEV101, DEV102] why\n',
    ),
    (
        "x = (\n    torch.zeros(2)\n    .cuda()\n)\n",
        "x = (\n    torch.zeros(2)\n    .cuda()  # devlint: ignore[DEV101] why\n)\n",
    ),
    (
        "x = torch.zeros(2) \\\n    .cuda() \\\n    .float()\n",
        "x = torch.zeros(2) \\\n    .cuda() \\\n    .float()  # devlint: ignore[DEV101] why\n",
    ),
    (
        'x = torch.zeros(2).cuda() + f("""\ntext\n""")\n',
        'x = torch.zeros(2).cuda() + f("""\ntext\n""")  # devlint: ignore[DEV101] why\n',
    ),
    ("if x: y = x.cuda(); z = 1\n", "if x: y = x.cuda(); z = 1  # devlint: ignore[DEV101] why\n"),
    ("x = torch.zeros(2).cuda()\r\n", "x = torch.zeros(2).cuda()  # devlint: ignore[DEV101] why\r\n"),
]


@pytest.mark.parametrize(("before", "after"), WRITTEN)
def test_what_is_written(before: str, after: str, capsys: pytest.CaptureFixture[str]) -> None:
    head = HEAD.replace("\n", "\r\n") if "\r" in before else HEAD
    path = Path("a.py")
    path.write_bytes((head + before).encode())
    code, out, err = run(capsys, "--add-ignore", " why ", "--ignore", "DEV002", "a.py")
    assert (code, err) == (0, "")
    assert path.read_bytes().decode() == head + after
    assert out.startswith("Suppressed ") and out.endswith(" in 1 file.\n")
    assert ast.dump(ast.parse(head + before)) == ast.dump(ast.parse(head + after))
    assert run(capsys, "--ignore", "DEV002", "a.py")[:2] == (0, "All checks passed!\n")
    assert run(capsys, "--add-ignore", "why", "--ignore", "DEV002", "a.py") == (0, "No findings to suppress.\n", "")
    assert path.read_bytes().decode() == head + after


def test_a_notebook(capsys: pytest.CaptureFixture[str]) -> None:
    texts = ("import torch\n%matplotlib inline", "!ls\nx = torch.zeros(2).cuda()")
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": text.splitlines(True)}
        for text in texts
    ]
    path = Path("a.ipynb")
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1))
    assert run(capsys, "--add-ignore", "why", "a.ipynb")[0] == 0
    (first, second) = json.loads(path.read_text())["cells"]
    assert "".join(first["source"]) == texts[0]
    assert "".join(second["source"]) == texts[1] + "  # devlint: ignore[DEV101] why"
    assert run(capsys, "a.ipynb")[0] == 0


def test_where_a_comment_would_not_work_none_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    for name, data in (
        ("a.sh", b"CUDA_VISIBLE_DEVICE=0 python train.py\n"),
        ("b.py", b"x = (\n"),
        ("c.py", b"x = '\xff'\n"),
        ("d.py", b"x = 1\0\n"),
    ):
        Path(name).write_bytes(data)
        code, out, err = run(capsys, "--add-ignore", "why", name)
        assert (code, out) == (1, "1 finding cannot be suppressed.\n")
        assert "not suppressed: a comment there would not work" in err
        assert Path(name).read_bytes() == data


def test_what_already_has_a_wrong_comment_keeps_it(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text(f"{HEAD}x = 1  # devlint: ignore[DEV101]\ny = torch.zeros(2).cuda()\n")
    code, _, err = run(capsys, "--add-ignore", "why", "a.py")
    assert code == 1 and "DEV002 not suppressed" in err
    assert (
        Path("a.py")
        .read_text()
        .endswith("x = 1  # devlint: ignore[DEV101]\ny = torch.zeros(2).cuda()  # devlint: ignore[DEV101] why\n")
    )


def test_only_what_is_selected(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text(f'{HEAD}x = torch.zeros(2).cuda()\ny = torch.zeros(2, device="cuda")\n')
    assert run(capsys, "--add-ignore", "why", "--select", "cuda-method")[0] == 0
    assert Path("a.py").read_text().count("# devlint: ignore[DEV101] why") == 1
    assert "DEV102" not in Path("a.py").read_text()


@pytest.mark.parametrize("reason", ["", "  ", "two\nlines", "a # b", "\x1b[2J"])
def test_a_reason_that_is_none(reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text(f"{HEAD}x = torch.zeros(2).cuda()\n")
    code, out, err = run(capsys, "--add-ignore", reason, "a.py")
    assert (code, out) == (2, "") and err.startswith("error: a reason is one line of text without #")


@pytest.mark.parametrize("options", [["--fix"], ["--diff"], ["-"]])
def test_what_it_does_not_go_with(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--add-ignore", "why", *options)[0] == 2


def test_a_reason_that_the_file_cannot_hold(capsys: pytest.CaptureFixture[str]) -> None:
    data = f"# -*- coding: latin-1 -*-\n{HEAD}x = torch.zeros(2).cuda()\n".encode("latin-1")
    Path("a.py").write_bytes(data)
    assert run(capsys, "--add-ignore", "漢字", "a.py")[0] == 1
    assert Path("a.py").read_bytes() == data
