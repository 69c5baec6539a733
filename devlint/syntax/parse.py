"""Text to a LibCST module, with guards against what its native parser cannot take."""

from __future__ import annotations

import ast
import warnings

import libcst as cst

from devlint.sources.encoding import SourceError
from devlint.syntax.chunked_parse import parse_in_chunks
from devlint.syntax.parser_limits import TooComplexError, refuse_pathological

__all__ = ["TooComplexError", "compiles", "parse_module"]


def parse_module(text: str) -> cst.Module:
    """Parse ``text``; raise SourceError where it is no Python and TooComplexError where it is too much of it."""
    if "\0" in text:
        raise _error_at(text, text.index("\0"), "contains a null byte")
    refuse_pathological(text)
    try:
        return parse_in_chunks(text)
    except cst.ParserSyntaxError as error:
        raise _syntax_error(text, f" {error.raw_line}:{error.raw_column}") from None
    except cst.CSTValidationError as error:
        raise _syntax_error(text, f" ({' '.join(str(error).split())})") from None
    except UnicodeEncodeError as error:
        raise _error_at(text, error.start, f"{text[error.start]!r} is no character") from None
    except RecursionError:
        raise TooComplexError("is nested too deeply, left alone") from None


def compiles(text: str) -> str | None:
    """None when the running Python compiles ``text``, else its complaint."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<devlint>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
        return str(error) or type(error).__name__
    return None


def _error_at(text: str, at: int, message: str) -> SourceError:
    """A SourceError at a character."""
    return SourceError(message, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))


def _syntax_error(text: str, where: str) -> Exception:
    """Python's own words for the error, where Python finds one too."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as found:
        row = min(max(found.lineno or 1, 1), text.count("\n") + 1)
        return SourceError(found.msg, row, max(found.offset or 1, 1))
    except (ValueError, RecursionError, MemoryError) as found:
        return TooComplexError(str(found) or type(found).__name__)
    return TooComplexError(f"is taken by Python but not by LibCST{where}, left alone")
