"""Makes an operation on tensors of two devices work: moves the CPU tensors, and runs it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from devlint.verify.watch.origins import replaced, tensors_among

_WORDS = ("same device", "indices should be either on", "expected device", "to be on CUDA", "must match backend")
_INDEXING = ("__getitem__", "__setitem__", "index_put_", "index_put", "index")
_KEEP_STATISTICS = ("batch_norm", "instance_norm")
_RECURRENT = ("lstm", "gru", "rnn_tanh", "rnn_relu")


class TorchCall(NamedTuple):
    """A call of a function of torch."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    @property
    def name(self) -> str:
        """The name of the function; of an attribute that is read, its own."""
        name = getattr(self.function, "__name__", "") or str(self.function)
        if name == "__get__":
            return getattr(getattr(self.function, "__self__", None), "__name__", name)
        return name

    def tensors(self) -> list[Any]:
        """Its tensors."""
        return tensors_among((self.args, self.kwargs)) if self.kwargs else tensors_among(self.args)

    def with_others(self, others: dict[int, Any]) -> Any:
        """Run it with other tensors."""
        return self.function(*replaced(self.args, others), **replaced(self.kwargs, others))


class Mended(NamedTuple):
    """The result of a call, and the tensors that had to be moved for it."""

    result: Any
    moved: list[Any]
    device: torch.device


def is_mixed(error: BaseException) -> bool:
    """Whether an error says that tensors are on different devices."""
    text = str(error)
    return any(words in text for words in _WORDS) or (text.startswith("Input type") and "should be the same" in text)


def on_two_devices(tensors: Sequence[Any]) -> bool:
    """Whether some tensors are on the CPU and some are not."""
    if len(tensors) < 2:
        return False
    first = tensors[0].is_cpu
    return any(tensor.is_cpu != first for tensor in tensors)


def mend(call: TorchCall, error: BaseException, state: torch.Tensor | None) -> Mended:
    """Run a call again with its CPU tensors on the device of the others; raises the error where that is no help.

    ``state`` is that of the random generator before the call.
    """
    tensors = call.tensors()
    devices = {tensor.device for tensor in tensors if tensor.is_cuda}
    on_cpu = list({id(tensor): tensor for tensor in tensors if tensor.is_cpu}.values())
    if len(devices) != 1 or not on_cpu:
        raise error
    device = devices.pop()
    for chosen in _choices(call, on_cpu):
        if state is not None:
            torch.set_rng_state(state)
        moved = {id(tensor): tensor.to(device) for tensor in chosen}
        versions = {number: _version(copy) for number, copy in moved.items()}
        try:
            result = call.with_others(moved)
        except RuntimeError as again:
            if not is_mixed(again):
                raise
            continue
        for tensor in chosen:
            copy = moved[id(tensor)]
            if _version(copy) != versions[id(tensor)] or _may_be_statistics(call, tensor):  # it has been written
                _copy_back(tensor, copy)
            if result is copy:
                result = tensor
        return Mended(result, chosen, device)
    raise error


def _choices(call: TorchCall, on_cpu: list[Any]) -> list[list[Any]]:
    """Which of the CPU tensors to move, the likeliest first: those with dimensions, without indices and lengths."""
    chosen = on_cpu
    first = call.args[0] if call.args else None
    if call.name in _INDEXING and isinstance(first, torch.Tensor) and first.is_cuda:
        indices = {id(tensor) for tensor in tensors_among(call.args[1:2])}
        chosen = [tensor for tensor in on_cpu if id(tensor) not in indices]
    elif call.name in _RECURRENT:
        chosen = [tensor for tensor in on_cpu if tensor.dtype is not torch.int64]
    with_dimensions = [tensor for tensor in chosen if tensor.dim()]
    return [choice for choice in (with_dimensions, chosen, on_cpu) if choice]


def _may_be_statistics(call: TorchCall, tensor: Any) -> bool:
    """Whether an operation may have written a tensor without counting that."""
    return call.name in _KEEP_STATISTICS and not tensor.requires_grad


def _copy_back(tensor: Any, copy: Any) -> None:
    if tensor.is_leaf and tensor.requires_grad:
        with torch.no_grad():
            tensor.copy_(copy)
    else:
        tensor.copy_(copy)


def _version(tensor: Any) -> int:
    """How often a tensor has been written; tensors of inference mode do not count."""
    return -1 if tensor.is_inference() else int(tensor._version)
