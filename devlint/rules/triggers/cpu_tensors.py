"""The leaf that is a call of a function of torch whose tensor is on the CPU, and meets one that is not."""

from __future__ import annotations

import _ast as ast

from devlint.core.lazy_regex import regex
from devlint.core.regex_fragments import any_of
from devlint.rules.triggers.trigger import Leaf
from devlint.torch_api.tensor_places import CPU_CONSTRUCTORS, MAKERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from devlint.analysis.places.missing_devices import MissingDevice
    from devlint.rules.prefilter.code import Code
    from devlint.rules.triggers.syntax_tree import SyntaxTree


_MAKER = regex(rf"{any_of(MAKERS | CPU_CONSTRUCTORS)}\s*+\(".encode())


class CpuTensor(Leaf):
    """A tensor that the analysis of the whole file shows to be on the wrong device."""

    nodes = ("Call",)
    words = (b"torch",)

    def matches(self, code: Code) -> bool:
        # Without regard to comments: to take them away costs more than a look at a file that has a maker in one.
        return _MAKER.search(code.data) is not None and bool(_missing(code.data))

    def find(self, tree: SyntaxTree) -> Iterator[ast.Call]:
        sites = {(one.site.row, one.site.column) for one in _missing(tree.data)}
        for call in tree.of_type(ast.Call):
            if (call.lineno, call.col_offset) in sites:
                yield call


def _missing(data: bytes) -> tuple[MissingDevice, ...]:
    from devlint.analysis.places.missing_devices import missing_devices

    return missing_devices(data.decode("utf-8", "replace").removeprefix("\ufeff"))
