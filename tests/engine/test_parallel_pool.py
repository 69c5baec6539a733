"""Files among workers, without processes: order, tasks, deaths and how much may wait."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from io import BytesIO, StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from devlint.config.finder import ConfigFinder
from devlint.config.settings import Settings, default_settings
from devlint.core.diagnostic import Diagnostic, Failure, Location, Span
from devlint.engine.parallel import ordered_results, scheduler, spawn_workers, start_methods, worker_process
from devlint.engine.parallel.fork_workers import ForkStarter
from devlint.engine.parallel.messages import FrameBuffer, TaskReader, TaskWriter, framed, packed_report, unpacked_report
from devlint.engine.parallel.pool import Pool
from devlint.engine.parallel.spawn_workers import SpawnStarter
from devlint.engine.parallel.worker import READY, main, serve
from devlint.engine.parallel.worker_process import described, no_interrupt
from devlint.engine.report import FileReport
from devlint.engine.ruleset import RuleSets
from devlint.engine.runner import Runner
from devlint.sources.discovery import Found
from devlint.sources.source import Source

SETTINGS = default_settings(os.sep)
DEATH = "a worker process died on this file (exit code 3)"


class Died(Exception):
    """What ends a worker."""


class FakeRunner:
    """Says of each file what the test asks for, and keeps a record."""

    def __init__(self, deadly: Iterable[str] = (), once: Iterable[str] = (), size: int = 0) -> None:
        self.deadly = set(deadly)
        self.once = set(once)
        self.size = size
        self.looked: list[str] = []
        self.committed_files: list[str] = []
        self.in_worker = False

    def analyze(self, found: Found) -> FileReport:
        self.looked.append(found.path)
        if self.in_worker and (found.path in self.deadly or found.path in self.once):
            self.once.discard(found.path)
            raise Died
        if found.path.startswith("clean"):
            return FileReport(found.path)
        return FileReport(found.path, failures=(Failure(found.path, "x" * self.size),))

    def keep(self, found: Found, report: FileReport) -> FileReport:
        self.committed_files.append(found.path)
        return report


class FakeProcess:
    """A worker that works when it is received."""

    def __init__(self, starter: FakeStarter) -> None:
        self.starter = starter
        self.reader = TaskReader()
        self.buffer = FrameBuffer()
        self.said: list[bytes] = [framed(READY)]
        self.is_dead = False
        self.is_ended = False

    def send(self, data: bytes) -> None:
        assert not self.is_ended
        runner = self.starter.runner
        for frame in self.buffer.frames(data):
            files = self.reader.files(frame)
            self.starter.tasks.append(len(files))
            for found in files:
                runner.in_worker = True
                try:
                    answer = framed(packed_report(runner.analyze(found)))
                except Died:
                    self.is_dead = True
                    self.said.append(b"")
                    return
                finally:
                    runner.in_worker = False
                # In pieces: a pipe knows nothing of frames.
                self.said += [answer[:3], answer[3:]]

    def end(self) -> str:
        assert not self.is_ended
        self.is_ended = True
        self.starter.ended += 1
        return "exit code 3" if self.is_dead else "signal 9, SIGKILL"


class FakeStarter:
    """Workers of which the last one is heard first, or none of those who are held."""

    def __init__(self, runner: FakeRunner, most_starts: int = 1000, dies_before_ready: bool = False) -> None:
        self.runner = runner
        self.most_starts = most_starts
        self.dies_before_ready = dies_before_ready
        self.processes: list[FakeProcess] = []
        self.held: int | None = None
        self.ended = 0
        self.tasks: list[int] = []
        """How many files there were in each, in the order in which they were handed out."""

    def start(self) -> FakeProcess:
        if len(self.processes) == self.most_starts:
            raise OSError("no more processes")
        process = FakeProcess(self)
        if self.dies_before_ready:
            process.said = [b""]
        self.processes.append(process)
        return process

    def receive(self, wait: bool) -> list[tuple[Any, bytes]]:
        for number, process in reversed(list(enumerate(self.processes))):
            if process.said and number != self.held:
                said, process.said = process.said, []
                return [(process, chunk) for chunk in said]
        if wait:
            assert self.held is not None, "nobody will ever say anything"
            self.held = None
        return []


def files(*paths: str, settings: Settings = SETTINGS) -> Iterator[Found]:
    return (Found(path, os.sep + path, settings, False) for path in paths)


def numbered(count: int, start: str = "f") -> list[str]:
    return [f"{start}{number:05}" for number in range(count)]


def in_pool(paths: Iterable[str], starter: FakeStarter, jobs: int = 2) -> list[FileReport]:
    reports = list(Pool(starter.runner, starter, jobs).reports(files(*paths)))
    assert starter.ended == len(starter.processes), "a worker is left"
    return reports


def failures(reports: Iterable[FileReport]) -> dict[str, str]:
    return {one.path: one.failures[0].message for one in reports if one.failures and one.failures[0].message}


@pytest.mark.parametrize("jobs", [1, 2, 3, 8])
@pytest.mark.parametrize("count", [0, 1, 2, 7, 300, 5000])
def test_reports_come_in_order_whoever_is_heard_first(jobs: int, count: int) -> None:
    paths = numbered(count)
    runner = FakeRunner()
    starter = FakeStarter(runner)
    assert [report.path for report in in_pool(paths, starter, jobs)] == paths
    assert sorted(runner.looked) == runner.committed_files == paths
    assert len(starter.processes) <= min(jobs, count)


def test_reports_that_are_there_keep_their_places_and_are_not_committed_again() -> None:
    runner = FakeRunner()
    starter = FakeStarter(runner)
    known = [FileReport("known1"), FileReport("known2")]
    items = iter([known[0], *files("a", "b"), known[1], *files("c")])
    assert [one.path for one in Pool(runner, starter, 2).reports(items)] == ["known1", "a", "b", "known2", "c"]
    assert runner.committed_files == ["a", "b", "c"]


def test_tasks_are_long_at_first_and_short_at_the_end() -> None:
    starter = FakeStarter(FakeRunner())
    in_pool(numbered(3000), starter)
    assert starter.tasks[:20] == [ordered_results.LONGEST_TASK] * 20
    assert starter.tasks == sorted(starter.tasks, reverse=True)
    assert starter.tasks[-8:] == [1] * 8
    assert len(starter.tasks) < 100


@pytest.mark.parametrize("jobs", [1, 2, 4])
@pytest.mark.parametrize("deadly", [[0], [99], [50, 51], [3, 40, 77, 98], list(range(100))])
def test_a_deadly_file_is_named_and_no_other_one_is_lost(jobs: int, deadly: list[int]) -> None:
    paths = numbered(100)
    bad = {paths[number] for number in deadly}
    starter = FakeStarter(FakeRunner(deadly=bad))
    reports = in_pool(paths, starter, jobs)
    assert [report.path for report in reports] == paths
    assert failures(reports) == dict.fromkeys(bad, DEATH)


def test_a_file_is_blamed_only_for_the_death_of_a_worker_that_had_nothing_else() -> None:
    paths = numbered(100)
    starter = FakeStarter(FakeRunner(once=[paths[10]]))
    assert failures(in_pool(paths, starter)) == {}
    runner = FakeRunner(deadly=[paths[10]])
    assert set(failures(in_pool(paths, FakeStarter(runner)))) == {paths[10]}
    assert max(Counter(runner.looked).values()) <= 3


def test_a_worker_answers_all_tasks_in_order_and_ends_with_them() -> None:
    writer, answers = TaskWriter(), BytesIO()
    runner = FakeRunner(size=40_000)  # two answers are more than is collected
    tasks = [list(files("a", "b", "c")), list(files("clean")), []]
    serve(runner, BytesIO(b"".join(framed(writer.packed(one)) for one in tasks) + b"\x01"), answers)
    first, *others = FrameBuffer().frames(answers.getvalue())
    assert (first, runner.looked) == (READY, ["a", "b", "c", "clean"])
    reports = [unpacked_report(path, one) for path, one in zip(runner.looked, others, strict=True)]
    assert [*failures(reports)] == ["a", "b", "c"]


@pytest.mark.parametrize("is_told", [True, False])
def test_a_fresh_worker_reads_its_runner_first_and_lets_nobody_else_write_answers(
    tmp_path: Path, is_told: bool
) -> None:
    begin = framed(pickle.dumps(FakeRunner())) + framed(TaskWriter().packed(list(files("a", "b"))))
    (tmp_path / "tasks").write_bytes(begin if is_told else b"")
    kept = os.dup(0), os.dup(1)
    try:
        for number, name in enumerate(("tasks", "answers")):
            opened = os.open(tmp_path / name, os.O_RDWR | os.O_CREAT)
            os.dup2(opened, number)
            os.close(opened)
        main()
        os.write(1, b"\n")
        left = os.read(0, 1)
    finally:
        for number, copy in enumerate(kept):
            os.dup2(copy, number)
            os.close(copy)
    frames = list(FrameBuffer().frames((tmp_path / "answers").read_bytes()))
    assert (left, len(frames), frames[:1]) == (b"", 3, [READY]) if is_told else not frames


@pytest.mark.parametrize("size", range(1, 12))
def test_frames_are_whole_however_they_arrive(size: int) -> None:
    payloads = [b"", b"a", b"bcd" * 9, b"", b"e"]
    data = b"".join(map(framed, payloads))
    buffer = FrameBuffer()
    assert [one for at in range(0, len(data), size) for one in buffer.frames(data[at : at + size])] == payloads


def test_settings_cross_once_and_stay_one() -> None:
    writer, reader = TaskWriter(), TaskReader()
    other = default_settings("/other")
    first = reader.files(writer.packed([*files("a", "b"), *files("c", settings=other)]))
    second_task = writer.packed(list(files("d")))
    (second,) = reader.files(second_task)
    assert [one.path for one in (*first, second)] == ["a", "b", "c", "d"]
    assert first[0].settings is first[1].settings is second.settings
    assert [one.settings.root for one in first] == [os.sep, os.sep, "/other"]
    assert b"excludes" not in second_task


def test_the_text_of_a_file_crosses_only_where_something_is_said_of_it() -> None:
    source = Source("a", "text " * 10)
    source.location(3)
    assert "_line_starts" in vars(source)
    assert packed_report(FileReport("a")) == b""
    assert unpacked_report("a", b"") == FileReport("a")
    finding = Diagnostic("a", "DEV101", "m", Span(0, 1), Location(1, 1), Location(1, 2))
    report = FileReport("a", (finding,), source=source, known=2)
    again = unpacked_report("a", packed_report(report))
    assert again == report
    assert "_line_starts" not in vars(again.source)
    quiet = unpacked_report("a", packed_report(FileReport("a", source=source, known=2)))
    assert quiet == FileReport("a", source=Source("a", ""), known=2)
    changed = FileReport("a", source=source, before_text="x", after_text="y")
    assert unpacked_report("a", packed_report(changed)) == changed


def test_what_waits_for_a_slow_file_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordered_results, "MOST_BYTES", 100_000)
    runner = FakeRunner(size=1000)
    starter = FakeStarter(runner)
    reports = Pool(runner, starter, 2).reports(files(*numbered(5000)))
    assert next(reports).path == "f00000"
    starter.held = 0
    done = len(runner.looked)
    looked_at_end = []
    for _ in reports:
        if starter.held is None:
            looked_at_end.append(len(runner.looked))
            break
    assert looked_at_end[0] - done < 500
    assert len(list(reports)) > 4000


def test_how_far_is_looked_ahead_is_bounded() -> None:
    taken = []

    def items() -> Iterator[Found]:
        for found in files(*numbered(20_000)):
            taken.append(found)
            yield found

    runner = FakeRunner()
    reports = Pool(runner, FakeStarter(runner), 2).reports(items())
    next(reports)
    assert len(taken) <= ordered_results.MOST_PLACES + 1
    reports.close()


@pytest.mark.parametrize("most_starts", [0, 1, 2])
def test_where_no_more_processes_can_be_had_the_work_is_done_all_the_same(most_starts: int) -> None:
    paths = numbered(200)
    starter = FakeStarter(FakeRunner(), most_starts)
    assert [report.path for report in in_pool(paths, starter, 4)] == paths
    assert len(starter.processes) == most_starts


@pytest.mark.parametrize("most_starts", [1, 2])
def test_what_killed_the_last_worker_is_not_tried_in_this_process(most_starts: int) -> None:
    paths = numbered(200)
    runner = FakeRunner(deadly=[paths[3], paths[60]])
    reports = in_pool(paths, FakeStarter(runner, most_starts), 2)
    assert [report.path for report in reports] == paths
    assert {paths[3], paths[60]} <= {*failures(reports), *(set(runner.looked) & {paths[60]})}
    assert paths[3] in failures(reports)


def test_workers_that_cannot_begin_are_not_started_for_ever() -> None:
    paths = numbered(50)
    starter = FakeStarter(FakeRunner(), dies_before_ready=True)
    reports = in_pool(paths, starter, 4)
    assert [report.path for report in reports] == paths
    assert failures(reports) == {}
    assert len(starter.processes) <= 4


def test_workers_end_with_those_who_want_no_more_reports() -> None:
    starter = FakeStarter(FakeRunner())
    reports = Pool(starter.runner, starter, 2).reports(files(*numbered(500)))
    next(reports)
    reports.close()
    assert starter.ended == len(starter.processes) == 2


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self, *steps: float) -> None:
        self.now = 0.0
        self.steps = iter(steps)
        self.is_running = False

    def __call__(self) -> float:
        if self.is_running:
            self.now += next(self.steps)
        self.is_running = not self.is_running
        return self.now


@pytest.mark.parametrize(
    ("steps", "count", "cpus", "here"),
    [
        ([5.0, *[0.001] * 99], 100, 2, 100),  # the first one pays for imports
        ([5.0, *[0.06] * 9], 10, 2, 3),
        ([0.02] * 100, 100, 2, 6),
        ([0.02] * 100, 100, 1, 100),
        ([0.02] * 11, 11, 2, 11),  # less is left than is done
        ([0.02] * 12, 12, 2, 6),
    ],
)
def test_processes_are_started_when_half_of_the_work_or_more_is_left(
    monkeypatch: pytest.MonkeyPatch, steps: list[float], count: int, cpus: int, here: int
) -> None:
    runner = FakeRunner()
    starter = FakeStarter(runner)
    monkeypatch.setattr(scheduler, "process_time", Clock(*steps))
    monkeypatch.setattr(start_methods, "usable_cpus", lambda: cpus)
    monkeypatch.setattr(start_methods, "pays_after", lambda: 0.1)
    monkeypatch.setattr(start_methods, "worker_starter", lambda _: starter)
    paths = numbered(count)
    assert [report.path for report in scheduler.reports(runner, files(*paths), None)] == paths
    assert runner.committed_files == paths
    assert sum(starter.tasks) == count - here


def test_known_reports_do_not_hide_the_work_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    runner = FakeRunner()
    starter = FakeStarter(runner)
    monkeypatch.setattr(start_methods, "worker_starter", lambda _: starter)
    items = [*(FileReport(path) for path in numbered(200, "known")), *files("a", "b", "c")]
    assert [one.path for one in scheduler.reports(runner, iter(items), 2)] == [one.path for one in items]
    assert sorted(path for path in runner.looked) == ["a", "b", "c"]
    assert starter.processes


def test_one_file_is_done_here_however_many_processes_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    runner = FakeRunner()
    monkeypatch.setattr(start_methods, "worker_starter", lambda _: pytest.fail("no process pays for one file"))
    assert [one.path for one in scheduler.reports(runner, files("a"), 8)] == ["a"]


def test_no_more_files_are_looked_for_than_workers_need(monkeypatch: pytest.MonkeyPatch) -> None:
    runner = FakeRunner()
    found: list[Found | FileReport] = []
    at_start: list[int] = []

    def starter(_: FakeRunner) -> None:
        at_start.append(len(found))

    def items() -> Iterator[Found | FileReport]:
        for item in [FileReport("known"), *files(*numbered(20))]:
            found.append(item)
            yield item

    monkeypatch.setattr(start_methods, "worker_starter", starter)
    assert len(list(scheduler._by_workers(runner, items(), 2, 3))) == 21
    assert at_start == [4]  # the known one is no work


@pytest.mark.parametrize(
    ("status", "words"), [(0, "exit code 0"), (3, "exit code 3"), (-9, "signal 9, SIGKILL"), (-250, "signal 250")]
)
def test_exit_statuses_in_words(status: int, words: str) -> None:
    assert described(status) == words


def test_an_interrupt_waits_while_a_process_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    def blocked() -> bool:
        return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())

    with no_interrupt():
        assert blocked()
    assert not blocked()
    with monkeypatch.context() as patch:
        patch.delattr(worker_process.signal, "pthread_sigmask")
        with no_interrupt():
            pass


def descriptors() -> set[str]:
    return set(os.listdir("/dev/fd"))


@pytest.mark.skipif(not hasattr(os, "fork") or not os.path.isdir("/dev/fd"), reason="the system has no fork")
@pytest.mark.parametrize("starter", [ForkStarter, SpawnStarter])
def test_real_processes_answer_and_leave_nothing_open(starter: type, tmp_path: Path) -> None:
    runner = Runner(ConfigFinder({}, isolated=True))
    paths = [tmp_path / f"{name}.py" for name in "abc"]
    for path in paths:
        path.write_text("import torch\nx = torch.zeros(2).cuda()\n")
    before = descriptors()
    items = (Found(str(path), str(path), default_settings(str(tmp_path)), False) for path in paths)
    reports = list(Pool(runner, starter(runner), 2).reports(items))
    assert [one.path for one in reports] == list(map(str, paths))
    assert [[each.code for each in one.diagnostics] for one in reports] == [["DEV101"]] * 3
    assert descriptors() <= before


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no signals")
def test_a_fresh_process_that_is_ended_says_how() -> None:
    starter = SpawnStarter(Runner(ConfigFinder({}, isolated=True)))
    assert starter.start().end() == described(-signal.SIGKILL)


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="the system does not list what is open")
def test_a_process_that_cannot_be_made_leaves_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def fork() -> int:
        raise OSError("no more processes")

    before = descriptors()
    monkeypatch.setattr(os, "fork", fork, raising=False)
    with pytest.raises(OSError, match="no more processes"):
        ForkStarter(FakeRunner()).start()
    assert descriptors() <= before


@pytest.mark.parametrize(("method", "kind"), [("fork", ForkStarter), ("spawn", SpawnStarter), (None, type(None))])
def test_what_starts_processes(monkeypatch: pytest.MonkeyPatch, method: str | None, kind: type) -> None:
    monkeypatch.setattr(start_methods, "method", lambda: method)
    assert type(start_methods.worker_starter(Runner(ConfigFinder({}, isolated=True)))) is kind


def test_a_fresh_process_is_begun_as_this_one_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spawn_workers, "sys", SimpleNamespace(
        flags=SimpleNamespace(utf8_mode=1, ignore_environment=1), warnoptions=["error"],
        dont_write_bytecode=True, executable="python", path=["/caf\u00e9"],
    ))  # fmt: skip
    program = "import sys; sys.path[:] = ['/caf\\xe9']; from devlint.engine.parallel.worker import main; main()"
    assert spawn_workers._command() == ["python", "-Xutf8=1", "-Werror", "-B", "-E", "-c", program]
    spawn_workers.sys.flags.ignore_environment = 0
    assert "-E" not in spawn_workers._command()


def test_rule_sets_are_made_anew_in_another_process() -> None:
    assert isinstance(pickle.loads(pickle.dumps(RuleSets())), RuleSets)


def test_a_process_with_threads_is_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start_methods.sys, "platform", "linux")
    monkeypatch.setattr(start_methods, "_threads", lambda: 1)
    assert start_methods.method() == ("fork" if hasattr(os, "fork") else "spawn")
    monkeypatch.setattr(start_methods.sys, "platform", "darwin")
    assert start_methods.method() == "spawn"
    monkeypatch.setattr(start_methods.sys, "platform", "linux")
    monkeypatch.setattr(start_methods, "_threads", lambda: 2)
    assert start_methods.method() == "spawn"
    monkeypatch.setattr(start_methods.sys, "frozen", True, raising=False)
    assert start_methods.method() is None
    assert start_methods.pays_after() == float("inf")


def test_threads_are_counted_where_the_system_does_not_list_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def listed(path: str) -> list[str]:
        raise FileNotFoundError(path)

    monkeypatch.setattr(start_methods.os, "listdir", listed)
    assert start_methods._threads() == threading.active_count()


@pytest.mark.parametrize(
    ("group", "limit", "cpus"),
    [
        ("1:name:/x\n0::/a/b\n", "/sys/fs/cgroup/a/b/cpu.max 150000 100000", 1.5),
        ("0::/\n", "/sys/fs/cgroup/cpu.max 200000 100000", 2.0),
        ("1:cpu:/x\n", "/sys/fs/cgroup/cpu.max 50000 100000", 0.5),
        ("0::/\n", "/sys/fs/cgroup/cpu.max max 100000", 16),
        ("0::/\n", "/sys/fs/cgroup/cpu.max 1 0", 16),
        ("0::/\n", "/elsewhere 1 1", 16),
    ],
)
def test_the_time_that_a_container_has(monkeypatch: pytest.MonkeyPatch, group: str, limit: str, cpus: float) -> None:
    place, _, time = limit.partition(" ")
    files = {"/proc/self/cgroup": group, place: time}

    def opened(path: str, encoding: str) -> StringIO:
        if path not in files:
            raise FileNotFoundError(path)
        return StringIO(files[path])

    with monkeypatch.context() as patch:
        patch.setattr(start_methods, "open", opened, raising=False)
        assert start_methods._quota() == cpus
    assert start_methods._quota() > 0


@pytest.mark.parametrize(("quota", "cpus"), [(0.5, 1), (1.5, 2), (64, 4)])
def test_cpus_are_those_that_the_container_has_the_time_of(
    monkeypatch: pytest.MonkeyPatch, quota: float, cpus: int
) -> None:
    monkeypatch.setattr(start_methods.os, "process_cpu_count", lambda: 4, raising=False)
    monkeypatch.setattr(start_methods, "_quota", lambda: quota)
    assert start_methods.usable_cpus() == cpus
