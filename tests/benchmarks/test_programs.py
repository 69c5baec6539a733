"""The run over whole programs: it says which of them run before and after a fix, and what a fix lost."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import programs

NEEDS_CUDA = "import torch\n\nx = torch.ones(2).cuda()  # move\nprint(x)\n"
FAKE_TORCH = """
import types

cuda = types.SimpleNamespace(is_available=lambda: False)


def device(name):
    return name


def ones(*_, **__):
    return Tensor()


class Tensor:
    def cuda(self):
        raise AssertionError("no CUDA")

    def to(self, device):
        return self
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose program fails without CUDA, beside a torch of its own, and a driver for it."""
    folder, drivers = tmp_path / "repositories" / "owner+My-Program.py", tmp_path / "drivers"
    folder.mkdir(parents=True)
    drivers.mkdir()
    (folder / "train.py").write_text(NEEDS_CUDA)
    (folder / "torch.py").write_text(FAKE_TORCH)
    (drivers / "my_program_py.py").write_text("import train\n")
    monkeypatch.setattr(programs, "DRIVERS", drivers)
    return folder


@pytest.mark.slow
def test_a_program_runs_after_the_fixes(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = programs.examine(programs.Task(repository, sys.executable, 60))
    assert outcome.runs == {"before": "AssertionError: no CUDA", "after safe": "", "after unsafe": ""}
    assert outcome.worse == []
    assert programs._summary([outcome]) == 0
    assert "before: 0 of 1 programs run\nafter safe: 1 of 1 programs run" in capsys.readouterr().out


def test_a_program_that_stops_running_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    broken = programs.Outcome("x", runs={"before": "", "after safe": "NameError", "after unsafe": ""})
    assert programs._summary([broken]) == 1
    assert "ran before and not after: x" in capsys.readouterr().out


def test_lost_comments_and_names_read_too_early_are_worse(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    for folder, text in ((before, "x = 1  # why\nprint(x)\n"), (after, "print(x)\nx = 1\n")):
        folder.mkdir()
        (folder / "a.py").write_text(text)
    lost, early = programs._worse(before, after)
    assert "the comment '# why' went" in lost
    assert "may be read before it is bound" in early


def test_names_of_a_file_that_python_could_not_read_are_not_called_worse(tmp_path: Path) -> None:
    texts = {"before": "x.cuda(async=True)\nprint(x)\n", "after": "x.cuda(non_blocking=True)\nprint(y)\ny = 1\n"}
    for name, text in texts.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text(text)
    assert list(programs._worse(tmp_path / "before", tmp_path / "after")) == []
