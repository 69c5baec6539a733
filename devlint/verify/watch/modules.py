"""What the mode does not see of modules, custom functions, backward passes and threads."""

from __future__ import annotations

import functools
import inspect
import sys
import threading
import weakref
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

from devlint.verify.sim.patches import Patches
from devlint.verify.watch.mending import on_two_devices
from devlint.verify.watch.notes import Notes
from devlint.verify.watch.origins import MARK, SOURCE, Tensor, replaced, tensors_among
from devlint.verify.watch.watcher import Watcher

_Module = torch.nn.Module
_SIMULATOR = "devlint.verify.sim."


def watch_modules(patches: Patches, watcher: Watcher) -> None:
    """Patch all of it."""
    _watch_registration(patches, watcher, LateParameters(watcher))
    _watch_custom_functions(patches, watcher)
    _watch_backward(patches, watcher)
    _watch_threads(patches, watcher)
    _watch_data_parallel(patches, watcher)
    _keep_marks_out_of_files(patches)


class LateParameters:
    """Parameters that get gradients and are in no optimizer, since they were made after it."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._optimizers = 0
        self._waiting: dict[int, tuple[weakref.ref[Any], tuple[Any, str]]] = {}
        self._gradients: dict[tuple[int, int], tuple[Any, int]] = {}
        """By optimizer and parameter, the gradient that it had at the optimizer's last step, and its version."""
        register_optimizer_step_post_hook(self._step)

    @property
    def _notes(self) -> Notes:
        return self._watcher.notes

    def registered(self, name: str, parameter: Any) -> None:
        """A module has got a parameter."""
        if self._optimizers:
            place = self._watcher.code.place(sys._getframe(2))
            self._waiting[id(parameter)] = weakref.ref(parameter), (place, name)

    def grouped(self, parameters: Any) -> None:
        """An optimizer has got parameters."""
        self._optimizers += 1
        for parameter in tensors_among(parameters):
            waiting = self._waiting.pop(id(parameter), None)
            if waiting is not None:
                self._notes.late_parameters.pop(waiting[1], None)

    def _step(self, optimizer: Any, *_: Any) -> None:
        for number, (reference, key) in list(self._waiting.items()):
            parameter = reference()
            if parameter is None:
                del self._waiting[number]
                for known in [known for known in self._gradients if known[1] == number]:
                    del self._gradients[known]
            elif self._trains(optimizer, parameter):
                self._notes.late_parameters[key] = self._notes.late_parameters.get(key, 0) + 1

    def _trains(self, optimizer: Any, parameter: Any) -> bool:
        """Whether a parameter got a gradient since the last step of an optimizer, which has others of its program."""
        gradient = parameter.grad
        if gradient is None:
            return False
        before = self._gradients.get((id(optimizer), id(parameter)))
        self._gradients[id(optimizer), id(parameter)] = gradient, gradient._version
        return before is not None and (before[0] is not gradient or before[1] != gradient._version)


def _watch_registration(patches: Patches, watcher: Watcher, late: LateParameters) -> None:
    plain_parameter, plain_buffer = _Module.register_parameter, _Module.register_buffer
    plain_group = torch.optim.Optimizer.add_param_group

    @functools.wraps(plain_parameter)
    def register_parameter(self: Any, name: str, param: Any) -> None:
        plain_parameter(self, name, param)
        if isinstance(param, Tensor):
            if param.is_cpu:
                watcher.origins.adopt(param, sys._getframe(1))
            late.registered(name, param)

    @functools.wraps(plain_buffer)
    def register_buffer(self: Any, name: str, tensor: Any, persistent: bool = True) -> None:
        plain_buffer(self, name, tensor, persistent)
        if isinstance(tensor, Tensor) and tensor.is_cpu:
            watcher.origins.adopt(tensor, sys._getframe(1))

    @functools.wraps(plain_group)
    def add_param_group(self: Any, param_group: dict[str, Any]) -> None:
        plain_group(self, param_group)
        late.grouped(self.param_groups[-1]["params"])

    patches.set(_Module, "register_parameter", register_parameter)
    patches.set(_Module, "register_buffer", register_buffer)
    patches.set(torch.optim.Optimizer, "add_param_group", add_param_group)


