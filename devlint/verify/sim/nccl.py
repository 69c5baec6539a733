"""The nccl backend of torch.distributed, over gloo."""

from __future__ import annotations

import atexit
import operator
import types
import weakref
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch.utils._pytree import tree_map

from devlint.verify.errors import SimulationError
from devlint.verify.sim.operators.collectives import on_cpu
from devlint.verify.sim.operators.nccl_refusals import (
    refuse_layouts,
    refuse_shared_card,
    refuse_sizes,
    refuse_unknown_types,
)
from devlint.verify.sim.operators.reductions import collected_tensors, reduce_as_nccl
from devlint.verify.sim.patches import Patches

_COLLECTIVES = (
    "allreduce broadcast allgather reduce gather scatter reduce_scatter alltoall send recv _allgather_base "
    "_reduce_scatter_base alltoall_base allreduce_coalesced"
).split()
_OTHER_NAMES = {
    "all_gather_single": "_allgather_base",
    "all_to_all_single": "alltoall_base",
    "reduce_scatter_single": "_reduce_scatter_base",
}
"""Names in newer versions of torch, which gloo has under the older ones."""
_FLAT = ("_allgather_base", "_reduce_scatter_base")
"""Collectives that see memory where gloo sees rows."""
_ONE_BY_ONE = {
    "all_gather_single_coalesced": "_allgather_base",
    "allgather_into_tensor_coalesced": "_allgather_base",
    "reduce_scatter_single_coalesced": "_reduce_scatter_base",
    "reduce_scatter_tensor_coalesced": "_reduce_scatter_base",
}
"""Collectives of several tensors, which gloo only has for one."""


class Options:
    """``ProcessGroupNCCL.Options``."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._timeout = timedelta(minutes=5)
        self.is_high_priority_stream = False
        self.global_ranks_in_group: list[int] = []
        self.group_name = ""


def _takes_cpu(group: Any) -> bool:
    """Whether a group has a backend for the CPU beside nccl."""
    c10d: Any = dist.distributed_c10d
    config: str = c10d._world.pg_backend_config.get(group, "cuda:nccl")
    return "cpu:" in config


def _device_types(group: Any) -> list[torch.device]:
    """Where the tensors are that carry Python objects: on the CPU only if the group has a backend for it."""
    return [torch.device(name) for name in (("cpu", "cuda") if _takes_cpu(group) else ("cuda",))]


def _is_for_nccl(group: Any, tensors: list[torch.Tensor]) -> bool:
    """Whether nccl does a collective, and not the group's backend for the CPU; refuses what it does not take."""
    for tensor in tensors:
        if not tensor.is_cuda:
            if _takes_cpu(group):
                return False
            raise RuntimeError(f"No backend type associated with device type {tensor.device.type}")
    refuse_unknown_types(tensors)
    return True


def _collective(name: str) -> Callable[..., Any]:
    def collective(self: Any, *args: Any, **kwargs: Any) -> Any:
        by_nccl = _is_for_nccl(self, list(collected_tensors(args)))
        placed = [on_cpu(value) for value in args]
        if by_nccl:
            _check(self, name, args)
        if by_nccl and name == "allgather" and len({part.shape for part in args[0][0]}) > 1:
            return _gather_parts(self, *placed[:2])
        if name in _FLAT:
            placed[:2] = [tensor.view(-1) for tensor in placed[:2]]
        finish = reduce_as_nccl(placed, self.rank(), self.size()) if by_nccl and "reduce" in name else None
        if "reduce" not in name:
            placed = [tree_map(_as_bytes, value) for value in placed]
        work = getattr(self.gloo, name)(*placed, **kwargs)
        if finish is not None:
            work = _finished(work, finish)
        if self.coalesced is not None:
            self.coalesced.append(work)
        return work

    return collective


def _check(group: Any, name: str, arguments: tuple[Any, ...]) -> None:
    """Raise nccl's errors about the tensors of a collective, and of where the processes have them."""
    tensors = list(collected_tensors(arguments))
    refuse_layouts(name, tensors, arguments)
    if name in _FLAT:
        refuse_sizes(name, group.size(), *arguments[:2])
    if tensors and name not in ("send", "recv") and not group.is_checked:
        group.is_checked = True
        refuse_shared_card(group.gloo, group.rank(), group.size(), tensors[0].device)


def _gather_parts(group: Any, outputs: Any, inputs: Any) -> Any:
    """Gather tensors of different sizes, which gloo does not, each by a broadcast as nccl does."""
    for rank, output in enumerate(outputs[0]):
        if rank == group.rank():
            output.copy_(inputs[0].view_as(output))
        options = dist.BroadcastOptions()
        options.rootRank, options.rootTensor = rank, 0
        work = group.gloo.broadcast([output], options)
        work.wait()
    return work


def _finished(work: Any, finish: Callable[[], None]) -> Any:
    """The work that is done with the rest of it, in place of gloo's, whose wait writes the result once more."""
    work.wait()
    finish()
    future: Any = torch.futures.Future()
    future.set_result(None)
    c10d: Any = torch._C._distributed_c10d
    return c10d._create_work_from_future(future)


