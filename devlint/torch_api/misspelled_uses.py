"""Whether the bytes of a program may ask torch for a name that is a misspelling of one of its own.

Most programs write their imports of torch and what they ask of it without anything in between. Those are read without
regular expressions, whose import takes longer than that; the others with them (``misspelled_patterns``).
"""

from __future__ import annotations

import sys

from devlint.torch_api.module_members import DEVICE_NAMES, intended, is_misspelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_CHAIN = _WORD + b"."
_GAP = b" \t\r\n\f\v\\)"
"""What may stand between a name and what is asked of it, besides comments."""


_PATTERNS = "devlint.torch_api.misspelled_patterns"


class _UnclearError(Exception):
    """What is not written as in most programs."""


def names_misspelled(code: bytes) -> bool:
    """Whether bytes may ask torch for a name that is a misspelling of one of its own."""
    if _PATTERNS not in sys.modules:  # where they are, they are as fast
        try:
            if not _may_misspell(code):
                return False
        except _UnclearError:
            pass
    from devlint.torch_api.misspelled_patterns import misspell

    return misspell(code)


def _may_misspell(code: bytes) -> bool:
    """Whether a name may be misspelled; certain where it says no."""
    modules: set[tuple[str, bytes]] = set()
    for chain, gap, rest in _uses(code, b"torch"):
        module = "torch" + chain
        if is_misspelled("torch", chain):
            return True
        if rest.startswith(b"import") and (b"\n" not in gap or b"\\" in gap):
            for name, alias in _imported(rest[len(b"import") :]):
                if intended(module, name):
                    return True
                modules.add((f"{module}.{name}", alias))
        elif rest.startswith(b"as") and not rest[2:3].isalnum():
            modules.add((module, _name(rest[2:])))
    known = [(module, alias) for module, alias in modules if module in DEVICE_NAMES]
    return any(is_misspelled(module, chain) for module, alias in known for chain, *_ in _uses(code, alias))


def _uses(code: bytes, name: bytes) -> Iterator[tuple[str, bytes, bytes]]:
    """The attributes right behind each use of a name, and the gap and the text that follow up to the next use."""
    known: set[bytes] = set()
    for piece in code.split(name)[1:]:
        rest = piece.lstrip(_CHAIN)
        chain = piece[: len(piece) - len(rest)]
        if chain and not rest:
            raise _UnclearError  # the next use is a part of this one
        if chain[:1] not in b".":
            continue  # a longer name
        after = rest
        if rest[:1] in _GAP or rest[:1] == b"#":
            rest = _past_gap(rest)
        elif chain in known:
            continue
        known.add(chain)
        if chain[-1:] == b"." or rest[:1] == b".":
            raise _UnclearError
        yield chain.decode(), after[: len(after) - len(rest)], rest


def _past_gap(text: bytes) -> bytes:
    """What follows white space, comments and closing parentheses."""
    text = text.lstrip(_GAP)
    while text[:1] == b"#":
        _, newline, text = text.partition(b"\n")
        if not newline:
            raise _UnclearError
        text = text.lstrip(_GAP)
    return text


def _imported(text: bytes) -> Iterator[tuple[str, bytes]]:
    """The names that a statement imports, and what they are called then."""
    is_open = text.lstrip(b" \t")[:1] == b"("
    listed, end, _ = text.partition(b")" if is_open else b"\n")
    if not end or b"\\" in listed or b"#" in listed:
        raise _UnclearError
    for one in listed.lstrip(b" \t(").split(b","):
        words = one.split()
        if len(words) not in (0, 1, 3) or any(word.strip(_WORD) for word in words):
            raise _UnclearError
        for name in words[:1]:
            yield name.decode(), words[-1]


def _name(text: bytes) -> bytes:
    """The name that follows ``as``."""
    text = text.lstrip(b" \t")
    rest = text.lstrip(_WORD)
    if not rest or rest == text or rest[:1] >= b"\x80":
        raise _UnclearError
    return text[: len(text) - len(rest)]