def _watch_custom_functions(patches: Patches, watcher: Watcher) -> None:
    """Where a custom function met, its inputs move, so that its gradients are on the device too."""
    # Not `apply.__func__`, which there is none of since torch 2.14: it is a method of C there.
    own: Any = inspect.getattr_static(torch.autograd.Function, "apply")

    def plain(cls: Any, *args: Any, **kwargs: Any) -> Any:
        return own.__get__(None, cls)(*args, **kwargs)

    def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        if _is_simulators(cls) or not on_two_devices(tensors_among(args)):
            return plain(cls, *args, **kwargs)
        before = watcher.notes.total()
        result = plain(cls, *args, **kwargs)
        if watcher.notes.total() == before:
            return result
        tensors = tensors_among(args)
        device = next(tensor.device for tensor in tensors if not tensor.is_cpu)
        with torch._C.DisableTorchFunction():  # these moves are not the program's
            moved = {id(tensor): tensor.to(device) for tensor in tensors if tensor.is_cpu and tensor.dim()}
        return plain(cls, *replaced(args, moved), **kwargs)

    patches.set(torch.autograd.Function, "apply", classmethod(apply))


def _is_simulators(function: Any) -> bool:
    """Whether a custom function is one of which the simulated GPU is made, and no concern of the program's."""
    return str(function.__module__).startswith(_SIMULATOR)


def _watch_backward(patches: Patches, watcher: Watcher) -> None:
    """The user's code in ``backward``: custom functions, hooks, recomputation."""
    import torch.autograd.function
    import torch.autograd.graph

    engine: Any = torch.autograd.function.BackwardCFunction
    plain_apply, plain_hook = engine.apply, Tensor.register_hook
    plain_saved: Any = torch.autograd.graph.saved_tensors_hooks.__init__

    def init(self: Any, pack_hook: Any, unpack_hook: Any) -> None:
        plain_saved(self, pack_hook, watcher.watched(unpack_hook))

    watched_apply = watcher.watched(plain_apply)

    def apply(self: Any, *args: Any) -> Any:
        return (plain_apply if _is_simulators(self._forward_cls) else watched_apply)(self, *args)

    patches.set(engine, "apply", apply)
    patches.set(Tensor, "register_hook", lambda self, hook: plain_hook(self, watcher.watched(hook)))
    patches.set(torch.autograd.graph.saved_tensors_hooks, "__init__", init)


def _watch_threads(patches: Patches, watcher: Watcher) -> None:
    plain: Any = threading.Thread._bootstrap_inner  # type: ignore[attr-defined]
    patches.set(threading.Thread, "_bootstrap_inner", lambda self: watcher.watched(plain)(self))


def _watch_data_parallel(patches: Patches, watcher: Watcher) -> None:
    """``DataParallel`` checks the devices of its parameters itself."""
    plain = torch.nn.DataParallel.forward

    @functools.wraps(plain)
    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return plain(self, *args, **kwargs)
        except RuntimeError as error:
            if "module must have its parameters" not in str(error) or not watcher.mends:
                raise
        device = torch.device("cuda", self.device_ids[0])
        for tensor in (*self.module.parameters(), *self.module.buffers()):
            if tensor.is_cpu:
                watcher.met("DataParallel.forward", tensor, device, sys._getframe(1))
        self.module.to(device)
        return plain(self, *args, **kwargs)

    patches.set(torch.nn.DataParallel, "forward", forward)


def _keep_marks_out_of_files(patches: Patches) -> None:
    plain: Any = torch._utils._get_obj_state

    def state_of(value: Any) -> Any:
        state = plain(value)
        if not isinstance(value, Tensor):
            return state
        if isinstance(state, dict):
            return _without_marks(state)
        if isinstance(state, tuple) and state and isinstance(state[0], dict):
            return (_without_marks(state[0]), *state[1:])
        return state

    patches.set(torch._utils, "_get_obj_state", state_of)


def _without_marks(state: dict[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in state.items() if name not in (MARK, SOURCE)}
