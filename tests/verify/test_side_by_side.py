"""Runs side by side: which may be, which must be alone, and that verdicts are those of runs one after the other."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devlint.verify import runs as module
from devlint.verify.comparing.verdict import Word
from devlint.verify.errors import VerifyError
from devlint.verify.matrix import Task, verify
from devlint.verify.observer import Observer
from devlint.verify.program import CPU, SIMULATED, Limits, Program, Setting
from devlint.verify.runs import Runs
from tests.verify.test_bad_input import is_running

WORKS, FAILS, WANTS_CUDA = (
    {"kind": "ok", "code": 0},
    {"kind": "error", "code": 1, "type": "OSError", "message": "Address already in use"},
    {"kind": "error", "code": 1, "type": "RuntimeError", "message": "No CUDA GPUs are available"},
)
A, B, C = (Program(f"/{name}.py") for name in "abc")


class Server:
    """In place of the server process: says which runs are going on, and ends the oldest when it is asked for an answer."""

    def __init__(self, endings: Callable[[str, list[str]], dict[str, Any]] = lambda name, others: WORKS) -> None:
        """``endings`` says how a program ends, given those that run with it."""
        self._endings = endings
        self.running: dict[int, tuple[str, str]] = {}
        self.said: list[str] = []
        self.cancelled: list[int] = []
        self.is_deaf = False

    def send(self, request: dict[str, Any]) -> None:
        if "cancel" in request:
            self.said.append(f"cancel {self.running[request['cancel']][0]}")
            self.cancelled.append(request["cancel"])
            return
        name = f"{Path(request['program']['path']).stem}@{request['setting']['name']}"
        self.running[request["number"]] = name, request["folder"]
        self.said.append(" + ".join(sorted(one for one, _ in self.running.values())))

    def answer(self, seconds: float) -> dict[str, Any] | None:
        if self.cancelled:
            number = self.cancelled.pop()
            del self.running[number]
            return {"number": number, "code": None, "ended": "cancelled", "seconds": 0.0}
        if self.is_deaf:
            self.is_deaf = False
            return None
        number = min(self.running)
        name, folder = self.running.pop(number)
        ending = self._endings(name, [other for other, _ in self.running.values()])
        Path(folder, "observed").write_text(json.dumps({"ending": ending}))
        return {"number": number, "code": ending["code"], "ended": None, "seconds": 0.0}

    def restart(self) -> None:
        self.running.clear()


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Runs]:
    monkeypatch.setattr(module, "free_memory", lambda: 64 << 30)

    def start(server: Any, most: int = 2) -> Runs:
        return Runs(server, Limits, str(tmp_path), most)

    return start


def test_as_many_as_may_run_at_a_time(start: Callable[..., Runs]) -> None:
    server = Server()
    runs = start(server)
    runs.ahead([(A, CPU), (B, CPU), (C, CPU)])
    assert [runs.result(one, CPU).program for one in (C, A, B)] == [C, A, B]
    assert server.said == ["a@cpu", "a@cpu + b@cpu", "b@cpu + c@cpu"]


def test_one_after_the_other_if_that_is_wanted_or_nobody_knows_the_free_memory(
    start: Callable[..., Runs], monkeypatch: pytest.MonkeyPatch
) -> None:
    for most, free in ((1, 64 << 30), (4, None)):
        monkeypatch.setattr(module, "free_memory", lambda free=free: free)
        server = Server()
        runs = start(server, most)
        runs.ahead([(A, CPU), (B, CPU)])
        assert server.said == []
        assert [runs.result(one, CPU).works for one in (B, A)] == [True, True]
        assert server.said == ["b@cpu", "a@cpu"]


def test_what_shares_a_folder_or_a_real_accelerator_does_not_run_ahead(start: Callable[..., Runs]) -> None:
    server = Server()
    start(server).ahead([(Program("/a.py", folder="/copy"), CPU), (A, Setting("cuda"))])
    assert server.said == []


def test_what_fails_beside_others_is_repeated_alone(start: Callable[..., Runs]) -> None:
    server = Server(lambda name, others: FAILS if others else WORKS)
    runs = start(server)
    runs.ahead([(A, CPU), (B, CPU), (C, CPU)])
    assert runs.result(A, CPU).works and not runs.beside
    assert server.said == ["a@cpu", "a@cpu + b@cpu", "a@cpu"], "which waits for the other, and holds back the third"
    assert runs.result(C, CPU).works and not runs.beside


def test_what_fails_for_want_of_cuda_is_not_repeated(start: Callable[..., Runs]) -> None:
    server = Server(lambda name, others: WANTS_CUDA)
    runs = start(server)
    runs.ahead([(A, CPU), (B, CPU)])
    assert runs.result(A, CPU).wants_cuda and runs.beside == {(A, CPU)}
    assert server.said == ["a@cpu", "a@cpu + b@cpu"]


def test_a_run_that_is_asked_for_again_runs_alone(start: Callable[..., Runs]) -> None:
    server = Server()
    runs = start(server)
    runs.ahead([(A, CPU), (B, CPU)])
    runs.result(A, CPU, again=True)
    assert server.said[-1] == "a@cpu"


def test_what_nobody_needs_is_ended(start: Callable[..., Runs], tmp_path: Path) -> None:
    server = Server()
    runs = start(server)
    runs.ahead([(A, CPU), (B, CPU), (C, CPU)])
    runs.give_up([(B, CPU), (C, CPU)])
    assert runs.result(A, CPU).works
    runs.give_up()
    assert server.said == ["a@cpu", "a@cpu + b@cpu", "cancel b@cpu"] and not server.running
    assert list(tmp_path.iterdir()) == []


def test_without_room_nothing_is_started_beside_another(
    start: Callable[..., Runs], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server()
    runs = start(server)
    monkeypatch.setattr(module, "free_memory", lambda: module.ROOM)
    runs.ahead([(A, CPU), (B, CPU)])
    assert runs.result(B, CPU).works
    assert server.said == ["a@cpu", "b@cpu"]


def test_the_last_gives_way_where_memory_runs_short(
    start: Callable[..., Runs], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server()
    runs = start(server)
    runs.ahead([(A, CPU), (B, CPU)])
    monkeypatch.setattr(module, "free_memory", lambda: module.SHORT)
    server.is_deaf = True
    assert runs.result(B, CPU).works and not runs.beside
    assert server.said == ["a@cpu", "a@cpu + b@cpu", "cancel b@cpu", "b@cpu"]


def test_who_killed_the_server_process_is_found_by_running_each_alone(start: Callable[..., Runs]) -> None:
    class Killed(Server):
        def answer(self, seconds: float) -> dict[str, Any] | None:
            if any(name == "b@cpu" for name, _ in self.running.values()):
                raise VerifyError("ended")
            return super().answer(seconds)

    server = Killed()
    runs = start(server)
    runs.ahead([(A, CPU), (B, CPU)])
    assert [runs.result(one, CPU).ended for one in (A, B)] == [None, "watcher"]
    assert server.said == ["a@cpu", "a@cpu + b@cpu", "a@cpu", "b@cpu"]


TAKES_A_PORT = """\
import socket
import torch