def _as_bytes(value: Any) -> Any:
    """A tensor of eight-bit floats, which gloo does not know, as one of bytes, which can be sent."""
    is_float8 = isinstance(value, torch.Tensor) and value.itemsize == 1 and value.is_floating_point()
    return value.view(torch.uint8) if is_float8 else value


def _start_coalescing(group: Any, device: Any) -> None:
    group.coalesced = []


def _end_coalescing(group: Any, device: Any) -> Any:
    """The work of the last collective since the start, when the others are done."""
    works, group.coalesced = group.coalesced, None
    for work in works[:-1]:
        work.wait()
    return works[-1] if works else None


def _collective_of_several(name: str) -> Callable[..., Any]:
    one = _collective(name)

    def collective(self: Any, outputs: Any, inputs: Any, *options: Any) -> Any:
        *works, last = [one(self, *pair) for pair in zip(outputs, inputs)]
        for work in works:
            work.wait()
        return last

    return collective


def _backend_of(group: Any, device: Any) -> Any:
    """The backend of a group on a device, which init_process_group asks for: the group itself."""
    base: Any = dist.ProcessGroup
    return group if torch.device(device).type == "cuda" else base._get_backend(group, device)


_MEMBERS: dict[str, Any] = {
    "Options": Options,
    "getBackendName": lambda self: "nccl",
    "barrier": lambda self, opts=None: self.gloo.barrier(),
    "_get_sequence_number_for_group": lambda self: 0,
    "_set_sequence_number_for_group": lambda self: None,
    "_start_coalescing": _start_coalescing,
    "_end_coalescing": _end_coalescing,
    "_device_types": property(_device_types),
    "_get_backend": _backend_of,
    "supports_splitting": False,
    "group_name": property(operator.attrgetter("_name")),
}


def _process_group() -> Any:
    """Create the class ``ProcessGroupNCCL``, whose base exists only in builds with torch.distributed."""

    base: Any = dist.ProcessGroup
    gloo: Any = dist.ProcessGroupGloo
    open_groups: weakref.WeakSet[Any] = weakref.WeakSet()

    def start(self: Any, store: Any, rank: int, size: int, options: Any = None) -> None:
        base.__init__(self, rank, size)
        self.coalesced = None
        self.is_checked = False
        self.gloo = gloo(store, rank, size, getattr(options, "_timeout", options))
        open_groups.add(self)

    # gloo's threads are the last to let go of the tensors that on_cpu makes, and need Python for it: one that is late,
    # when Python has ended, aborts the process. Without its last reference gloo waits for them.
    def shut_down(self: Any) -> None:
        self.gloo = None

    # The one in C++ keeps it in backends, of which this group has none.
    def set_group_name(self: Any, name: str) -> None:
        self._name = name

    @atexit.register
    def shut_all_down() -> None:
        for group in list(open_groups):
            group.shutdown()

    members: dict[str, Any] = {
        **_MEMBERS,
        "__init__": start,
        "shutdown": shut_down,
        "_set_group_name": set_group_name,
    }
    members.update({name: _collective(name) for name in _COLLECTIVES})
    members.update({name: _collective(older) for name, older in _OTHER_NAMES.items()})
    members.update({name: _collective_of_several(single) for name, single in _ONE_BY_ONE.items()})
    return types.new_class("ProcessGroupNCCL", (base,), {}, lambda namespace: namespace.update(members))


def _refusing_reducer(plain: Any) -> Callable[..., Any]:
    """A reducer that refuses CUDA parameters: in a CUDA build its timer asks the driver."""

    def reducer(parameters: Any, *args: Any, **kwargs: Any) -> Any:
        if parameters[0].is_cuda:
            raise SimulationError(
                "DistributedDataParallel cannot be simulated on a CUDA build of torch; a CPU build can do it"
            )
        return plain(parameters, *args, **kwargs)

    return reducer


def install_nccl(patches: Patches) -> None:
    """Provide the backend, where this torch has gloo."""
    if not dist.is_available() or not dist.is_gloo_available():
        return
    import torch.cuda.nccl

    c10d: Any = dist.distributed_c10d
    native = dist.is_nccl_available()
    group = _process_group()
    for module in (c10d, dist):
        patches.set(module, "ProcessGroupNCCL", group)
        patches.set(module, "is_nccl_available", lambda: True)
    patches.set(c10d, "_NCCL_AVAILABLE", True)
    patches.set(c10d, "default_pg_nccl_timeout", timedelta(minutes=10))
    patches.set(torch.cuda.nccl, "is_available", lambda tensors: False)  # there are slower ways, and no warning
    patches.set(torch._C, "_nccl_version", lambda: 2 << 32 | 27 << 16 | 3)
    patches.set(torch._C, "_nccl_version_suffix", lambda: b"")
    if native:
        distributed: Any = dist
        patches.set(dist, "Reducer", _refusing_reducer(distributed.Reducer))
    # DistributedDataParallel's logger times with CUDA events of its own.
    patches.set(torch._C._distributed_c10d.Logger, "set_runtime_stats_and_log", lambda self: None)
