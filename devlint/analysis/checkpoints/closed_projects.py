"""Projects of which nothing keeps what its ``load_state_dict`` is given: neither a class of theirs nor of a library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from devlint.analysis.project.ask import project_around
from devlint.analysis.project.project import Index
from devlint.analysis.project.root import is_installable
from devlint.analysis.project.searches import Search, search
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.libraries import KEEP_NO_STATES, STANDARD_LIBRARY, WRAP_TRAINING

_SEPARATORS = regex(r"[\\/]")
_IMPORT = regex(rb"(?m)^[ \t]*(?:from[ \t]+(\w[\w.]*)[ \t]+import\b|import[ \t]+(\w[^#;\n\\]*))")


class Foreign(Record):
    """A file that imports a library whose classes may load a state in a way of their own."""

    path: str
    name: str


@fact
def is_closed(ctx: FileContext) -> bool:
    """Whether nobody but a project calls its functions, and no library that it imports loads a state in its own way.

    What torch has that does not copy, schedulers and scalers, keeps numbers.
    """
    project = project_around(ctx)
    root = project.root
    if root is None or is_installable(project.index.disk, root) or search(project, FOREIGN, "") != []:
        return False
    listing = project.index.disk.listing(root, project.counted) or ()
    own = _names([one[0] for one in listing])
    return not any(_foreign(project.index, project.path, ctx.source.text.encode("utf-8", "surrogatepass"), own))


def _names(paths: Sequence[str]) -> frozenset[str]:
    """How the project's own modules and packages are called, from wherever it imports them."""
    parts = [_SEPARATORS.split(one.removesuffix(".py")) for one in paths]
    above = sum(1 for _ in takewhile(lambda names: len(set(names)) == 1, zip(*(one[:-1] for one in parts))))
    return frozenset(name for one in parts for name in one[above:]) - WRAP_TRAINING


def _foreign(index: Index, path: str, text: bytes, own: frozenset[str]) -> Iterator[str]:
    """The libraries that a file imports and that are not known to keep no states."""
    for one in _IMPORT.finditer(text):
        named = one[1].decode() if one[1] is not None else one[2].decode("utf-8", "replace")
        for part in named.split(","):
            module = part.split()[0] if part.split() else ""
            name = module.partition(".")[0]
            known = own.issuperset(module.split(".")) or name in STANDARD_LIBRARY or name in KEEP_NO_STATES
            known = known or index.file(path, name) is not None
            if not known and (name == module or index.file(path, module) is None):
                yield name


def _files(index: Index, paths: Iterable[str], name: str) -> Iterator[Foreign]:
    files = [*paths]
    own = _names(files)
    for path in files:
        found = next(_foreign(index, path, index.disk.read(path) or b"", own), None)
        if found is not None:
            yield Foreign(path, found)


FOREIGN = Search("foreign", lambda _: (b"",), _files)  # all files: each may be what another imports