server = socket.create_server(("127.0.0.1", PORT))
x = torch.ones(1){}
for _ in range(20):
    x = x * 1.5
client = socket.create_connection(("127.0.0.1", PORT))
print(x.item())
"""
PLACED = '.to("cuda" if torch.cuda.is_available() else "cpu")'


@pytest.fixture(scope="module")
def pair() -> Any:
    with Observer(Limits(seconds=300), jobs=4) as observer:
        yield observer


@pytest.fixture
def port() -> str:
    """A program that takes a port, which no other program on this machine has."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return TAKES_A_PORT.replace("PORT", str(free.getsockname()[1]))


def task(folder: Path, before: str, after: str) -> Task:
    for name, text in (("before.py", before), ("after.py", after)):
        (folder / name).write_text(text)
    return Task("program", *(Program(str(folder / name)) for name in ("before.py", "after.py")))


def test_programs_that_take_the_same_port_do_not_meet(pair: Observer, port: str, tmp_path: Path) -> None:
    verdict = verify(pair, task(tmp_path, port.format(".cuda()"), port.format(PLACED)))
    assert [one.word for one in verdict.outcomes] == [Word.NEWLY_WORKS, Word.SAME]
    assert os.listdir(pair._folder) and not [name for name in os.listdir(pair._folder) if name.startswith("tmp")]
    pair.forget()


