"""Findings of devlint itself: files that do not parse, and suppressions that are unused, unknown or lack a reason."""

from __future__ import annotations

import io
import token
import tokenize
from collections.abc import Iterator

from devlint.config.selection import catalogue
from devlint.core.diagnostic import Applicability, Diagnostic, Edit, Fix, Location, Span
from devlint.core.target import TOO_OLD
from devlint.sources.device_mentions import device_mentions
from devlint.sources.encoding import SourceError
from devlint.sources.source import Source
from devlint.sources.suppressions.suppression_syntax import directives_in
from devlint.sources.suppressions.suppressions import Suppressions
from devlint.sources.text_kinds import DEVICE_RULE, TextKind
from devlint.syntax.parse import TooComplexError, parse_module
from devlint.syntax.syntax_error_hints import syntax_error_hint

_MOVES = (["cuda"], ["to"], ["copy_"], ["type"], ["hpu"], ["xpu"])
"""The methods whose ``async=`` PyTorch renamed, as the innermost call of a stack."""


def syntax_diagnostic(source: Source, error: SourceError, is_before_devices: bool = False) -> Diagnostic:
    """DEV001 for a file that does not parse, with a fix where only ``async=`` is in the way.

    A torch ``is_before_devices`` still calls it so.
    """
    row = min(error.row, source.row_count)
    place = Location(row, min(error.column, len(source.line(row)) + 1))
    offset = source.offset(place)
    fix = _rename_async(source)
    if fix is not None and is_before_devices:
        fix = fix.made_unsafe(TOO_OLD)
    hint = "`async=` became a syntax error in Python 3.7, PyTorch calls it `non_blocking=`" if fix else None
    hint = hint or syntax_error_hint(source.text.splitlines(), row)
    message = f"{error.message}: {hint}" if hint else error.message
    end = min(offset + 1, len(source.text))
    return Diagnostic(source.path, "DEV001", message, Span(offset, end), place, source.location(end), fix)


def part_diagnostics(source: Source) -> Iterator[Diagnostic]:
    """DEV001 for each cell or block that does not parse and is left out of the rest."""
    for error in source.errors:
        at = source.offset(Location(error.row, 1))
        end = Location(error.row, error.column + 1)
        yield Diagnostic(source.path, "DEV001", error.message, Span(at, at), error.location, end)


def command_diagnostics(source: Source) -> Iterator[Diagnostic]:
    """DEV109 for each device that a command of a notebook names: ``!python train.py --device cuda``."""
    from devlint.syntax.notebooks.notebook_source import NotebookSource

    shell = TextKind("shell")
    for start, command in source.masked_commands() if isinstance(source, NotebookSource) else ():
        text, place = Source(source.path, command), source.location(start)
        suppressions = Suppressions(text, found=directives_in(text, shell))
        for one in device_mentions(command, shell):
            at, end = text.location(one.start), text.location(one.end)
            if suppressions.suppresses(DEVICE_RULE, at.row, at.row):
                continue
            message = f"`{command[one.start : one.end]}` is no device of a machine without CUDA"
            first, last = (Location(place.row + row.row - 1, row.column) for row in (at, end))
            yield Diagnostic(source.path, DEVICE_RULE, message, Span(start, start), first, last)


def suppression_diagnostics(
    source: Source, suppressions: Suppressions, enabled: frozenset[str]
) -> Iterator[Diagnostic]:
    """DEV002, DEV003 and DEV004, after all findings have been matched against the suppressions."""
    default = [rule.code for rule in catalogue() if rule.default]
    if "DEV002" in enabled and suppressions:
        for unused in suppressions.unused(enabled, default):
            what = ", ".join(unused.codes) or "suppression"
            fix = Fix((unused.edit,), Applicability.SAFE, f"Remove the unused {what}")
            yield _at(source, "DEV002", f"Unused suppression: nothing to suppress ({what})", unused.span, fix)
    if "DEV003" in enabled and suppressions:
        for span in suppressions.without_reason():
            yield _at(source, "DEV003", "Suppression without a reason: say after it why it is needed", span, None)
    for unknown in suppressions.unknown if "DEV004" in enabled else ():
        message = f"{unknown.message}; this suppresses nothing"
        correction = Fix((unknown.edit,), Applicability.SAFE, "Correct the suppression") if unknown.edit else None
        yield _at(source, "DEV004", message, unknown.span, correction)


def _at(source: Source, code: str, message: str, span: Span, fix: Fix | None) -> Diagnostic:
    return Diagnostic(source.path, code, message, span, source.location(span.start), source.location(span.end), fix)


def _rename_async(source: Source) -> Fix | None:
    """``f(async=True)`` to ``f(non_blocking=True)`` all over the file, if that makes it parse."""
    if "async" not in source.text:
        return None
    edits = tuple(_async_keywords(source))
    text = source.text
    for edit in reversed(edits):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    try:
        parse_module(text)
    except (SourceError, TooComplexError, RecursionError):
        return None
    return Fix(edits, Applicability.SAFE, "Rename `async` to `non_blocking`") if edits else None


def _async_keywords(source: Source) -> Iterator[Edit]:
    """Edits for each ``async`` that is a keyword argument of one of PyTorch's moves."""
    previous: tokenize.TokenInfo | None = None
    called: list[str] = []
    try:
        for current in tokenize.generate_tokens(io.StringIO(source.text, newline="").readline):
            name = previous.string if previous is not None else ""
            if current.type == token.OP and current.string in "([{":
                called.append(name)
            elif current.type == token.OP and current.string in ")]}" and called:
                called.pop()
            elif previous is not None and name == "async" and current.string == "=" and called[-1:] in _MOVES:
                start = source.offset(Location(previous.start[0], previous.start[1] + 1))
                yield Edit(Span(start, start + len("async")), "non_blocking")
            previous = current
    except (tokenize.TokenError, SyntaxError):
        return
