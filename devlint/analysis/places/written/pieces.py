"""The methods of a class, told apart by their lines."""

from __future__ import annotations

import ast

from devlint.analysis.places.written.definitions import WrittenMethod
from devlint.core.lazy_regex import regex

_DEFINITION = regex(r"def[ \t]")
_STATEMENT = r"\n{}(?:(@)|(?:async[ \t]+)?def[ \t]+(\w+)|(?![#)\]}}\s\"']))"


def members_of(node: ast.ClassDef, text: str, first: int) -> dict[str, WrittenMethod]:
    """The methods of a class that is parsed, which stands in ``text``, whose first row is given."""
    functions = [one for one in node.body if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))]
    if not functions:
        return {}
    lines = text.split("\n")
    found = {}
    for one in functions:
        row = min([one.lineno, *(each.lineno for each in one.decorator_list)])
        written = lines[row - first : (one.end_lineno or row) - first + 1]
        found[one.name] = WrittenMethod("\n".join((*written, "")), row, one)
    return found


def members_of_text(text: str, row: int) -> tuple[dict[str, WrittenMethod], str]:
    """The methods of a class, whose text begins in some row, and the text without them; none where it is no class."""
    indent = _indent_of_members(text) if text.lstrip().startswith(("class", "@")) else ""
    if not indent:
        return {}, text
    statements = [*regex(_STATEMENT.format(indent)).finditer(text)]
    members: dict[str, WrittenMethod] = {}
    rest = []
    at = 0
    decorated: int | None = None
    for index, one in enumerate(statements):
        if one[1]:
            decorated = one.start() + 1 if decorated is None else decorated
            continue
        if one[2]:
            start = one.start() + 1 if decorated is None else decorated
            end = statements[index + 1].start() + 1 if index + 1 < len(statements) else len(text)
            members[one[2]] = WrittenMethod(text[start:end], row + text.count("\n", 0, start))
            rest += [text[at:start], "\n" * text.count("\n", start, end)]
            at = end
        decorated = None
    return members, "".join((*rest, text[at:], "\n", indent, "pass\n"))


def _indent_of_members(text: str) -> str:
    """What stands before the methods of a class; those further in are in methods, or in the examples of a docstring."""
    heads = {text[text.rfind("\n", 0, one.start()) + 1 : one.start()] for one in _DEFINITION.finditer(text)}
    begins = [head[: len(head) - len(head.lstrip())] for head in heads if head.strip() in ("", "async")]
    return min(filter(None, begins), key=lambda one: (len(one), one), default="")
