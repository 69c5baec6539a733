"""The names of torch that concern devices, and how to tell a misspelled one from another name.

The tables are data; tests/torch_api/test_module_members.py compares them with the torch that is installed.
"""

from __future__ import annotations

from devlint.torch_api import cuda_functions
from devlint.torch_api.accelerator_api import INSTEAD, MODULES_SINCE, RENAMED, SINCE
from devlint.torch_api.spelling import is_one_edit

_TENSORS = frozenset(f"{kind}Tensor" for kind in "Float Double Half BFloat16 Byte Char Short Int Long Bool".split())
_CUDA = _TENSORS | {name.partition(".")[0] for name in (*cuda_functions.ALL, *cuda_functions.LEFT_OUT)}
_AMP = frozenset("autocast GradScaler custom_fwd custom_bwd".split())

DEVICE_NAMES: dict[str, frozenset[str]] = {
    "torch": frozenset("accelerator autocast backends cuda device set_default_device set_default_tensor_type".split()),
    "torch.accelerator": frozenset(name for name in SINCE if "." not in name),
    "torch.amp": _AMP,
    "torch.backends": frozenset("cuda cudnn".split()),
    "torch.backends.cuda": frozenset("is_built matmul".split()),
    "torch.backends.cudnn": frozenset("allow_tf32 benchmark deterministic enabled is_available version".split()),
    "torch.backends.mps": frozenset("is_available is_built".split()),
    "torch.cuda": _CUDA,
    "torch.cuda.amp": _AMP,
    "torch.nn": frozenset("DataParallel parallel".split()),
    "torch.nn.parallel": frozenset("DataParallel DistributedDataParallel data_parallel".split()),
}
"""What devlint expects a module to be asked for."""

_OTHERS: dict[str, frozenset[str]] = {
    "torch": frozenset({"get_default_device"}),
    "torch.accelerator": frozenset({"graphs"}),
    "torch.amp": frozenset({"grad_scaler"}),
    "torch.cuda": frozenset({"Device", "graphs", "streams"}),
    "torch.cuda.amp": frozenset({"grad_scaler"}),
}
"""Names of this or another release of torch that are as near to one of the above as a misspelling of it."""

_SHORT = 5
"""Names of fewer letters have neighbours that are names of something else."""


_INTENDED: dict[tuple[str, str], tuple[str, ...]] = {}
_MOST = 4096
"""How many answers are kept."""


def intended(module: str, name: str) -> tuple[str, ...]:
    """The names that a name of ``module`` that does not exist may be a misspelling of, all as near as the nearest."""
    if module not in DEVICE_NAMES:
        return ()
    found = _INTENDED.get((module, name))
    if found is None:
        if len(_INTENDED) >= _MOST:
            _INTENDED.clear()
        found = _INTENDED[module, name] = _nearest(module, name)
    return found


def _nearest(module: str, name: str) -> tuple[str, ...]:
    known = DEVICE_NAMES[module]
    if name in known or name in _OTHERS.get(module, ()) or name.startswith("_"):
        return ()
    near = {one: distance for one in known for distance in [_distance(name, one)] if distance is not None}
    return tuple(sorted(one for one, distance in near.items() if distance == min(near.values())))


def is_never_of_accelerator(name: str) -> bool:
    """Whether no release has ``torch.accelerator.name``, and it is not a misspelling of what one has."""
    if name in SINCE or name in MODULES_SINCE or name.startswith("_"):
        return False
    return name in RENAMED or name in INSTEAD or not intended("torch.accelerator", name)


def _distance(name: str, known: str) -> tuple[int, int] | None:
    """How far a name is from a known one: in letters, then in case; None for too far."""
    one, other = name.lower(), known.lower()
    if one == other:
        return 0, sum(left != right for left, right in zip(name, known))
    if len(known) < _SHORT or not is_one_edit(one, other):
        return None
    return 1, sum(left.isupper() != right.isupper() for left, right in zip(name, known))


def is_misspelled(module: str, chain: str) -> bool:
    """Whether a name in a chain of attributes of ``module``, such as ``.cuda.Event``, is the misspelling of another."""
    for name in chain.split(".")[1:]:
        if intended(module, name):
            return True
        module = f"{module}.{name}"
    return False
