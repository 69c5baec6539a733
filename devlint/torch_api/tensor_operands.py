"""Which arguments of torch's operations are certainly tensors, on one device, by where they stand.

What tensor_places says of the tensors that an operation is given, whichever they are, this says of what is not known to
be one.
"""

from __future__ import annotations

from devlint.torch_api.tensor_functions import FUNCTIONAL
from devlint.torch_api.tensor_places import INDEPENDENT_FUNCTIONS, JOINS, is_loss

LISTS = frozenset(f"torch.{name}" for name in JOINS)
"""Functions that are given a list of tensors first."""
_PRODUCTS = frozenset("bmm cdist dot inner matmul mm mv".split())
_BY_INDEX = frozenset("gather index_select scatter".split())
_ELEMENTWISE = frozenset("add div eq ge gt le lt max maximum min minimum mul ne pow sub where".split())
_WINDOWED = frozenset({"torch.stft", "torch.istft"})
_STRICT_FUNCTIONS = frozenset("conv1d conv2d conv3d cross_entropy grid_sample linear".split())
"""Functions of torch.nn.functional, besides losses."""
_OF_THREE = frozenset("margin_ranking_loss cosine_embedding_loss triplet_margin_loss".split())
_WEIGHTED = frozenset("binary_cross_entropy binary_cross_entropy_with_logits cross_entropy nll_loss".split())
"""Losses whose third argument is a tensor of weights."""
LOSS_LAYERS = frozenset(
    f"torch.nn.{name}Loss"
    for name in "BCE BCEWithLogits CrossEntropy Huber KLDiv L1 MSE MultiLabelMargin MultiLabelSoftMargin MultiMargin "
    "NLL SmoothL1 SoftMargin".split()
)
"""Modules that are given two tensors."""
INDEX_METHODS = frozenset(
    "gather index_add index_add_ index_copy_ index_select scatter scatter_ scatter_add scatter_add_".split()
)
"""Methods whose second argument is a tensor."""
FIRST_METHODS = frozenset("bmm masked_fill masked_fill_ masked_select matmul mm".split())
"""Methods whose first argument is one."""
ARITHMETIC = frozenset("add add_ div div_ eq ge gt le lt mul mul_ ne sub sub_".split())
"""Methods whose first argument is one, or a number."""


def allows_number(called: str, position: int, keyword: str | None) -> bool | None:
    """Whether a number may stand for an argument that is a tensor; None for what may be no tensor at all."""
    module, _, name = called.rpartition(".")
    is_torch = module == "torch"
    if is_torch and name in _BY_INDEX:
        if keyword in ("input", "index") or (keyword is None and position in (0, 2)):
            return False
        return True if keyword == "src" else None
    if (is_torch and name in _PRODUCTS) or _is_strict(called, name):
        count = 3 if name in _OF_THREE | _WEIGHTED else 2
        if keyword in ("input", "target", "weight", "pos_weight") or (keyword is None and position < count):
            return name in _OF_THREE or position == 2
        return None
    if called in _WINDOWED:
        return False if keyword in ("input", "window") or (keyword is None and position in (0, 4)) else None
    return True if is_torch and name in _ELEMENTWISE and keyword is None else None


def _is_strict(called: str, name: str) -> bool:
    """Whether a function of torch.nn.functional wants its first arguments on one device."""
    is_operation = name in _STRICT_FUNCTIONS or (is_loss(name) and name not in INDEPENDENT_FUNCTIONS)
    return is_operation and called.startswith(FUNCTIONAL)