@pytest.mark.slow
def test_a_difference_is_that_of_runs_alone(pair: Observer, port: str, tmp_path: Path) -> None:
    wrong = port.format(PLACED).replace("1.5", "1.25")
    verdict = verify(pair, task(tmp_path, port.format(".cuda()"), wrong))
    assert [one.word for one in verdict.outcomes] == [Word.VALUE, Word.VALUE]
    assert not pair._runs.beside
    pair.forget()


def test_one_whose_watcher_is_killed_harms_no_other(pair: Observer, tmp_path: Path) -> None:
    says = "import os, time\nos.write(2, str(os.getppid()).encode())\ntime.sleep(600)\n"
    given = task(tmp_path, says, "import torch\nprint(torch.ones(2).sum().item())\n")
    pair.ahead([(given.before, CPU), (given.after, CPU), (given.after, SIMULATED)])
    over = threading.Event()
    killer = threading.Thread(target=kill_watchers, args=(pair, given.before, over))
    killer.start()
    try:
        assert pair.observe(given.after, CPU).works
        assert pair.observe(given.before, CPU).ended == "watcher"
        assert pair.observe(given.after, SIMULATED).works
    finally:
        over.set()
        killer.join()
    pair.forget()


def kill_watchers(observer: Observer, program: Program, over: threading.Event) -> None:
    """Kill what watches a program each time that it runs: beside others, and alone."""
    killed = set()
    while not over.wait(0.01):
        for run in list(observer._runs._running.values()):
            said = Path(run.folder, "stderr")
            if run.program is program and run.number not in killed and said.exists() and said.read_text():
                killed.add(run.number)
                os.kill(int(said.read_text()), signal.SIGKILL)


@pytest.mark.slow
def test_an_interruption_ends_all_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "free_memory", lambda: 64 << 30)  # else the second waits where there is little
    says = "import os, sys, time\nos.write(2, str(os.getpid()).encode())\ntime.sleep(600)\n"
    given = task(tmp_path, says, says)
    pids: list[int] = []
    with pytest.raises(KeyboardInterrupt), Observer(jobs=2) as observer:
        interrupt_while_running(observer, [(given.before, CPU), (given.after, CPU)], pids)
    assert len(pids) == 2 and not any(map(is_running, pids))
    assert not os.path.exists(observer._folder)


def interrupt_while_running(observer: Observer, runs: list[tuple[Program, Setting]], pids: list[int]) -> None:
    observer.ahead(runs)
    said = [Path(run.folder, "stderr") for run in observer._runs._running.values()]
    while not all(path.exists() and path.read_text() for path in said):
        time.sleep(0.01)
    pids += [int(path.read_text()) for path in said]
    raise KeyboardInterrupt


LIVES_ON = """
import os, time
from devlint.verify.observer import Observer

with Observer() as observer:
    child = os.fork()
    if not child:
        time.sleep(600)  # and holds the pipe that the server process reads
os.kill(child, 9)
print("over")
"""


@pytest.mark.slow
def test_a_fork_that_lives_on_does_not_keep_the_server_process() -> None:
    done = subprocess.run([sys.executable, "-c", LIVES_ON], capture_output=True, text=True, check=True, timeout=500)
    assert done.stdout == "over\n"
