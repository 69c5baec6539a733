"""Makes the source that rules analyze from the contents of a file, if there is anything to analyze."""

from __future__ import annotations

from devlint.sources.discovery import NOTEBOOK, Found
from devlint.sources.encoding import SourceError, read
from devlint.sources.text_kinds import DEVICE_RULE, Syntax, kind_of
from devlint.syntax.python_tree.python_ast import parses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

    from devlint.analysis.project.project import Index
    from devlint.rules.prefilter.rule_filter import RuleCandidates
    from devlint.sources.source import Source
    from devlint.sources.text_kinds import TextKind

    Content = bytes | str
    """The contents of a file: bytes, or text from a caller that has no bytes."""

_SMALL = 50_000
"""Bytes of a program whose tree for Python, some eighty times as large, is kept while LibCST makes its own."""
_EXAMPLES = (b">>>", b"```", b"~~~", b"::")
"""Every docstring with an example holds one of them."""


def is_program(found: Found) -> bool:
    """Whether rules analyze nothing of a file but its code."""
    is_text = kind_of(found.path) is not None or found.path.endswith(NOTEBOOK)
    return not is_text and not found.settings.docstring_code


def source_of(
    found: Found, data: Content, raw: bytes, may_fire: bool, kind: TextKind | None, enabled: Container[str]
) -> Source | None:
    """The source to analyze; None if no rule can find anything, in a text that is no Python none of those enabled."""
    if kind is None:
        source = _python_source(found, data, may_fire or _may_command(found, raw, enabled))
        if source is None or not found.settings.docstring_code or found.path.endswith(NOTEBOOK):
            return source
        return _document(source) if any(mark in raw for mark in _EXAMPLES) else source
    if may_fire and has_code(kind, found):
        from devlint.sources.source import Source

        try:
            return _document(Source.from_bytes(found.path, raw))
        except SourceError:
            pass  # it may still be read as text
    from devlint.torch_api.environment_variables import may_hold_variables

    devices = DEVICE_RULE in enabled
    if not found.explicit and not devices and not may_hold_variables(raw):
        return None
    from devlint.engine.text_files import read_text

    return read_text(found.path, raw, kind, found.explicit, devices)


def _may_command(found: Found, raw: bytes, enabled: Container[str]) -> bool:
    """Whether a command of a notebook may name a device, and somebody asks for that."""
    if DEVICE_RULE not in enabled or not found.path.endswith(NOTEBOOK):
        return False
    from devlint.sources.device_mentions import may_name_device

    return may_name_device(raw)


def _python_source(found: Found, data: Content, may_fire: bool) -> Source | None:
    """The file as text, or None where no rule can find anything in it.

    A file in which no rule can find anything is parsed only when it was named itself.
    """
    if found.path.endswith(NOTEBOOK):
        return _notebook(found, data, may_fire)
    if not may_fire:
        if not found.explicit and data.isascii():
            return None
        text = data.removeprefix("\ufeff") if isinstance(data, str) else read(data)[0]
        if not found.explicit or parses(text):
            return None
    from devlint.sources.source import Source

    return Source.from_text(found.path, data) if isinstance(data, str) else Source.from_bytes(found.path, data)


def has_code(kind: TextKind, found: Found) -> bool:
    """Whether the Python in a text is analyzed."""
    return kind.syntax is Syntax.PROSE and found.settings.document_code


def _document(source: Source) -> Source:
    """A text as one with programs in it."""
    from devlint.engine.documents import Document

    return Document(source.path, source.text, source.encoding, source.bom)


def _notebook(found: Found, data: Content, may_fire: bool) -> Source | None:
    """A notebook as text; None where no rule can find anything in it, or it is of another language."""
    if not may_fire and not found.explicit:
        return None
    from devlint.syntax.notebooks.cells import open_notebook

    source = open_notebook(found.path, data)
    return source if source is not None and (may_fire or source.errors) else None


def parsed_text(source: Source, data: bytes, candidates: RuleCandidates, index: Index) -> str:
    """What LibCST parses of a program: all but the functions in which the rules find nothing; empty for all of it.

    The tree of a small program is left to ``index``, for questions about it.
    """
    if candidates.tree is None or source.text.encode("utf-8", "replace") != data:
        return ""
    index.own = (source.text, candidates.tree) if len(data) <= _SMALL else None
    from devlint.syntax.blanking import blank_functions

    return blank_functions(source.text, candidates.tree, candidates.places)
