"""The leaf that is an argument by which a library is told its device."""

from __future__ import annotations

import _ast as ast

from devlint.core.regex_fragments import GAP, OPENED, QUOTE, any_of
from devlint.rules.triggers.trigger import Leaf
from devlint.syntax.python_tree.nodes import last_name, nodes_below
from devlint.torch_api.frameworks import DEVICE, LIBRARIES, MAP, TYPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from devlint.rules.triggers.syntax_tree import SyntaxTree

_ARGUMENTS = [one for library in LIBRARIES.values() for one in library.arguments]
_PARAMETERS = frozenset(one.parameter for one in _ARGUMENTS)
_FUNCTIONS = frozenset(one.function.rpartition(".")[2] for one in _ARGUMENTS)
_POSITIONAL = frozenset(one.function.rpartition(".")[2] for one in _ARGUMENTS if one.position is not None)
_TOLD_DEVICE = frozenset(
    one.function.rpartition(".")[2]
    for name in LIBRARIES.keys() - {"torch"}
    for one in LIBRARIES[name].arguments
    if one.form in (DEVICE, MAP, TYPE)
)
_OF_TORCH = frozenset(one.function for one in LIBRARIES["torch"].arguments)
_STRING = rf"[rRuUfF]?+{QUOTE}++(?:cuda|gpu|[\\\s])"
"""Of CUDA, or one that is written with escapes or in pieces."""
_MADE = rf"(?:\w+{GAP}\.{GAP})*+\w*device{GAP}\({OPENED}(?:type{GAP}={OPENED})?+"
_VALUE = rf"(?:{{|(?:{_MADE})?+(?:\d|{_STRING}))"
"""How a number, a string, a dictionary or a torch.device begins."""
_CUDA = f"cuda(?<={QUOTE}cuda)"


class FrameworkArgument(Leaf):
    """A literal that one of the libraries is given as its device."""

    words = (b"device", b"accelerator", b"gpu", b"cuda")

    def patterns(self) -> Iterator[str | tuple[str, ...]]:
        # What begins with a plain word goes first: it is looked for fastest.
        library = any_of(LIBRARIES.keys() - {"torch"})
        imports = rf"import\b(?:.|\\\r?\n)*?{library}|from{GAP}{library}"
        yield rf"device(?:_map|_type)?{GAP}={OPENED}{_VALUE}", any_of(_TOLD_DEVICE), imports
        yield rf"accelerator{GAP}={OPENED}{_STRING}", imports
        yield rf"gpus?{GAP}={OPENED}[\dT-]", imports
        yield _CUDA, any_of(_POSITIONAL), imports
        yield from ((_CUDA, rf"{one}(?!\w)") for one in sorted(_OF_TORCH))

    def find(self, tree: SyntaxTree) -> Iterator[ast.AST]:
        aliases = {name for name, found in tree.imported.items() if any(map(_is_function, found))}
        for call in tree.calls(_FUNCTIONS | aliases):
            given = [one.value for one in call.keywords if one.arg in _PARAMETERS]
            plain = call.args if last_name(call.func) in _POSITIONAL | aliases else ()
            yield from (one for one in (*given, *plain) if _may_say_cuda(one))


def _is_function(origin: str) -> bool:
    return origin.rpartition(".")[2] in _FUNCTIONS


def _may_say_cuda(value: ast.expr) -> bool:
    """Whether there is a number in a value, a string that begins with ``cuda`` or ``gpu``, or a torch.device."""
    for one in nodes_below(value):
        if isinstance(one, ast.Constant):
            if isinstance(one.value, int) or (isinstance(one.value, str) and one.value.startswith(("cuda", "gpu"))):
                return True
        elif isinstance(one, ast.Call) and last_name(one.func).endswith("device"):
            return True
    return False
