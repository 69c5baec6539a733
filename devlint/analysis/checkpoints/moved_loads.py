"""What is loaded and moved by a statement below: ``net = torch.load(f)``, then ``net = net.to(device)``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from devlint.analysis.checkpoints.own_loads import called_methods, is_called
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import index_in, statements
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.project import Index
from devlint.analysis.project.searches import Search, search
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext, fact

_MOVES = frozenset({"cuda", "to"})
_STAYS = frozenset({"eval", "train"})
"""Methods of modules that move nothing."""
_OF_MODULES = (*_STAYS, "parameters", "named_parameters", "modules", "children", "zero_grad")
_PLAIN_TENSOR = regex(
    rb"self\.\w+\s*=\s*torch\.(?:arange|as_tensor|empty|eye|from_numpy|full|linspace|ones|rand\w*|tensor|zeros|\w*Tensor)\("
)


class PlainTensor(Record):
    """A file that keeps a tensor as an attribute, which no module moves."""

    path: str


def move_below(ctx: FileContext, target: cst.Name | cst.Attribute) -> cst.Call | None:
    """The call that moves what a name is given, before anything else uses it; of a statement alone, a module.

    What an attribute is given something else may use as soon as anything is done with its owner. What is no parameter
    of a module stays where it is loaded: none where a class of the project may have such a tensor.
    """
    name = dotted_name(target)
    root = name.partition(".")[0] if name is not None else None
    line = next((one for one in ctx.tree.ancestors(target) if isinstance(one, cst.SimpleStatementLine)), None)
    block = ctx.tree.parent(line) if line is not None else None
    at = index_in(ctx, block, line) if block is not None and line is not None else None
    if at is None or block is None or line is None or name is None or len(line.body) != 1 or _keeps_plain_tensors(ctx):
        return None
    for statement in statements(block)[at + 1 :]:
        if not any(isinstance(one, cst.Name) and one.value == root for one in ctx.tree.below(statement)):
            continue
        small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
        call = getattr(small, "value", None)
        if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
            return None
        if dotted_name(call.func.value) != name or not isinstance(statement, cst.SimpleStatementLine):
            return None
        if isinstance(small, cst.Assign):
            targets = [dotted_name(one.target) for one in small.targets]
            is_kept = targets == [name]
        else:
            is_kept = isinstance(small, cst.Expr) and _is_module(ctx, name, call.func.value)
        if not is_kept or len(statement.body) != 1:
            return None
        if call.func.attr.value in _STAYS:
            continue
        return call if call.func.attr.value in _MOVES else None
    return None


def _is_module(ctx: FileContext, name: str, at: cst.CSTNode) -> bool:
    """Whether the program uses what a name stands for as no tensor is used: ``net(x)``, ``net.eval()``."""
    return is_called(ctx, name, at) or any(True for _ in called_methods(ctx, name, at, _OF_MODULES))


@fact
def _keeps_plain_tensors(ctx: FileContext) -> bool:
    """Whether some class of the project may keep a tensor that is no parameter and no buffer."""
    text = ctx.source.text.encode("utf-8", "surrogatepass")
    return _PLAIN_TENSOR.search(text) is not None or search(project_around(ctx), PLAIN_TENSORS, "") != []


def _files(index: Index, paths: Iterable[str], _name: str) -> Iterator[PlainTensor]:
    for path in paths:
        if _PLAIN_TENSOR.search(index.disk.read(path) or b""):
            yield PlainTensor(path)


PLAIN_TENSORS = Search("plain tensors", lambda _: (b"self.",), _files)
