"""``devlint fix --interactive`` in a real terminal: what is shown, what the answers do, and what is written when."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.engine.test_settling import BASE, HEIR, MISSPELLED, SETTLED
from tests.support.paths import ROOT
from tests.support.terminal import in_terminal

pexpect: Any = pytest.importorskip("pexpect", reason="pexpect is not installed")
if not hasattr(pexpect, "spawn"):
    pytest.skip("needs a POSIX terminal", allow_module_level=True)

TWO = "import torch\n\nx = torch.zeros(2).cuda()\nprint(x)\ny = torch.ones(2).cuda()\n"
DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
ASKED = r"\[y,n,a,d,s,q,\?\]\? (?:\x1b\[0m)?"
ENVIRONMENT = {
    **{key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")},
    "PYTHONPATH": str(ROOT),
    "TERM": "xterm-256color",
}


class Session:
    """A run in a terminal, and all that it has shown."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        command = ["-m", "devlint", "fix", "--interactive", "--isolated", *arguments]
        self._child = in_terminal(command, folder, ENVIRONMENT)
        self._child.delaybeforesend = None
        self.shown = ""

    def wait(self, pattern: str = ASKED) -> str:
        """What is shown up to the next question, without colours."""
        self._child.expect(pattern)
        shown = str(self._child.before + self._child.after)
        self.shown += shown
        return re.sub("\x1b\\[[0-9;]*m", "", shown).replace("\r\n", "\n")

    def answer(self, text: str) -> None:
        self._child.sendline(text)

    def interrupt(self) -> None:
        self._child.sendintr()

    def end_of_input(self) -> None:
        self._child.sendeof()

    def end(self) -> tuple[int, str]:
        """The exit code, and the last line."""
        shown = self._rest()
        self._child.close()
        return self._child.exitstatus, shown.strip().splitlines()[-1]

    def _rest(self) -> str:
        self._child.expect(pexpect.EOF)
        self.shown += self._child.before
        return str(self._child.before).replace("\r\n", "\n")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "a.py"
    path.write_text(TWO)
    return path


def answered(folder: Path, *answers: str, options: tuple[str, ...] = ()) -> tuple[int, str]:
    """The exit code and the last line of a run with these answers."""
    session = Session(folder, *options)
    for one in answers:
        session.wait()
        session.answer(one)
    return session.end()


def test_what_is_shown(program: Path) -> None:
    session = Session(program.parent, "a.py")
    shown = session.wait()
    assert shown.startswith("a.py:3:20: DEV101 [*] `.cuda()` needs CUDA on every machine\nsafe fix: Replace `.cuda()`")
    assert f"-x = torch.zeros(2).cuda()\n+{DEVICE}+\n+x = torch.zeros(2).to(device)\n" in shown
    assert shown.endswith("Make this fix (1 more in this file) [y,n,a,d,s,q,?]? ")
    assert "\x1b[31m-x = torch.zeros(2).cuda()\x1b[0m" in session.shown
    session.answer("?")
    helped = session.wait()
    for key in "yndasq?":
        assert f"\n{key} - " in helped
    session.answer("y")
    second = session.wait()
    assert "-y = torch.ones(2).cuda()\n+y = torch.ones(2).to(device)\n" in second and "device = " not in second
    session.answer("y")
    assert session.end() == (0, "Fixed 2 findings in 1 file; 0 left.")
    assert program.read_text() == TWO.replace("\nx =", f"\n{DEVICE}\nx =").replace(".cuda()", ".to(device)")


def test_the_second_fix_alone_brings_what_it_needs(program: Path) -> None:
    assert answered(program.parent, "n", "y") == (1, "Fixed 1 finding in 1 file; 1 left.")
    text = program.read_text()
    assert text.count(DEVICE) == 1
    assert "x = torch.zeros(2).cuda()\n" in text and "y = torch.ones(2).to(device)\n" in text
    compile(text, "a.py", "exec")


