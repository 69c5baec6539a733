"""The names of torch that concern devices, and how to tell a misspelled one from another name.

The tables are data; tests/torch_api/test_module_members.py compares them with the torch that is installed.
"""

from __future__ import annotations

import re
from functools import lru_cache

from devlint.core.regex_fragments import DOT, GAP
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


@lru_cache(maxsize=4096)
def intended(module: str, name: str) -> tuple[str, ...]:
    """The names that a name of ``module`` that does not exist may be a misspelling of, all as near as the nearest."""
    known = DEVICE_NAMES.get(module, frozenset())
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


_CHAIN = rf"(?:{DOT}\w++)"
_TORCH = rf"torch(?<!\wtorch)({_CHAIN}*+)(?:{GAP}as\b{GAP}([\w\x80-\xff]++))?".encode()
_IMPORTED = rf"from{GAP}(torch{_CHAIN}*+){GAP}import\b({GAP}\((?:[^)#]|#[^\n]*)*+|(?:[^\n#\\]|\\\r?\n)*+)".encode()
_NOT_NAMES = r"#[^\n]*|[\s\\)]"
_ALIAS = r"\b(\w+)(?:\s+as\s+(\w+))?"


def names_misspelled(code: bytes) -> bool:
    """Whether bytes may ask torch for a name that is a misspelling of one of its own."""
    uses = set(re.findall(_TORCH, code))
    if any(_is_misspelled("torch", chain) for chain, _ in uses):
        return True
    modules = {(_plain(b"torch" + chain), alias.decode("utf-8", "replace")) for chain, alias in uses if alias}
    for module, names in {(_plain(module), names) for module, names in re.findall(_IMPORTED, code)}:
        imported = _imported(names)
        if any(intended(module, name) for name, _ in imported):
            return True
        modules |= {(f"{module}.{name}", alias) for name, alias in imported}
    return any(_misspelled_below(code, module, alias) for module, alias in modules if module in DEVICE_NAMES)


def _misspelled_below(code: bytes, module: str, alias: str) -> bool:
    """Whether something that does not exist is asked of a module under the name of ``alias``."""
    # The name first, and only then what may not stand before it: ten times faster than the other way round.
    chains = re.findall(rf"{alias}(?<!\w{alias})({_CHAIN}++)".encode(), code)
    return any(_is_misspelled(module, chain) for chain in set(chains))


@lru_cache(maxsize=4096)
def _plain(chain: bytes) -> str:
    """Names and dots without what stands between them."""
    return re.sub(_NOT_NAMES, "", chain.decode("utf-8", "replace"))


@lru_cache(maxsize=4096)
def _imported(names: bytes) -> list[tuple[str, str]]:
    """The names that are imported, and what they are called then."""
    listed = re.sub(r"#[^\n]*|\\", " ", names.decode("utf-8", "replace"))
    return [(name, alias or name) for name, alias in re.findall(_ALIAS, listed)]


@lru_cache(maxsize=4096)
def _is_misspelled(module: str, chain: bytes) -> bool:
    """Whether a name in a chain of attributes of ``module`` is the misspelling of another."""
    for name in _plain(chain).split(".")[1:]:
        if intended(module, name):
            return True
        module = f"{module}.{name}"
    return False
