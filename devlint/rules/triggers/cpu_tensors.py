"""The leaves that the analysis of where tensors live finds: where one is made, and where two meet."""

from __future__ import annotations

from devlint.rules.triggers.trigger import Leaf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _ast import Call, expr, stmt
    from collections.abc import Iterator

    from devlint.analysis.places.results.missing_devices import MissingDevice
    from devlint.analysis.places.results.mixed_devices import MixedDevices
    from devlint.rules.prefilter.code import Code, GivesProject
    from devlint.rules.triggers.syntax_tree import SyntaxTree


_WORD = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_LONGEST = 32
"""No name of torch that makes a tensor has as many letters."""
_MAKERS: set[bytes] = set()


class CpuTensor(Leaf):
    """A tensor that the analysis of the whole file shows to be on the wrong device."""

    nodes = ("Call",)
    words = (b"torch",)

    def __init__(self, is_kept: bool = False, is_likely: bool = False) -> None:
        """``is_kept`` for those that modules keep as plain attributes, ``is_likely`` for those that are not certain."""
        self.is_kept = is_kept
        self.is_likely = is_likely

    def matches(self, code: Code) -> bool:
        return bool(self._missing(code.data, code.gives_project))

    def find(self, tree: SyntaxTree) -> Iterator[Call]:
        from _ast import Call

        sites = {(one.site.row, one.site.column) for one in self._missing(tree.data, tree.gives_project)}
        for call in tree.of_type(Call):
            if (call.lineno, call.col_offset) in sites:
                yield call

    def _missing(self, data: bytes, gives_project: GivesProject) -> tuple[MissingDevice, ...]:
        if not _may_make(data):
            return ()
        from devlint.analysis.places.written.made_in_text import rows_of_makers

        text = data.decode("utf-8", "replace").removeprefix("\ufeff")
        rows = rows_of_makers(text)
        if not (rows.start if self.is_kept else rows.used or (rows.early and self.is_likely)):
            return ()  # before the import of what runs functions, which takes longer than to look at a file
        from devlint.analysis.places.certain.certain_devices import certain_devices, likely_devices
        from devlint.analysis.places.results.missing_devices import unregistered_tensors

        if self.is_kept:
            return unregistered_tensors(text)
        find = likely_devices if self.is_likely else certain_devices
        return find(text, gives_project() if gives_project is not None else None)


def _may_make(data: bytes) -> bool:
    """Whether a text has functions, and names what makes a tensor."""
    if b"def " not in data and b"def\t" not in data:
        return False
    if any(word in data for word in (b"from torch import", b"import torch as")):
        return True
    if not _MAKERS:
        from devlint.torch_api.tensor_makers import CPU_CONSTRUCTORS, MAKERS

        _MAKERS.update(name.encode() for name in MAKERS | CPU_CONSTRUCTORS)
    # Without regular expressions, whose import takes longer than this.
    starts = {after[:_LONGEST] for after in data.split(b"torch.")[1:]}
    return any(start[: len(start) - len(start.lstrip(_WORD))] in _MAKERS for start in starts)


class MixedOperation(Leaf):
    """An operation on tensors of two devices."""

    nodes = ("Call", "BinaryOperation", "Comparison", "Subscript", "AugAssign")
    words = (b"torch",)

    def matches(self, code: Code) -> bool:
        return bool(_mixed(code.data))

    def find(self, tree: SyntaxTree) -> Iterator[expr | stmt]:
        from _ast import AugAssign, BinOp, Call, Compare, Subscript

        places = {(one.site.row, one.site.column) for one in _mixed(tree.data)}
        kinds: tuple[type[expr | stmt], ...] = (Call, BinOp, Compare, Subscript, AugAssign)
        for kind in kinds if places else ():
            yield from (one for one in tree.of_type(kind) if (one.lineno, one.col_offset) in places)


def _mixed(data: bytes) -> tuple[MixedDevices, ...]:
    from devlint.analysis.places.results.mixed_devices import mixed_devices

    return mixed_devices(data.decode("utf-8", "replace").removeprefix("\ufeff"))
