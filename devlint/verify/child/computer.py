"""In the child: sets up the devices that the program sees, real, simulated or none."""

from __future__ import annotations

import hashlib
import os
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch

from devlint.verify.child.operator_counter import OperatorCounter
from devlint.verify.child.random_replay import CopyCounter, RandomReplay
from devlint.verify.comparing.memory_amounts import ALWAYS_COUNTED
from devlint.verify.sim.after_import import when_imported
from devlint.verify.simulation import Simulation, child_environment, install

SEED = 1234


class Computer:
    """The devices that the program sees, with their counters."""

    def __init__(self, simulation: Simulation | None, modes: list[Any]) -> None:
        self._simulation = simulation
        self._modes = modes

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count while the program runs."""
        for mode in self._modes:
            mode.__enter__()
        try:
            yield
        finally:
            for mode in reversed(self._modes):
                mode.__exit__(None, None, None)

    def uncounted(self) -> AbstractContextManager[None]:
        """Pause counting, while the harness reads tensors."""
        return self._simulation.counters.paused() if self._simulation else nullcontext()

    def copies(self) -> dict[str, int]:
        """Number of copies between devices, by direction, and of synchronizations."""
        if self._simulation:
            counters = self._simulation.counters
            return {**counters.copies, "sync": counters.synchronizations}
        for mode in self._modes:
            if isinstance(mode, CopyCounter):
                return dict(mode.copies)
        return {}

    def operators(self) -> dict[str, int]:
        """Number of calls of each operator, by dtype and device of its result."""
        found: dict[str, int] = self._modes[-1].counts
        return found

    def operator_lines(self) -> dict[str, str]:
        """Where the program first called each operator."""
        found: dict[str, str] = self._modes[-1].lines
        return found

    def sites(self) -> dict[str, int]:
        """Number of copies and synchronizations for each line of the program."""
        sites = self._simulation.counters.sites if self._simulation else {}
        return {f"{kind} {os.path.basename(name)}:{line}": count for (kind, name, line), count in sites.items()}

    def memory_counters_were_read(self) -> bool:
        """Whether the program has asked how much memory of a simulated device is used."""
        if self._simulation is None:
            return False
        from devlint.verify.sim import memory_counters

        return memory_counters.were_read()

    def random_states(self) -> dict[str, str]:
        """A digest of the state of each generator of random numbers."""
        states = {"torch": bytes(torch.get_rng_state().tolist()), "python": repr(random.getstate()).encode()}
        if "numpy" in sys.modules:
            import numpy

            state: Any = numpy.random.get_state(legacy=True)
            states["numpy"] = state[1].tobytes() + repr(state[2:]).encode()
        if not self._simulation and torch.cuda.is_available() and torch.cuda.is_initialized():
            for index in range(torch.cuda.device_count()):
                states[f"cuda:{index}"] = bytes(torch.cuda.get_rng_state(index).tolist())
        return {name: hashlib.sha1(state).hexdigest()[:16] for name, state in states.items()}


def prepare(setting: dict[str, Any]) -> Computer:
    """Set up this process as the setting says."""
    simulation: Simulation | None = None
    modes: list[Any] = []
    if setting["name"] == "cpu":
        hide_accelerators()
    elif setting["name"] == "simulated":
        simulation = install(setting["devices"], "shared", trace=True)
        from devlint.verify.sim import memory_counters

        memory_counters.say_always(ALWAYS_COUNTED)
        os.environ.update(child_environment(setting["devices"], "shared"))
    else:
        _make_repeatable()
        modes.append(CopyCounter())
        if setting["replay"]:
            torch.backends.cudnn.enabled = False  # its dropout inside recurrent layers draws numbers of its own
            modes.append(RandomReplay())
    if not setting["autocast"]:
        _switch_autocast_off()
    if hasattr(getattr(torch, "compiler", None), "set_stance"):
        # What it compiles to differs between devices.
        when_imported("torch._dynamo", lambda: torch.compiler.set_stance("force_eager"))
    torch.set_num_threads(1)
    seed()
    modes.append(OperatorCounter())
    return Computer(simulation, modes)


def seed() -> None:
    """Seed every random number generator."""
    random.seed(SEED)
    torch.manual_seed(SEED)
    if "numpy" in sys.modules:
        import numpy

        numpy.random.seed(SEED)


def hide_accelerators() -> None:
    """Hide all accelerators from this process and the processes it starts."""
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    nothing: dict[str, Callable[..., Any]] = {"is_available": lambda: False, "device_count": lambda: 0}
    for name in ("cuda", "xpu", "mtia"):
        module = getattr(torch, name, None)
        if module is not None and module.is_available():
            for function, answer in nothing.items():
                setattr(module, function, answer)
    if torch.backends.mps.is_available():
        setattr(torch.backends.mps, "is_available", nothing["is_available"])  # noqa: B010
    accelerator: Any = getattr(torch, "accelerator", None)
    if accelerator is not None and accelerator.is_available():
        accelerator.is_available, accelerator.device_count = nothing["is_available"], nothing["device_count"]
        accelerator.current_accelerator = lambda check_available=False: None


def _make_repeatable() -> None:
    """Use deterministic algorithms and full precision on a real accelerator."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.backends.cudnn.benchmark = False
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False


def _switch_autocast_off() -> None:
    plain: Any = torch.amp.autocast_mode.autocast.__init__

    def off(self: Any, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: Any = None) -> None:
        plain(self, device_type, dtype, False, cache_enabled)

    torch.amp.autocast_mode.autocast.__init__ = off  # type: ignore[method-assign]
    if hasattr(torch.amp, "GradScaler"):
        _switch_scaling_off()


def _switch_scaling_off() -> None:
    """Disable GradScaler: a loss is scaled on a GPU and not on the CPU."""
    plain: Any = torch.amp.GradScaler.__init__

    def off(self: Any, *args: Any, **kwargs: Any) -> None:
        plain(self, *args, **kwargs)
        self._enabled = False

    torch.amp.GradScaler.__init__ = off  # type: ignore[method-assign]
