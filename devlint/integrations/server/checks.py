"""When which file is looked at: once no key was pressed for a moment, in a thread, and no longer than anybody waits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from devlint.core.errors import ConfigError, Stopped
from devlint.core.record import Record
from devlint.engine.report import FileReport
from devlint.integrations.server.buffers import Open
from devlint.integrations.server.findings import Finding, findings_in
from devlint.integrations.server.linter import Linter, Look
from devlint.integrations.server.session import EditorSession

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.engine.request import FixChoice

_STACK = 64 * 1024 * 1024
"""Bytes for the thread that parses; some systems give threads too few for programs that are nested deeply."""

T = TypeVar("T")
State = tuple[int, ...]


class Checked(Record):
    """What was found in one state of something that is open."""

    state: State
    findings: tuple[Finding, ...] = ()
    look: Look | None = None
    """None where it is nothing to look at, or could not be looked at."""
    problem: ConfigError | None = None
    """What is wrong with its configuration."""


class _Job:
    """One look, and how many wait for it."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.stop = threading.Event()
        self.waiting = 0
        self.future: asyncio.Future[Look | ConfigError]


class Checks:
    """Looks at what is open, one after the other."""

    def __init__(self, session: EditorSession, publish: Callable[[Open, Checked], None]) -> None:
        """``publish`` is called with what was found, where it is still true."""
        self._session = session
        self._publish = publish
        self._executor = ThreadPoolExecutor(1, "devlint")
        self._ready = asyncio.Event()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._jobs: dict[str, _Job] = {}
        self._known: dict[str, Checked] = {}
        self._round = 0

    def begin(self) -> None:
        """Look at things from now on: the settings are known."""
        self._ready.set()

    def warm_up(self, linter: Linter) -> None:
        """Import what looking needs, before anything is open."""
        usual = threading.stack_size(_STACK)
        self._executor.submit(linter.warm_up)
        threading.stack_size(usual)

    def schedule(self, opened: Open, delay: float = 0) -> None:
        """Look at something in ``delay`` seconds, and not as it was before."""
        self.cancel(opened.uri)
        self._tasks[opened.uri] = asyncio.ensure_future(self._after(opened, delay))

    def cancel(self, uri: str) -> None:
        """Look at something no longer."""
        task = self._tasks.pop(uri, None)
        if task is not None:
            task.cancel()

    def again(self) -> None:
        """Look at everything again: settings, configurations or other files may have changed."""
        self._round += 1
        for opened in list(self._session.opened.values()):
            self.schedule(opened)

    def close(self, uri: str) -> None:
        """Forget something that was closed."""
        self.cancel(uri)
        self._known.pop(uri, None)

    def end(self) -> None:
        """Stop everything."""
        for uri in list(self._tasks):
            self.cancel(uri)
        for job in self._jobs.values():
            job.stop.set()
        self._executor.shutdown(wait=False, cancel_futures=True)

    def state_of(self, opened: Open) -> State:
        """Another one whenever something else may be found in it."""
        return (self._round, *opened.state)

    def known(self, opened: Open) -> Checked | None:
        """What was found in something as it is, if it was looked at."""
        found = self._known.get(opened.uri)
        return found if found is not None and found.state == self.state_of(opened) else None

    async def current(self, opened: Open) -> Checked:
        """What is found in something as it is."""
        await self._ready.wait()
        state = self.state_of(opened)
        return self.known(opened) or await self._found(opened, state)

    async def fixed(self, opened: Open, chooses: FixChoice | None = None) -> FileReport | None:
        """What fixes make of something; None where it is nothing to look at, or its configuration is wrong."""
        session = self._session
        path = opened.path(session.folder_of(opened))
        if path is None:
            return None
        linter, contents, stop = session.linter_of(opened), opened.contents, threading.Event()

        def work() -> FileReport | None:
            linter.stop = stop
            try:
                return linter.fixed(path, contents, chooses)
            except (ConfigError, Stopped):
                return None

        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, work)
        finally:
            stop.set()

    async def in_thread(self, work: Callable[[], T]) -> T:
        """What some work gives that needs LibCST."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)

    async def _after(self, opened: Open, delay: float) -> None:
        await asyncio.sleep(delay)
        checked = await self.current(opened)
        if checked.state == self.state_of(opened):
            self._publish(opened, checked)

    async def _found(self, opened: Open, state: State) -> Checked:
        """Look, or wait for a look that somebody else waits for."""
        settings = self._session.settings_of(opened)
        path = opened.path(self._session.folder_of(opened))
        if path is None or not settings.enable:
            return Checked(state)
        job = self._jobs.get(opened.uri)
        if job is None or job.state != state or job.stop.is_set():
            job = self._jobs[opened.uri] = self._started(opened, path, state)
        found = await self._result(opened.uri, job)
        if isinstance(found, ConfigError):
            checked = Checked(state, problem=found)
        else:
            # What has changed meanwhile has other places; nobody is told of these.
            is_same = state == self.state_of(opened)
            places = findings_in(found.report, opened, settings.show_syntax_errors) if is_same else ()
            checked = Checked(state, tuple(places), found)
        self._known[opened.uri] = checked
        return checked

    def _started(self, opened: Open, path: str, state: State) -> _Job:
        job = _Job(state)
        linter, contents, stop = self._session.linter_of(opened), opened.contents, job.stop

        def work() -> Look | ConfigError:
            linter.stop = stop
            try:
                return linter.look(path, contents)
            except ConfigError as error:
                return error
            except Stopped:
                raise asyncio.CancelledError from None

        job.future = asyncio.get_running_loop().run_in_executor(self._executor, work)
        return job

    async def _result(self, uri: str, job: _Job) -> Look | ConfigError:
        """What a look gives; it ends early once nobody waits for it."""
        job.waiting += 1
        try:
            return await asyncio.shield(job.future)
        finally:
            job.waiting -= 1
            if not job.waiting:
                job.stop.set()
                job.future.cancel()
                if self._jobs.get(uri) is job:
                    del self._jobs[uri]
