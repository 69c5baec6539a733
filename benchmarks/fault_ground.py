"""A folder of files that `devlint fix` changes, runs that are disturbed there, and what must be true afterwards."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from devlint import fix
from devlint.cli import main as devlint
from devlint.sources.file_writing import TEMPORARY

COUNT = 3
_LINES = "import torch\n\n{}\n"
FIX = ["fix", "--isolated", "--no-cache", "--quiet", "-j", "1", "."]


class Ground:
    """The files, as they are and as they are once fixed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        fix("import torch\nx = torch.ones(2).cuda()\n", isolated=True)  # so that no run has to import what it needs
        moves = "\n".join(f"v{i} = torch.zeros({i}).cuda()" for i in range(12))
        self.before = {f"f{number}.py": _LINES.format(moves + f"\n# {number} é").encode() for number in range(COUNT)}
        self.reset()
        assert self.run()[0] == 0
        self.after = self.contents()
        assert all(self.after[name] != data for name, data in self.before.items())
        self.reset()

    def reset(self) -> None:
        """Write the files as they are before a fix, with odd modes, and nothing else."""
        for path in self.folder.iterdir():
            path.unlink()
        self.write(self.folder)

    def write(self, folder: Path) -> None:
        """Write the files into a folder."""
        for name, data in self.before.items():
            (folder / name).write_bytes(data)
            (folder / name).chmod(0o640)

    def contents(self) -> dict[str, bytes]:
        """What the files hold."""
        return {name: (self.folder / name).read_bytes() for name in self.before}

    def start(self, before: Callable[[], object] = lambda: None) -> tuple[int, str]:
        """Start `devlint fix` in a process of its own, after a call in it: its number, and where it speaks."""
        log = tempfile.mktemp(prefix="devlint-fault-")
        child = os.fork()
        if child == 0:
            code = 99
            try:
                os.setpgid(0, 0)
                os.chdir(self.folder)
                descriptor = os.open(log, os.O_WRONLY | os.O_CREAT, 0o600)
                os.dup2(descriptor, 1)
                os.dup2(descriptor, 2)
                sys.stdout, sys.stderr = (open(number, "w", closefd=False) for number in (1, 2))  # noqa: SIM115
                before()
                devlint(FIX)
            except SystemExit as left:
                code = left.code if isinstance(left.code, int) else 0
            finally:
                for stream in (sys.stdout, sys.stderr):
                    with contextlib.suppress(OSError):
                        stream.flush()
                os._exit(code)
        return child, log

    def run(self, before: Callable[[], object] = lambda: None) -> tuple[int, str]:
        """Run `devlint fix`: its exit code, or minus the signal that ended it, and what it said."""
        return self.end(*self.start(before))

    def end(self, child: int, log: str) -> tuple[int, str]:
        """Wait for a run."""
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        try:
            return code, Path(log).read_text("utf-8", "replace")
        except FileNotFoundError:
            return code, ""
        finally:
            Path(log).unlink(missing_ok=True)

    def kill(self, child: int, log: str, seconds: float) -> tuple[int, str]:
        """Kill a run after some time."""
        time.sleep(seconds)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        return self.end(child, log)

    def complaints(self, code: int, said: str, may_leave: bool = False) -> Iterator[str]:
        """What is wrong after a disturbed run, which may leave temporary files, and after the next one."""
        if "<no Python frame>" in said:  # Python itself has not started
            return
        if "Traceback" in said or "internal error" in said or "please report" in said:
            yield f"said {said.strip().splitlines()[-1]}"
        if code not in (0, 1, 2, 130, -signal.SIGKILL, -signal.SIGXFSZ):
            yield f"ended with {code}: {said.strip()[-200:]}"
        names = re.findall(r"^error: (?:\./)?([^:]+):", said, re.MULTILINE)
        if len(names) != len(set(names)):
            yield f"said more than one line of a file: {said}"
        changed = {name for name, data in self.contents().items() if data != self.before[name]}
        yield from (f"{name} is neither old nor new" for name in changed if not self.is_new(name))
        if code == 0 and len(changed) < COUNT:
            yield "ended well, and did not fix all files"
        if code == 2 and not names and "error" not in said:
            yield "ended with 2 and said nothing"
        yield from (f"{name} is left" for name in self._left() if code >= 0 and not may_leave)
        code, said = self.run()
        if code != 0 or self.contents() != self.after:
            yield f"the next run ended with {code}: {said}"
        if len(changed) < COUNT:  # else the next run writes nothing, and looks for nothing
            yield from (f"{name} is left after the next run" for name in self._left())
        modes = {oct((self.folder / name).stat().st_mode & 0o777) for name in self.before}
        if modes != {"0o640"}:
            yield f"modes are {modes}"

    def is_new(self, name: str) -> bool:
        """Whether a file is as it is once fixed."""
        return (self.folder / name).read_bytes() == self.after[name]

    def _left(self) -> list[str]:
        return [name for name in os.listdir(self.folder) if TEMPORARY.fullmatch(name) or name not in self.before]
