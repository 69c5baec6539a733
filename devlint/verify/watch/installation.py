"""Starts watching in this process, as the environment says, and writes what was seen when it ends."""

from __future__ import annotations

import atexit
import json
import multiprocessing.util
import os
import sys
import threading
from types import CodeType, FrameType
from typing import Any

from devlint.verify.sim.patches import Patches
from devlint.verify.simulation import OBSERVE
from devlint.verify.watch.constructors import watch_constructors
from devlint.verify.watch.modules import watch_modules
from devlint.verify.watch.notes import Notes
from devlint.verify.watch.places import UserCode
from devlint.verify.watch.watcher import Watcher


def watch(wish: dict[str, Any] | None = None) -> Watcher:
    """Watch this process and those that it forks, as the environment says if there is no wish."""
    wish = wish or json.loads(os.environ[OBSERVE])
    code = UserCode(wish["paths"])
    notes = Notes(wish["folder"], code)
    watcher = Watcher(code, notes, wish["mends"], wish["folder"] is None)
    patches = Patches()
    watch_constructors(patches, watcher)
    watch_modules(patches, watcher)
    if wish["functions"]:
        _watch_functions(watcher)
    if wish["folder"] is not None:
        notes.save()  # that there is this process, however it ends
        _save_at_end(notes)
    watcher.__enter__()
    return watcher


def _save_at_end(notes: Notes) -> None:
    """Write what was seen however the process ends, and in forked ones too."""
    atexit.register(notes.save)
    plain_exit, plain_hook = os._exit, sys.excepthook

    def leave(status: int) -> Any:
        notes.save()
        plain_exit(status)

    def report(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        notes.error = ": ".join(filter(None, (kind.__name__, str(error))))[:500]
        plain_hook(kind, error, trace)

    def forked() -> None:
        notes.clear()

    os._exit = leave
    sys.excepthook = report
    os.register_at_fork(after_in_child=forked)
    multiprocessing.util.register_after_fork(notes, _save_worker)


def _save_worker(notes: Notes) -> None:
    """Have a worker of multiprocessing write what it has seen; it ends without what atexit would do."""
    multiprocessing.util.Finalize(None, notes.save, exitpriority=100)


def _watch_functions(watcher: Watcher) -> None:
    """Note which functions run."""
    if sys.version_info >= (3, 12):
        _monitor(watcher)
        return
    if sys.gettrace() is not None:
        return

    def trace(frame: FrameType, event: str, argument: object) -> None:
        watcher.notes.ran.add(frame.f_code)

    def resume() -> None:
        # Python stops to trace for good where the program recurses too deep just as `trace` is called.
        if sys.gettrace() is None:
            sys.settrace(trace)

    threading.settrace(trace)
    sys.settrace(trace)
    watcher.resume_tracing = resume


def _monitor(watcher: Watcher) -> None:
    """The same where Python calls back only once for each function."""
    monitoring: Any = getattr(sys, "monitoring")  # noqa: B009

    def started(code: CodeType, _offset: int) -> Any:
        watcher.notes.ran.add(code)
        return monitoring.DISABLE

    for number in (3, 4, 2, 1):
        if monitoring.get_tool(number) is None:
            monitoring.use_tool_id(number, "devlint")
            monitoring.register_callback(number, monitoring.events.PY_START, started)
            monitoring.set_events(number, monitoring.events.PY_START)
            return
