"""Programs that misbehave: each is told in one line, the next one runs, and nothing is left running."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from devlint.verify.comparing.verdict import Word
from devlint.verify.matrix import Task, verify
from devlint.verify.observer import Observer
from devlint.verify.program import CPU, Limits, Program, request
from devlint.verify.sandbox import SIGNALS_SINCE, landlock_version

HEAD = "import os, subprocess, sys, time\nimport torch\nx = torch.ones(2)\n"
SLEEPER = "[sys.executable, '-c', 'import os, time; os.setsid(); time.sleep(600)  # left by devlint']"
CASES = {
    "hangs": ("while True:\n    pass\n", "did not end within 1.5 s"),
    "hangs, with a child of its own": (f"subprocess.Popen({SLEEPER})\ntime.sleep(600)\n", "did not end within 1.5 s"),
    "forks": (
        "for _ in range(40):\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(600)\ntime.sleep(600)\n",
        "started more than 20 processes",
    ),
    "eats memory": ("kept = [torch.ones(1 << 26) for _ in range(100)]\n", "needs more memory than 1.0 GiB"),
    "eats memory in Python": ("kept = [bytes(1 << 28) for _ in range(100)]\n", "needs more memory than 1.0 GiB"),
    "writes elsewhere": (
        "open(os.path.join(os.path.dirname(__file__), 'made'), 'w')\n",
        "writes outside its scratch folder: {folder}/made",
    ),
    "deletes elsewhere": ("os.remove(__file__)\n", "writes outside its scratch folder: {folder}/program.py"),
    "writes elsewhere from C++": (
        "torch.save(x, os.path.join(os.path.dirname(__file__), 'made.pt'))\n",
        "writes outside its scratch folder, from C++",
    ),
    "writes a large file": ("open('large', 'wb').write(bytes(1 << 22))\n", None),
    "needs arguments": (
        "import argparse\np = argparse.ArgumentParser(prog='p')\np.add_argument('--lr', required=True)\np.parse_args()\n",
        "needs arguments: p: error: the following arguments are required: --lr",
    ),
    "needs data": (
        "open('data/train.csv')\n",
        "needs data that is missing: No such file or directory: 'data/train.csv'",
    ),
    "needs a module": ("import no_such_module\n", "needs a module that is missing: No module named 'no_such_module'"),
    "asks": ("input('name? ')\n", "reads from standard input"),
    "reaches out": ("import socket\nsocket.create_connection(('192.0.2.1', 80))\n", "uses the network: 192.0.2.1"),
    "crashes": ("import ctypes\nctypes.string_at(0)\n", "crashed the interpreter (SIGSEGV)"),
    "aborts": ("os.abort()\n", "crashed the interpreter (SIGABRT)"),
    "kills its parent": (
        "os.kill(os.getppid(), 9)\ntime.sleep(600)\n",
        "sends a signal to another program: 9"
        if landlock_version() >= SIGNALS_SINCE
        else "ended the process that watches it",
    ),
    "leaves": ("os._exit(7)\n", "left without ending Python, with exit code 7"),
}
LINUX = os.path.isdir("/proc/self")


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_it_is_told_in_one_line(case: str, observer: Observer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body, told = CASES[case]
    seconds = 1.5 if "hangs" in case else 300
    monkeypatch.setattr(observer, "limits", Limits(seconds, 1 << 30, file_size=1 << 20, processes=20))
    path = tmp_path / "program.py"
    mark = f"left by devlint in {tmp_path}"  # other tests run their own at the same time
    path.write_text(HEAD + body.replace("left by devlint", mark))
    program = Program(str(path))
    verdict = verify(observer, Task(case, program, program), ("cpu",))
    observer.forget()
    (outcome,) = verdict.outcomes
    assert "\n" not in outcome.detail
    if told is None:
        assert outcome.word is Word.FAILS_ALIKE and "File too large" in outcome.detail
    else:
        assert outcome.word is Word.UNCOMPARED and not verdict.differs
        assert outcome.detail == f"the original {told.format(folder=tmp_path)}"
    assert path.exists() and os.listdir(tmp_path) == ["program.py"]
    assert not LINUX or not list(running(mark))


def running(words: str) -> list[str]:
    """The command lines of processes that hold some words."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            line = Path("/proc", name, "cmdline").read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        if words in line:
            found.append(line)
    return found


def test_what_is_refused_may_be_caught(observer: Observer, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(HEAD + f"try:\n    open({str(tmp_path / 'made')!r}, 'w')\nexcept OSError:\n    print('no')\n")
    seen = observer.observe(Program(str(path)), CPU)
    assert (seen.works, seen.stdout) == (True, "no\n")
    assert seen.refused == (f"writes outside its scratch folder: {tmp_path / 'made'}",)


def test_children_are_guarded_too(observer: Observer, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    made = tmp_path / "made"
    inner = f"open({str(made)!r}, 'w')"
    path.write_text(f"{HEAD}subprocess.run([sys.executable, '-c', {inner!r}])\nos.system('echo > {made} 2>&1')\n")
    seen = observer.observe(Program(str(path)), CPU)
    assert seen.refused == (f"writes outside its scratch folder: {made}",)
    assert "PermissionError" in seen.stderr
    assert not made.exists() or not kernel_can_lock()


def kernel_can_lock() -> bool:
    """Whether there is Landlock, without which other programs than Python are not held back."""
    lsm = Path("/sys/kernel/security/lsm")
    return lsm.exists() and "landlock" in lsm.read_text()


def test_scratch_temporary_files_and_data(observer: Observer, tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("1\n")
    path = tmp_path / "program.py"
    path.write_text(
        "import tempfile, torch\nprint(open('train.csv').read())\nopen('model.txt', 'w').write('x')\n"
        "torch.save(torch.ones(2), tempfile.mkdtemp() + '/x.pt')\n"
    )
    seen = observer.observe(Program(str(path), data=(str(tmp_path / "train.csv"),)), CPU)
    assert seen.works, seen.stderr
    assert (seen.stdout, [*seen.data["files"]]) == ("1\n\n", ["model.txt"])


def test_a_crash_of_the_rewritten_program_is_a_failure_of_its_own(observer: Observer, tmp_path: Path) -> None:
    (tmp_path / "before.py").write_text("print(1)\n")
    (tmp_path / "after.py").write_text("import os\nos.abort()\n")
    before, after = (Program(str(tmp_path / name)) for name in ("before.py", "after.py"))
    (outcome,) = verify(observer, Task("crash", before, after), ("cpu",)).outcomes
    assert (outcome.word, outcome.detail) == (Word.NEWLY_FAILS, "crashed the interpreter (SIGABRT)")


@pytest.mark.slow
def test_an_observer_that_is_interrupted_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text("import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(600)\n")
    with pytest.raises(KeyboardInterrupt), Observer() as observer:
        interrupt_while_running(observer, Program(str(path)), tmp_path / "pid")
    pid = int((tmp_path / "pid").read_text())
    deadline = time.monotonic() + 5
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_running(pid) and not os.path.exists(observer._folder)


def interrupt_while_running(observer: Observer, program: Program, pid: Path) -> None:
    folder = Path(observer.folder("run"))
    for name in ("scratch", "tmp"):
        (folder / name).mkdir(parents=True)
    observer._runs._server.send({"number": 1, **request(program, CPU, Limits(), str(folder))})
    while not (folder / "stdout").exists() or not (folder / "stdout").read_text():
        time.sleep(0.01)
    pid.write_text((folder / "stdout").read_text())
    raise KeyboardInterrupt


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
