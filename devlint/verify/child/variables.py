"""In the child: records the program's variables when it has ended."""

from __future__ import annotations

import hashlib
import sys
import types
from collections.abc import Iterator
from itertools import islice
from typing import Any

import torch

from devlint.verify.child.tensor_values import Record, Values

_DEEPEST = 4
_LONGEST = 2000
_Generator: Any = torch._C.Generator
_PLAIN = (bool, int, float, complex, str, type(None))


def record_state(spaces: dict[str, types.ModuleType], values: Values) -> dict[str, Record]:
    """Tensors, numbers and strings by the name or path of their variable."""
    found: dict[str, Record] = {}
    seen: set[int] = set()
    for prefix, module in spaces.items():
        for name, value in list(vars(module).items()):
            if name.startswith("__") or isinstance(value, (types.ModuleType, type, types.FunctionType)):
                continue
            for path, leaf in _leaves(prefix + name, value, seen):
                found[path] = _recorded(leaf, values)
    return found


def outline(value: Any) -> dict[str, Record]:
    """The plain values in what a program saves, and where the others are, by their paths."""
    return {path: _outlined(leaf) for path, leaf in islice(_leaves("", value, set()), _LONGEST)}


def _outlined(value: Any) -> Record:
    kind = type(value)
    return {"type": kind.__name__, "value": repr(value)[:2000]} if kind in _PLAIN else {"type": "tensor"}


def _leaves(name: str, value: Any, seen: set[int], depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The comparable parts of a value, with their paths."""
    if isinstance(value, (torch.Tensor, _Generator, *_PLAIN)) or _is_array(value):
        yield name, value
    elif depth < _DEEPEST and id(value) not in seen:
        seen.add(id(value))
        for part, inner in _parts(value):
            yield from _leaves(name + part, inner, seen, depth + 1)


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, torch.nn.Module):
        yield from _of_module(value)
    elif isinstance(value, torch.optim.Optimizer):
        yield ".state", value.state_dict()["state"]
        yield ".param_groups", value.state_dict()["param_groups"]
    elif isinstance(value, (torch.optim.lr_scheduler.LRScheduler, torch.amp.GradScaler)):
        yield ".state", value.state_dict()
    elif isinstance(value, (list, tuple)) and len(value) <= _LONGEST:
        yield from ((f"[{index}]", part) for index, part in enumerate(value))
    elif isinstance(value, dict) and len(value) <= _LONGEST:
        yield from ((f"[{key!r}]", part) for key, part in list(value.items()) if isinstance(key, (str, int)))
    elif type(value).__module__ in ("__main__", "program") and hasattr(value, "__dict__"):
        yield from ((f".{key}", part) for key, part in list(vars(value).items()))


def _of_module(module: torch.nn.Module) -> Iterator[tuple[str, Any]]:
    for key, tensor in (*module.named_parameters(), *module.named_buffers()):
        yield f".{key}", tensor
        if isinstance(tensor, torch.nn.Parameter) and tensor.grad is not None:
            yield f".{key}.grad", tensor.grad
    for key, value in vars(module).items():
        if isinstance(value, torch.Tensor):
            yield f".{key}", value


def _is_array(value: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic))


def _recorded(value: Any, values: Values) -> Record:
    """The record of a value."""
    try:
        if isinstance(value, torch.Tensor):
            return {"type": "tensor", **values.record(value, keep=True)}
        if _is_array(value) and value.dtype.kind in "fiub":
            return {"type": "array", **values.record(torch.as_tensor(value), keep=True)}
        if isinstance(value, _Generator):
            return {"type": "generator", "value": hashlib.sha1(bytes(value.get_state().tolist())).hexdigest()[:16]}
    except (RuntimeError, TypeError, ValueError, NotImplementedError) as error:
        return {"type": "unrecorded", "value": type(error).__name__}
    kind = type(value).__name__
    return {"type": kind, "value": repr(value)[:2000]}
