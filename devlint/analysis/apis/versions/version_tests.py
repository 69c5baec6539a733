"""The oldest torch that a project supports, also by the tests of torch's version that its files make."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from devlint.analysis.project.ask import project_around
from devlint.analysis.project.project import Index
from devlint.analysis.project.searches import Search, search
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.core.target import release_below, torch_version
from devlint.syntax.file_context import FileContext, fact

_SIGN = rb"(?P<sign>[<>]=?|==)"
_NUMBERS = rb"v?(?P<major>\d)\s*[._,]\s*(?P<minor>\d{1,2})(?!\d)"
_OF_TORCH = rb"(?:\btorch(?:\.version)?\.__version__|\b_{0,2}(?:py)?torch_{1,2}version(?:_{2})?\b)"
_COMPARED = regex(
    rb"%s(?:(?!\b(?:and|or|if|else)\b)[^<>=!]){0,60}?%s\s*(?:[\w.]{1,40}(?=\())?[\[(]*\s*[\"']?%s"
    % (_OF_TORCH, _SIGN, _NUMBERS),
    re.IGNORECASE,
)
"""``version.parse(torch.__version__) >= version.parse("1.6")``, ``TORCH_VERSION < (1, 7)``."""
_TURNED = regex(
    rb"(?<![\w.])%s[\w.]{0,20}[\"']?\s*[\])]*\s*%s\s*(?:[\w.]{1,40}\()?%s" % (_NUMBERS, _SIGN, _OF_TORCH), re.IGNORECASE
)
"""``"1.6" <= torch.__version__``."""
_IN_PARTS = regex(rb"TORCH_MAJOR\b\s*[<>=]=?\s*(?P<major>\d)\b.{1,20}\bTORCH_MINOR\s*%s\s*(?P<minor>\d{1,2})" % _SIGN)
_ASKED = regex(
    rb"torch_(?:(?:is_)?(?:version|at_least|greater|newer|less|lower|older)\w{0,30}?|[gl][et])"
    rb"(?:_|\(\s*(?:[\"'](?:[<>]=?|==)[\"'],\s*)?\(?[\"']?)(?P<sign>)%s" % _NUMBERS,
    re.IGNORECASE,
)
"""``is_torch_greater_or_equal("1.6")``, ``is_torch_version("<", "1.7")``, ``TORCH_GREATER_EQUAL_1_6``."""
_TURN = {b"<": b">", b">": b"<", b"<=": b">=", b">=": b"<="}


class Supported(Record):
    """The oldest torch for which a file is written."""

    path: str
    version: tuple[int, ...]


@fact
def oldest_torch(ctx: FileContext) -> tuple[int, ...]:
    """The oldest torch that is supported: the one that is configured or required, else one that files test for."""
    known = ctx.target.torch_min_version
    if not ctx.target.torch_min_is_guess or ctx.target.kind == "accelerator":
        return known
    own = oldest_tested(ctx.source.text.encode("utf-8", "surrogatepass"))
    others = search(project_around(ctx), TESTED, "") or ()
    return min([known, *(one.version for one in others), *([own] if own is not None else [])])


def oldest_tested(text: bytes) -> tuple[int, ...] | None:
    """The oldest torch for which a text's tests of torch's version leave room; None where it makes none."""
    return min(_tested(text), default=None)


def _tested(text: bytes) -> Iterator[tuple[int, ...]]:
    for line in text.splitlines() if any(word in text for word in _WORDS) else ():
        code = line.partition(b"#")[0]
        is_needed = code.lstrip().startswith(b"assert")
        for pattern in (_COMPARED, _TURNED, _IN_PARTS, _ASKED) if b"torch" in code.lower() else ():
            for found in pattern.finditer(code):
                version = torch_version(found["major"].decode(), found["minor"].decode())
                sign = _TURN.get(found["sign"], b"") if pattern is _TURNED else found["sign"]
                leaves_older = sign in (b"", b"<") or (sign == b">=" and not is_needed)
                yield release_below(version) if leaves_older else version


def _testing_files(index: Index, paths: Iterable[str], _: str) -> Iterator[Supported]:
    for path in paths:
        version = oldest_tested(index.disk.read(path) or b"")
        if version is not None:
            yield Supported(path, version)


_WORDS = (b"torch.__version__", b"torch.version.__version__", b"torch_", b"TORCH_")
TESTED = Search("tests of versions", lambda _: _WORDS, _testing_files)
