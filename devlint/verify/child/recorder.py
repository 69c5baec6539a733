"""In the child: records every forward, backward and optimizer step of the program, and its warnings."""

from __future__ import annotations

import functools
import logging
import os
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.overrides import has_torch_function_unary

from devlint.verify.child.tensor_values import Record, Values
from devlint.verify.child.variables import outline
from devlint.verify.sim.program_frames import is_of_a_library, program_place

MOST = 20_000
"""Most events that are recorded; further ones are only counted."""
_DEEPEST = 6
_MOST_THREADS = 100


class Recorder:
    """Records the main thread of the main process only: the order of other threads varies."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._busy = False
        self._home = os.getpid(), threading.get_ident()
        self.events: list[list[Any]] = []
        self.count = 0
        self.warnings: list[list[str]] = []
        self.autocast = False
        self.thread_errors: list[list[str]] = []
        self.logged: list[str] = []

    def install(self) -> None:
        """Install the hooks."""
        torch.nn.modules.module.register_module_forward_hook(self._forward)
        register_optimizer_step_post_hook(self._step)
        plain = torch.Tensor.backward

        def backward(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
            if not has_torch_function_unary(tensor):  # a default device is a mode, which calls this once more
                self._note("backward", "loss", tensor)
            return plain(tensor, *args, **kwargs)

        torch.Tensor.backward = backward  # type: ignore[method-assign, assignment]
        self._watch_autocast()
        self._watch_seeds()
        self._watch_schedules()
        self._watch_saving()
        self._watch_logging()
        warnings.showwarning = self._warning
        self._watch_threads()

    def stop(self) -> None:
        """Stop recording."""
        self._busy = True

    def found(self) -> dict[str, Any]:
        """All that was recorded."""
        names = ("events", "count", "warnings", "autocast", "thread_errors", "logged")
        return {name: getattr(self, name) for name in names}

    def _watch_autocast(self) -> None:
        plain: Any = torch.amp.autocast_mode.autocast.__enter__

        def enter(context: Any) -> Any:
            self.autocast = True
            return plain(context)

        torch.amp.autocast_mode.autocast.__enter__ = enter  # type: ignore[method-assign]

    def _watch_threads(self) -> None:
        """Record the errors of which threads die, after which the program goes on."""
        plain = threading.excepthook

        def died(error: Any) -> None:
            if len(self.thread_errors) < _MOST_THREADS:
                self.thread_errors.append([error.exc_type.__name__, str(error.exc_value)[:500]])
            plain(error)

        threading.excepthook = died

    def _watch_seeds(self) -> None:
        """Record seeds of devices as events: with one shared stream they do not change the numbers."""
        for name in ("manual_seed", "manual_seed_all"):
            setattr(torch.cuda, name, self._noting_seed(getattr(torch.cuda, name)))

    def _watch_schedules(self) -> None:
        """Record steps of schedulers, and updates of the scale of a loss, which leave no trace until they are used."""
        schedulers: list[Any] = list(vars(torch.optim.lr_scheduler).values())
        for scheduler in schedulers:
            if isinstance(scheduler, type) and "step" in vars(scheduler):
                scheduler.step = self._noted(scheduler.step, "schedule")  # type: ignore[attr-defined]
        scaler: Any = torch.amp.GradScaler
        scaler.update = self._noted(scaler.update, "scale")

    def _noted(self, plain: Any, kind: str) -> Any:
        @functools.wraps(plain)
        def noted(instance: Any, *args: Any, **kwargs: Any) -> Any:
            self._note(kind, type(instance).__name__, ())
            return plain(instance, *args, **kwargs)

        return noted

    def _watch_saving(self) -> None:
        """Record what ``torch.save`` writes, and the devices of the tensors in it."""
        plain: Any = torch.save

        @functools.wraps(plain)
        def save(value: Any, file: Any, *args: Any, **kwargs: Any) -> Any:
            name = os.path.basename(file) if isinstance(file, (str, os.PathLike)) else type(file).__name__
            self._note("saving", str(name), value, lambda: [outline(value)])
            return plain(value, file, *args, **kwargs)

        torch.save = save  # type: ignore[assignment]

    def _watch_logging(self) -> None:
        """Record what the program itself logs."""
        plain = logging.Logger.handle

        def handle(logger: logging.Logger, record: logging.LogRecord) -> None:
            if self._is_at_home() and len(self.logged) < MOST and not is_of_a_library(record.pathname):
                with suppress(Exception):  # a message that cannot be made is told by who shows it
                    self.logged.append(f"{record.levelname} {record.getMessage()}"[:2000])
            plain(logger, record)

        logging.Logger.handle = handle  # type: ignore[method-assign, assignment]

    def _is_at_home(self) -> bool:
        return not self._busy and self._home == (os.getpid(), threading.get_ident())

    def _noting_seed(self, plain: Any) -> Any:
        def seed(number: int) -> None:
            if self._is_at_home():
                self.events.append(["seed", f"a device with {number}", [], program_place()])
            plain(number)

        return seed

    def _forward(self, module: Any, inputs: Any, output: Any) -> None:
        if not torch.jit.is_tracing():  # type: ignore[attr-defined]
            self._note("forward", type(module).__name__, output)

    def _step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        self._note("step", type(optimizer).__name__, [group["params"] for group in optimizer.param_groups])

    def _note(self, kind: str, name: str, value: Any, more: Callable[[], list[Any]] = list) -> None:
        if not self._is_at_home():
            return
        self._busy = True
        try:
            self.count += 1
            if len(self.events) < MOST:
                records = [self._record(tensor) for tensor in tensors(value)]
                self.events.append([kind, name, records, program_place(), *more()])
        finally:
            self._busy = False

    def _record(self, tensor: torch.Tensor) -> Record:
        try:
            return self._values.record(tensor)
        except Exception as error:  # a kind of tensor with no numbers of its own, such as one inside vmap
            return {"shape": [], "dtype": type(error).__name__, "device": "?", "digest": "?", "sums": [0.0, 0.0]}

    def _warning(self, message: Any, category: Any, *place: Any, **more: Any) -> None:
        if len(self.warnings) < 1000:
            self.warnings.append([category.__name__, str(message)[:200]])


def tensors(value: Any, depth: int = 0) -> Iterator[torch.Tensor]:
    """The tensors in what a module returned."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (torch.nn.Module, torch.optim.Optimizer)):
        yield from tensors(value.state_dict(), depth)
    elif depth < _DEEPEST and isinstance(value, (list, tuple)):
        for part in value:
            yield from tensors(part, depth + 1)
    elif depth < _DEEPEST and isinstance(value, dict):
        for part in value.values():
            yield from tensors(part, depth + 1)