def test_none(program: Path) -> None:
    assert answered(program.parent, "n", "n") == (1, "Fixed 0 findings in 0 files; 2 left.")
    assert program.read_text() == TWO


def test_quitting_keeps_what_was_accepted(program: Path) -> None:
    (program.parent / "b.py").write_text(TWO)
    assert answered(program.parent, "y", "q") == (1, "Fixed 1 finding in 1 file; 1 left.")
    assert "x = torch.zeros(2).to(device)\nprint(x)\ny = torch.ones(2).cuda()\n" in program.read_text()
    assert (program.parent / "b.py").read_text() == TWO


def test_the_end_of_input_is_to_quit(program: Path) -> None:
    session = Session(program.parent)
    session.wait()
    session.answer("y")
    session.wait()
    session.end_of_input()
    assert session.end() == (1, "Fixed 1 finding in 1 file; 1 left.")
    assert ".to(device)" in program.read_text()


def test_an_interrupt_writes_nothing(program: Path) -> None:
    session = Session(program.parent)
    session.wait()
    session.answer("y")
    session.wait()
    session.interrupt()
    code, _ = session.end()
    assert code == 130 and "nothing was written" in session.shown
    assert program.read_text() == TWO
    assert [one.name for one in program.parent.iterdir()] == ["a.py"]


def test_all_of_a_rule_in_all_files(program: Path) -> None:
    (program.parent / "b.py").write_text(TWO.replace("print(x)", 'w = torch.ones(2, device="cuda")'))
    session = Session(program.parent)
    session.wait()
    session.answer("a")
    assert "DEV102" in session.wait()
    session.answer("d")
    assert session.end() == (1, "Fixed 4 findings in 2 files; 1 left.")
    assert "cuda()" not in program.read_text() + (program.parent / "b.py").read_text()
    assert 'device="cuda")' in (program.parent / "b.py").read_text()


def test_none_of_a_rule(program: Path) -> None:
    program.write_text(TWO.replace("print(x)", 'w = torch.ones(2, device="cuda")'))
    assert answered(program.parent, "d", "y") == (1, "Fixed 1 finding in 1 file; 2 left.")
    assert program.read_text().count(".cuda()") == 2
    assert "w = torch.ones(2, device=device)" in program.read_text()


def test_suppressing_asks_for_a_reason(program: Path) -> None:
    session = Session(program.parent)
    session.wait()
    session.answer("s")
    session.wait("Reason: ")
    session.answer("two # reasons")
    assert "a reason is one line of text without #" in session.wait()
    session.answer("s")
    session.wait("Reason: ")
    session.answer("the kernel is for CUDA")
    session.wait()
    session.answer("y")
    assert session.end() == (0, "Fixed 1 finding, suppressed 1 in 1 file; 0 left.")
    text = program.read_text()
    assert "x = torch.zeros(2).cuda()  # devlint: ignore[DEV101] the kernel is for CUDA\n" in text
    assert DEVICE in text and text.endswith("y = torch.ones(2).to(device)\n")


def test_a_suppression_after_a_fix_above_it(program: Path) -> None:
    session = Session(program.parent)
    for one in ("y", "s"):
        session.wait()
        session.answer(one)
    session.wait("Reason: ")
    session.answer("why")
    assert session.end() == (0, "Fixed 1 finding, suppressed 1 in 1 file; 0 left.")
    assert program.read_text().endswith("y = torch.ones(2).cuda()  # devlint: ignore[DEV101] why\n")
    assert "x = torch.zeros(2).to(device)\n" in program.read_text()


def test_an_unsafe_fix_says_why(program: Path) -> None:
    program.write_text("import torch.distributed as dist\n\ndist.init_process_group('nccl')\n")
    session = Session(program.parent)
    shown = session.wait()
    assert re.search(r"\nunsafe fix: .+ \(.+\)\n", shown)
    session.answer("y")
    assert session.end()[0] == 0
    assert "gloo" in program.read_text()


