"""``devlint check --watch``: what makes it check again, in a real terminal, and how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from devlint.cli.watching import Watched
from devlint.core.errors import DevlintError
from tests.support.paths import ROOT
from tests.support.terminal import in_terminal

PROGRAM = "import torch\n\nx = torch.zeros(2).cuda()\n"
WAITING = "Watching for changes; Ctrl-C ends devlint."
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "NO_COLOR": "1"}


def test_a_change_is_seen_until_it_is_interrupted(tmp_path: Path) -> None:
    pexpect: Any = pytest.importorskip("pexpect", reason="pexpect is not installed")
    pytest.importorskip("watchfiles", reason="watchfiles is not installed")
    if not hasattr(pexpect, "spawn"):
        pytest.skip("needs a POSIX terminal")
    program = tmp_path / "a.py"
    program.write_text(PROGRAM)
    command = ["-m", "devlint", "check", "--watch", "--no-show-diff", "."]
    child = in_terminal(command, tmp_path, ENVIRONMENT)

    def shown(text: str) -> str:
        """What is shown after a check that says this; a write may be seen halfway, and is checked again then."""
        while True:
            child.expect_exact(WAITING)
            if text in child.before:
                return str(child.before)

    first = shown("a.py:3:20: DEV101")
    assert first.startswith("\x1b[2J\x1b[3J\x1b[H")
    program.write_text("x = 1\n")
    shown("All checks passed!")
    (tmp_path / "devlint.toml").write_text("unknown = 1\n")
    shown("unknown key 'unknown'")
    (tmp_path / "devlint.toml").write_text('select = ["DEV1"]\n')
    shown("All checks passed!")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.py").write_text(PROGRAM)
    shown("b.py:3:20: DEV101")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0 and "Traceback" not in child.before


def test_what_concerns_it(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "b.py").touch()
    watched = Watched([str(tmp_path / "src"), str(tmp_path / "b.py")], str(tmp_path / "src" / "out.py"))
    assert watched.folders == sorted(map(os.path.realpath, (tmp_path, tmp_path / "src")))
    root = Path(os.path.realpath(tmp_path))
    yes = ["src/a.py", "src/deep/a.ipynb", "src/devlint.toml", "src/.gitignore", "b.py", "pyproject.toml"]
    no = [
        "c.py",
        "src/a.txt",
        "src/.devlint_cache/x.py",
        "src/.git/a.py",
        "src/out.py",
        "src/.devlint-0.tmp",
        "srcs/a.py",
    ]
    assert [name for name in yes if not watched.concerns(str(root / name))] == []
    assert [name for name in no if watched.concerns(str(root / name))] == []


def test_what_does_not_exist_is_not_watched() -> None:
    with pytest.raises(DevlintError, match=r"no\.py: No such file"):
        Watched(["no.py"])


@pytest.mark.parametrize(
    "options", [["-"], ["--fix"], ["--diff"], ["--add-ignore", "why"], ["--fix-only"]], ids=" ".join
)
def test_what_it_does_not_go_with(options: list[str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "devlint", "check", "--watch", *options]
    result = subprocess.run(
        command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, input="", check=False
    )
    assert result.returncode == 2 and "--watch" in result.stderr


def test_without_its_extra_it_says_what_to_install(tmp_path: Path) -> None:
    program = "import sys; sys.modules['watchfiles'] = None; from devlint.cli import main; main(['check', '--watch'])"
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr) == (2, "error: --watch needs watchfiles: pip install 'devlint[watch]'\n")
