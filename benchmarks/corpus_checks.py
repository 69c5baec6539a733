"""What a fix must not do to a file, checked without any of devlint's own code.

Each check takes the bytes before and after and yields what is worse, in words; ``compare`` runs them all. Notebooks
are compared cell by cell. Nothing here may be relaxed to make a rule pass: a complaint is a bug of the rule.
"""

from __future__ import annotations

import ast
import difflib
import io
import json
import re
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from pyflakes import checker, messages  # type: ignore[import-untyped]

_BOM = b"\xef\xbb\xbf"
_NEWLINE = re.compile(rb"\r\n|\r|\n")
_FOREIGN = re.compile(rb"[\x80-\xff]+")
_MAGIC = re.compile(r"^\s*[%!?]|\?\s*$", re.MULTILINE)
_SUPPRESSION = re.compile("noqa|devlint", re.IGNORECASE)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_UNDEFINED = (messages.UndefinedName, messages.UndefinedLocal, messages.UndefinedExport)


@dataclass
class Verdict:
    """What became of one file: ``worse`` must be empty, ``lint`` is for a reader to judge."""

    changed: bool = False
    worse: list[str] = field(default_factory=list)
    lint: list[str] = field(default_factory=list)


def compare(before: bytes, after: bytes, again: bytes, notebook: bool = False) -> Verdict:
    """Judge a file by its bytes before a fix, after it, and after a second one."""
    verdict = Verdict(changed=before != after)
    if again != after:
        verdict.worse.append("not settled: a second fix changes " + _first_difference(after, again))
    if not verdict.changed:
        return verdict
    verdict.worse += layout(before, after)
    verdict.worse += syntax(before, after, notebook)
    for one, two in zip(cells(before, notebook), cells(after, notebook)):
        verdict.worse += comments_lost(one, two)
        verdict.worse += early_reads_made(one, two)
    for message in new_messages(before, after, notebook):
        (verdict.worse if _is_undefined(message, before) else verdict.lint).append(_say(message))
    return verdict


def syntax(before: bytes, after: bytes, notebook: bool = False) -> Iterator[str]:
    """Code that parsed or compiled and no longer does; a file that did not parse may only be left or be cured."""
    old, new = cells(before, notebook), cells(after, notebook)
    if len(old) != len(new):
        yield f"{len(old)} cells became {len(new)}"
    for number, (one, two) in enumerate(zip(old, new), 1):
        where = f" in cell {number}" if notebook else ""
        if (error := parse_error(two)) and (one != two or not parse_error(one)):
            touched = "was unparsable and was changed" if parse_error(one) else "no longer parses"
            yield f"{touched}{where}: {error}"
        elif not error and (error := compile_error(two)) and not compile_error(one):
            yield f"no longer compiles{where}: {error}"


def comments_lost(before: bytes, after: bytes) -> Iterator[str]:
    """Comments that are gone, but for those that suppress findings, which a fix may change."""
    lost = Counter(_comments(before)) - Counter(_comments(after))
    yield from (f"lost the comment {one!r}" for one in sorted(lost) if not _SUPPRESSION.search(one))


def _comments(data: bytes) -> list[str]:
    """The comments of a program; none where Python finds no tokens in it."""
    try:
        tokens = list(tokenize.tokenize(io.BytesIO(data).readline))
    except (tokenize.TokenError, SyntaxError, UnicodeDecodeError):
        return []
    return [token.string.rstrip() for token in tokens if token.type == tokenize.COMMENT]


def early_reads_made(before: bytes, after: bytes) -> Iterator[str]:
    """Names that a scope now reads above the first line that binds them, and did not before."""
    for scope, name in sorted(_early_reads(after) - _early_reads(before)):
        yield f"{name} is read before it is bound in {scope or 'the module'}"