def test_all_safe_fixes_of_a_rule_are_not_the_unsafe_ones(program: Path) -> None:
    program.write_text(
        "import torch\n\nx = torch.zeros(2).cuda()\n\n\ndef f(y, device=None):\n    return torch.ones(2).cuda() + y\n"
    )
    session = Session(program.parent)
    assert "safe fix" in session.wait()
    session.answer("a")
    session.answer("q")
    code, _ = session.end()
    assert code in (0, 1) and "x = torch.zeros(2).to(device)" in program.read_text()


def test_a_notebook(program: Path) -> None:
    program.unlink()
    texts = ("import torch\n!ls", "x = torch.zeros(2).cuda()\n%time y = 1")
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": text.splitlines(True)}
        for text in texts
    ]
    path = program.with_suffix(".ipynb")
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1))
    session = Session(program.parent)
    shown = session.wait()
    assert shown.startswith("a.ipynb:cell 2:1:20: DEV101") and "\na.ipynb:cell 2\n" in shown
    session.answer("y")
    assert session.end()[0] == 0
    sources = ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"]]
    assert "!ls" in sources[0] and sources[1].endswith("x = torch.zeros(2).to(device)\n%time y = 1")


def test_a_file_that_changes_meanwhile_is_not_written(program: Path) -> None:
    session = Session(program.parent)
    session.wait()
    session.answer("y")
    session.wait()
    program.write_text(TWO + "# edited\n")
    session.answer("y")
    code, _ = session.end()
    assert code == 2 and "changed while devlint was working on it" in session.shown
    assert program.read_text() == TWO + "# edited\n"


@pytest.mark.parametrize("options", [["-"], ["--diff"], ["--verify", "true"], ["--observe", "true"]], ids=" ".join)
def test_what_it_does_not_go_with(options: list[str], program: Path) -> None:
    command = [sys.executable, "-m", "devlint", "fix", "-i", *options]
    result = subprocess.run(
        command, cwd=program.parent, env=ENVIRONMENT, capture_output=True, text=True, input="", check=False
    )
    assert result.returncode == 2 and "--interactive" in result.stderr


def test_answers_may_come_from_a_pipe(program: Path) -> None:
    command = [sys.executable, "-m", "devlint", "fix", "-i", "--isolated", "a.py"]
    result = subprocess.run(
        command, cwd=program.parent, env=ENVIRONMENT, capture_output=True, text=True, input="n\ny\n", check=False
    )
    assert result.returncode == 1 and "\x1b" not in result.stdout
    assert program.read_text().count(".to(device)") == 1


def heirs(folder: Path) -> None:
    """A class without torch whose fix needs the device that a fix gives its base class, in another file."""
    (folder / ".git").mkdir()
    (folder / "engine.py").write_text(BASE)
    (folder / "pairs.py").write_text(MISSPELLED + HEIR)


def test_a_file_is_asked_about_again_where_another_brings_it_a_fix(tmp_path: Path) -> None:
    heirs(tmp_path)
    assert answered(tmp_path, "y", "y", "n", "n", "y") == (1, "Fixed 3 findings in 2 files; 1 left.")
    assert (tmp_path / "pairs.py").read_text() == MISSPELLED + SETTLED


def test_what_goes_by_a_file_that_cannot_be_written_is_not_written(tmp_path: Path) -> None:
    import fcntl

    heirs(tmp_path)
    session = Session(tmp_path)
    for one in "yyyn":
        session.wait()
        session.answer(one)
    session.wait()
    with open(tmp_path / "engine.py") as locked:
        fcntl.flock(locked, fcntl.LOCK_EX)
        session.answer("y")
        assert session.end() == (2, "Fixed 1 finding in 1 file; 0 left.")
    assert "error: engine.py: another program has locked it" in session.shown
    assert "warning: pairs.py: other files that it uses have changed" in session.shown
    assert (tmp_path / "pairs.py").read_text() == MISSPELLED.replace("DEVICE", "DEVICES") + HEIR
