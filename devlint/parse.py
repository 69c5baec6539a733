"""Text to a LibCST module, with guards against what its native parser cannot take."""

from __future__ import annotations

import ast
import gc
import re
import warnings
from collections.abc import Iterable
from typing import Optional

import libcst as cst

from devlint.encoding import SourceError

MAX_BRACKET_DEPTH = 200
"""CPython's own limit; LibCST's parser overflows the C stack (SIGSEGV) at some thousands."""
MAX_INDENT_DEPTH = 100
"""CPython's own limit."""
MAX_CHAIN = 500
"""Links of one operator or attribute chain; the parser is quadratic in them and code generation recursive."""
MAX_CHARACTERS = 2_000_000
"""Larger files are generated data: a literal of 200,000 numbers takes 1 GB as a tree."""
MAX_NUMBERS = 100_000
"""Numbers in one file, for the same reason."""

_LEXEMES = re.compile(
    r"""(?P<skip>\#[^\n]*
        |[rbufRBUF]{0,2}(?:\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))
        |(?P<open>[(\[{])|(?P<close>[)\]}])""",
    re.VERBOSE | re.DOTALL,
)
_BRACKETS = re.compile(r"[()\[\]{}]")
_NUMBERS = re.compile(r"(?<![\w.])[-+]?\d[\w.]*")
_CONTINUATION = re.compile(r"(?:(?<=[-+*/%@^|&~<>.\\])|(?<=\belse))[ \t]*\n\s*|\n\s*(?=[-+*/%^|&.]|<<|>>|and\b|or\b)")
_LINKS = re.compile(r"[\])][\[(]|[-+*/%@^|&~]|<<|>>|\.(?=[^\W\d])|\b(?:and|or|not|else|lambda)\b")

_LINK_WORDS = tuple(". + - and or not else lambda * / % @ ^ | & ~ << >> ][ )(".split())


class TooComplexError(Exception):
    """A file that is Python, but nothing devlint can take apart in bounded time and memory."""


def parse_module(text: str) -> cst.Module:
    """Parse ``text``; raise SourceError where it is no Python and TooComplexError where it is too much of it."""
    _refuse_pathological(text)
    enabled = gc.isenabled()
    gc.disable()
    try:
        return cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        raise _syntax_error(text, error) from None
    except UnicodeEncodeError as error:
        raise _error_at(text, error.start, f"{text[error.start]!r} is no character") from None
    except RecursionError:
        raise TooComplexError("is nested too deeply, left alone") from None
    finally:
        if enabled:
            gc.enable()


def compiles(text: str) -> Optional[str]:
    """None when the running Python compiles ``text``, else its complaint."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<devlint>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
        return str(error) or type(error).__name__
    return None


def _refuse_pathological(text: str) -> None:
    """Raise TooComplexError for what would crash the parser or take it for ever, SourceError for a null."""
    if "\0" in text:
        raise _error_at(text, text.index("\0"), "contains a null byte")
    if len(text) > MAX_CHARACTERS:
        raise TooComplexError(f"is larger than {MAX_CHARACTERS:,} characters: generated code, left alone")
    if len(text) > 400_000 and len(_NUMBERS.findall(text)) > MAX_NUMBERS:
        raise TooComplexError(f"holds more than {MAX_NUMBERS:,} numbers: generated data, left alone")
    if _bracket_depth(text) > MAX_BRACKET_DEPTH:
        raise TooComplexError(f"has brackets nested more than {MAX_BRACKET_DEPTH} deep, left alone")
    if _longest_chain(text) > MAX_CHAIN:
        raise TooComplexError(f"has an expression of more than {MAX_CHAIN} links, left alone")
    if "\n" + " " * MAX_INDENT_DEPTH in text or "\n" + "\t" * MAX_INDENT_DEPTH in text:
        if _indent_depth(text) > MAX_INDENT_DEPTH:
            raise TooComplexError(f"has blocks nested more than {MAX_INDENT_DEPTH} deep, left alone")


def _bracket_depth(text: str) -> int:
    """The deepest nesting of brackets outside strings and comments."""
    if sum(map(text.count, "([{")) <= MAX_BRACKET_DEPTH or _deepest(_BRACKETS.findall(text)) <= MAX_BRACKET_DEPTH:
        return 0
    return _deepest(match.group() for match in _LEXEMES.finditer(text) if match.lastgroup != "skip")


def _deepest(brackets: Iterable[str]) -> int:
    """How many of ``brackets`` are open at once at most."""
    depth = deepest = 0
    for bracket in brackets:
        if bracket in "([{":
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth = max(depth - 1, 0)
    return deepest


def _longest_chain(text: str) -> int:
    """Operators and attributes in the longest piece of a logical line that has no comma, assignment or colon."""
    if max(map(text.count, _LINK_WORDS)) <= MAX_CHAIN:
        return 0
    lines = [line for line in _CONTINUATION.sub(" ", text).splitlines() if len(line) > 2 * MAX_CHAIN]
    if _most_links(lines) <= MAX_CHAIN:
        return 0
    code = _LEXEMES.sub(lambda match: " " if match.lastgroup == "skip" else match.group(), text)
    return _most_links(_CONTINUATION.sub(" ", code).splitlines())


def _most_links(lines: Iterable[str]) -> int:
    """The links of the longest chain in ``lines``."""
    return max((len(_LINKS.findall(piece)) for line in lines for piece in re.split(r"[,;=]", line)), default=0)


def _indent_depth(text: str) -> int:
    """How many distinct indentations are open at once at most."""
    stack = [0]
    deepest = 0
    for line in text.splitlines():
        stripped = line.lstrip()
        if not stripped or stripped.startswith("#"):
            continue
        width = len(line) - len(stripped)
        while stack[-1] > width:
            stack.pop()
        if width > stack[-1]:
            stack.append(width)
            deepest = max(deepest, len(stack) - 1)
    return deepest


def _error_at(text: str, at: int, message: str) -> SourceError:
    """A SourceError at a character."""
    return SourceError(message, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))


def _syntax_error(text: str, error: cst.ParserSyntaxError) -> Exception:
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
    return TooComplexError(f"is taken by Python but not by LibCST {error.raw_line}:{error.raw_column}, left alone")