def _early_reads(data: bytes) -> set[tuple[str, str]]:
    """The names that a scope binds, and reads above all places that do; in loops the line below may run first."""
    found: set[tuple[str, str]] = set()
    if parse_error(data):
        return found
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scopes: list[tuple[str, ast.AST]] = [("", ast.parse(data))]
    while scopes:
        path, scope = scopes.pop()
        bound: dict[str, tuple[int, int]] = {}
        read: dict[str, tuple[int, int]] = {}
        for node in _own_nodes(scope):
            if isinstance(node, _FUNCTIONS):
                scopes.append((f"{path}.{getattr(node, 'name', '')}".strip("."), node))
            for name, is_bound in _names(node):
                place = (node.lineno, node.col_offset)  # type: ignore[attr-defined]
                table = bound if is_bound else read
                table[name] = min(table.get(name, place), place)
        parameters = {one.arg for one in ast.walk(scope.args) if isinstance(one, ast.arg)} if path else set()  # type: ignore[attr-defined]
        found |= {(path, name) for name in read.keys() & bound.keys() - parameters if read[name][0] < bound[name][0]}
    return found


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes that a module or a function runs itself, but for those in loops and classes."""
    stack = list(getattr(scope, "body", ()))
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, _FUNCTIONS):
            stack += node.decorator_list
        elif not isinstance(node, (ast.For, ast.AsyncFor, ast.While, ast.ClassDef, ast.Lambda, *_COMPREHENSIONS)):
            stack += ast.iter_child_nodes(node)


def _names(node: ast.AST) -> Iterator[tuple[str, bool]]:
    """The names in a node itself, and whether it binds them."""
    if isinstance(node, ast.Name):
        yield node.id, not isinstance(node.ctx, ast.Load)
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (((one.asname or one.name).partition(".")[0], True) for one in node.names)
    elif isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        yield node.name, True


def layout(before: bytes, after: bytes) -> Iterator[str]:
    """Changes of encoding, byte-order mark, newlines or white space that no fix asked for."""
    if before.startswith(_BOM) != after.startswith(_BOM):
        yield "the byte-order mark came or went"
    if _encoding(before) != _encoding(after):
        yield f"the encoding {_encoding(before)} became {_encoding(after)}"
    if foreign := set(_FOREIGN.findall(after)) - set(_FOREIGN.findall(before)):
        yield f"new bytes outside ASCII: {min(foreign)!r}"
    styles = set(_NEWLINE.findall(before))
    if styles and (new := set(_NEWLINE.findall(after)) - styles):
        yield f"a new kind of newline: {min(new)!r}"
    if _NEWLINE.search(before[-1:]) and not _NEWLINE.search(after[-1:]):
        yield "the final newline went"
    old, new_lines = _lines(before), _lines(after)
    for row, new_row, one, two in _replaced(old, new_lines):
        if one.split() == two.split() and _block(old, row) == _block(new_lines, new_row):
            yield f"only white space changed in line {row}: {one!r} became {two!r}"


def new_messages(before: bytes, after: bytes, notebook: bool = False) -> list[messages.Message]:
    """Pyflakes messages that the fixed code has and the original had not, or had less often.

    Cells that did not parse before are left out: nobody knows what they said.
    """
    pairs = [(one, two) for one, two in zip(cells(before, notebook), cells(after, notebook)) if not parse_error(one)]
    known = Counter(map(_say, pyflakes([one for one, _ in pairs])))
    new = []
    for message in pyflakes([two for _, two in pairs]):
        known[_say(message)] -= 1
        if known[_say(message)] < 0:
            new.append(message)
    return new


def pyflakes(sources: list[bytes]) -> list[messages.Message]:
    """All messages on the sources that parse, taken together as one module."""
    body: list[ast.stmt] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for source in sources:
            if not parse_error(source):
                body += ast.parse(source).body
    found: list[messages.Message] = checker.Checker(ast.Module(body=body, type_ignores=[])).messages
    return found


def cells(data: bytes, notebook: bool) -> list[bytes]:
    """The code of a file: itself, or each code cell of a notebook with its magic lines taken out."""
    if not notebook:
        return [data]
    try:
        document = json.loads(data)
        found = document["cells"] if "cells" in document else document["worksheets"][0]["cells"]
    except (ValueError, LookupError, TypeError):
        return [b"!"]  # no notebook: one cell that never parses
    code = [cell.get("source", cell.get("input", "")) for cell in found if cell.get("cell_type") == "code"]
    texts = ["".join(source) for source in code]
    lines = ["\n".join(_without_magic(line) for line in text.split("\n")) for text in texts]
    return [text.encode("utf-8", "surrogatepass") for text in lines]


def _without_magic(line: str) -> str:
    """A line of IPython's as a statement that does nothing, where it stands."""
    return line[: len(line) - len(line.lstrip())] + "pass" if _MAGIC.search(line) else line


def parse_error(data: bytes) -> str:
    """Why Python cannot parse this, or nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            return f"{type(error).__name__}: {error}"
    return ""


def compile_error(data: bytes) -> str:
    """Why Python cannot compile this, or nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(data, "<file>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            return f"{type(error).__name__}: {error}"
    return ""


def _is_undefined(message: messages.Message, before: bytes) -> bool:
    """Whether a name may be bound by nothing: under a star import, where the original never spoke of it."""
    if isinstance(message, messages.ImportStarUsage):
        return not re.search(rb"\b" + re.escape(str(message.message_args[0]).encode()) + rb"\b", before)
    return isinstance(message, _UNDEFINED)


def _say(message: messages.Message) -> str:
    names = [str(argument) for argument in message.message_args if not isinstance(argument, int)]
    return f"{type(message).__name__} {' '.join(names)}".rstrip()


def _encoding(data: bytes) -> str:
    try:
        return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    except SyntaxError:
        return "unknown"


def _lines(data: bytes) -> list[bytes]:
    ends = [match.end() for match in _NEWLINE.finditer(data)]
    return [data[start:end] for start, end in zip([0, *ends], [*ends, len(data)]) if start < end]


def _block(lines: list[bytes], row: int) -> bytes:
    """The line above a row that is indented less: where it changes, white space says what it did not say before."""
    indent = _indent(lines[row - 1])
    above = (line for line in reversed(lines[: row - 1]) if line.strip() and _indent(line) < indent)
    return next(above, b"").strip()


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def _replaced(old: list[bytes], new: list[bytes]) -> Iterator[tuple[int, int, bytes, bytes]]:
    """Runs of lines that were replaced, with the rows they start at before and after."""
    for tag, start, end, new_start, new_end in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
        if tag == "replace":
            yield start + 1, new_start + 1, b"".join(old[start:end]), b"".join(new[new_start:new_end])


def _first_difference(one: bytes, two: bytes) -> str:
    for row, (left, right) in enumerate(zip(_lines(one), _lines(two)), 1):
        if left != right:
            return f"line {row}: {left.strip()!r} to {right.strip()!r}"
    return "the number of lines"
