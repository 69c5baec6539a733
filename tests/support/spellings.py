"""The same program with its tokens, strings, values and imports written in other ways that Python allows.

A spelling says of each place where a program could be written otherwise what would have to change.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator

from devlint.syntax.parse import compiles

Edit = tuple[int, int, str]
"""Where a text begins and ends that becomes another one."""
Change = tuple[Edit, ...]
Spelling = Callable[[str], Iterator[Change]]

KEYWORDS = {
    ("to", 0): "device",
    ("cuda", 0): "device",
    ("device", 0): "type",
    ("device", 1): "index",
    ("load", 1): "map_location",
    ("zeros", 0): "size",
    ("autocast", 0): "device_type",
    ("Generator", 0): "device",
    ("type", 0): "dtype",
    ("init_process_group", 0): "backend",
    ("set_default_device", 0): "device",
    ("set_device", 0): "device",
    ("set_default_tensor_type", 0): "t",
    ("getenv", 0): "key",
}
"""What an argument is called, by the last name of what is called and its position."""
MODULES = frozenset(f"torch.{name}" for name in "cuda cuda.amp nn nn.functional amp backends distributed jit".split())
"""What ``import`` takes: a function of torch is no module."""
NAMED = {letter: f"\\N{{LATIN SMALL LETTER {letter.upper()}}}" for letter in "abcdefghijklmnopqrstuvwxyz"}


def spelled(text: str, changes: Iterable[Change]) -> str:
    """``text`` with all of the changes that leave it Python, and leave it so together."""
    kept: list[Change] = []
    for change in changes:
        if compiles(_made(text, [*kept, change])) is None:
            kept.append(change)
    return _made(text, kept)


def _made(text: str, changes: Iterable[Change]) -> str:
    pieces: list[str] = []
    at = 0
    for start, end, new in sorted((edit for change in changes for edit in change), key=lambda edit: edit[:2]):
        if start >= at:
            pieces += (text[at:start], new)
            at = end
    return "".join((*pieces, text[at:]))


def _gaps(text: str) -> Iterator[tuple[int, int, int]]:
    """What is between two tokens of a line: where it begins and ends, and in how many brackets it is."""
    starts = _line_starts(text)
    depth = last = 0
    lines = (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER, tokenize.COMMENT)
    begins = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in lines:
            begins = True
            continue
        start = starts[token.start[0] - 1] + token.start[1]
        if not begins:
            yield last, start, depth
        begins = False
        depth += (token.string in tuple("([{")) - (token.string in tuple(")]}"))
        last = starts[token.end[0] - 1] + token.end[1]


def between_tokens(filler: str, brackets: bool = False) -> Spelling:
    """``filler`` between any two tokens, or those in brackets."""

    def spelling(text: str) -> Iterator[Change]:
        return (((start, end, filler),) for start, end, depth in _gaps(text) if depth or not brackets)

    return spelling


def of_strings(spell: Callable[[str], str]) -> Spelling:
    """Each string with its value written as ``spell`` writes it."""

    def spelling(text: str) -> Iterator[Change]:
        starts = _line_starts(text)
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.STRING and not re.match(r"[a-zA-Z]*[fFbBtT]", token.string):
                start = starts[token.start[0] - 1] + token.start[1]
                yield ((start, start + len(token.string), spell(ast.literal_eval(token.string))),)

    return spelling


def _escaped(write: Callable[[str], str]) -> Callable[[str], str]:
    """A string of which every third character is escaped, and the first."""
    return lambda value: (
        "'" + "".join(write(one) if at % 3 == 0 else repr(f'"{one}')[2:-1] for at, one in enumerate(value)) + "'"
    )


def around(before: str, behind: str, kind: type[ast.AST] = ast.expr) -> Spelling:
    """Something around each value of some kind."""

    def spelling(text: str) -> Iterator[Change]:
        for node, start, end in _nodes(text, kind):
            if isinstance(getattr(node, "ctx", None) or ast.Load(), ast.Load):
                yield (start, start, before), (end, end, behind)

    return spelling


def around_arguments(before: str, behind: str) -> Spelling:
    """Something around each value that a call is given."""

    def spelling(text: str) -> Iterator[Change]:
        given = [
            (one.lineno, one.col_offset)
            for call, _, _ in _nodes(text, ast.Call)
            if isinstance(call, ast.Call)
            for one in (*call.args, *(keyword.value for keyword in call.keywords))
        ]
        for node, start, end in _nodes(text, ast.expr):
            if isinstance(node, ast.expr) and (node.lineno, node.col_offset) in given:
                yield (start, start, before), (end, end, behind)

    return spelling


def trailing_commas(text: str) -> Iterator[Change]:
    """A comma behind the last argument of each call."""
    for node, _, end in _nodes(text, ast.Call):
        if isinstance(node, ast.Call) and (node.args or node.keywords) and text[end - 1 : end] == ")":
            yield ((end - 1, end - 1, ","),)


def keywords(text: str) -> Iterator[Change]:
    """Arguments by their names."""
    for node, _, _ in _nodes(text, ast.Call):
        assert isinstance(node, ast.Call)
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        for position, argument in enumerate(node.args):
            if (called, position) in KEYWORDS and not isinstance(argument, ast.Starred):
                start = _offset(text, argument.lineno, argument.col_offset)
                yield ((start, start, f"{KEYWORDS[called, position]}="),)


def assignments(template: str) -> Spelling:
    """``{name} = {value}`` in other words."""

    def spelling(text: str) -> Iterator[Change]:
        for node, start, end in _nodes(text, ast.Assign):
            assert isinstance(node, ast.Assign)
            if len(node.targets) == 1:
                name, value = (ast.get_source_segment(text, one) for one in (node.targets[0], node.value))
                yield ((start, end, template.replace("NAME", name or "").replace("VALUE", value or "")),)

    return spelling


def statements(template: str) -> Spelling:
    """A statement that is a value alone in other words."""

    def spelling(text: str) -> Iterator[Change]:
        for _, start, end in _nodes(text, ast.Expr):
            yield ((start, end, template.replace("VALUE", text[start:end])),)

    return spelling


def imported(template: str) -> Spelling:
    """Each name below torch under the name ``c`` that an import above gives it: MODULE is torch, NAME is a part of it."""

    def spelling(text: str) -> Iterator[Change]:
        chains = [(node, start, end) for node, start, end in _nodes(text, ast.Attribute)]
        dotted = [(text[start:end], start, end) for _, start, end in chains]
        at = next((found.end() for found in re.finditer(r"(?m)^import torch(?: as \w+)?\n", text)), 0)
        for chain in sorted({chain for chain, _, _ in dotted if re.fullmatch(r"torch(\.\w+)+", chain)}):
            if template.startswith("import") and chain not in MODULES:
                continue
            module, _, name = chain.rpartition(".")
            line = template.replace("MODULE", module).replace("NAME", name) + "\n"
            renamed = name if "as c" not in line and "c =" not in line else "c"
            yield (at, at, line), *((start, end, renamed) for one, start, end in dotted if one == chain)

    return spelling


def _nodes(text: str, kind: type[ast.AST]) -> Iterator[tuple[ast.AST, int, int]]:
    """The nodes of a kind, with their places in a text."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, kind) and isinstance(node, (ast.expr, ast.stmt)):
            start = _offset(text, node.lineno, node.col_offset)
            yield node, start, _offset(text, node.end_lineno or 0, node.end_col_offset or 0)


def _offset(text: str, row: int, column: int) -> int:
    """Where the character is that ``ast`` places in bytes."""
    start = _line_starts(text)[row - 1]
    return start + len(text[start:].encode()[:column].decode())


def _line_starts(text: str) -> list[int]:
    return [0, *(found.end() for found in re.finditer(r"\r\n|\r|\n", text))]


COMMENT = "\n  # it's \"one\n \t"
SPELLINGS: dict[str, Spelling] = {
    "spaces": between_tokens("  "),
    "tabs between tokens": between_tokens("\t"),
    "form feeds between tokens": between_tokens(" \f "),
    "joined lines": between_tokens(" \\\n  "),
    "lines in brackets": between_tokens(COMMENT, brackets=True),
    "comments in brackets": between_tokens(" # x.to('cpu') '''\n", brackets=True),
    "long comments in brackets": between_tokens(f" # {'it is so ' * 30}\n", brackets=True),
    "single quotes": of_strings(repr),
    "double quotes": of_strings(lambda value: '"' + repr(f"'{value}")[2:-1].replace('"', '\\"') + '"'),
    "triple quotes": of_strings(lambda value: f'"""{value}"""'),
    "triple single quotes": of_strings(lambda value: f"'''{value}'''"),
    "raw strings": of_strings(lambda value: f"R'{value}'"),
    "u strings": of_strings(lambda value: f"U{value!r}"),
    "bytes": of_strings(lambda value: f"B{value!r}"),
    "f-strings": of_strings(lambda value: f"f{value!r}"),
    "triple f-strings": of_strings(lambda value: f'rf"""{value}"""'),
    "hexadecimal escapes": of_strings(_escaped(lambda one: f"\\x{ord(one):02x}" if ord(one) < 256 else one)),
    "octal escapes": of_strings(_escaped(lambda one: f"\\{ord(one):03o}" if ord(one) < 256 else one)),
    "escapes of Unicode": of_strings(_escaped(lambda one: f"\\U{ord(one):08x}")),
    "escapes by name": of_strings(_escaped(lambda one: NAMED.get(one, one))),
    "joined line in strings": of_strings(lambda value: f"'{value[:1]}\\\n{value[1:]}'"),
    "joined line before strings": of_strings(lambda value: f"'\\\n{value}'"),
    "halves of strings": of_strings(lambda value: f"({value[:2]!r} {value[2:]!r})"),
    "halves of strings on lines": of_strings(lambda value: f'(\n  {value[:1]!r}  # it\'s\n  "{value[1:]}")'),
    "nothing and strings": of_strings(lambda value: f"('' {value!r})"),
    "strings and nothing": of_strings(lambda value: f"({value!r}'')"),
    "strings and an f-string": of_strings(lambda value: f"({value!r} f'')"),
    "sums of strings": of_strings(lambda value: f"({value!r} + '')"),
    "parentheses around values": around("(", ")"),
    "parentheses around receivers": around("(", ")", ast.Attribute),
    "parentheses around names": around("(", ")", ast.Name),
    "parentheses around strings": around("((", "))", ast.Constant),
    "lines around values": around(f"({COMMENT}", f"{COMMENT})"),
    "lines around strings": around("(\\\n", "\n )", ast.Constant),
    "parentheses around arguments": around_arguments("(", ")"),
    "arguments in tuples": around_arguments("*(", ",)"),
    "arguments in lists": around_arguments("*[", "]"),
    "arguments with names": around_arguments("(_n := ", ")"),
    "arguments by choice": around_arguments("(", " if _n else None)"),
    "arguments or nothing": around_arguments("", " or None"),
    "trailing commas": trailing_commas,
    "keywords": keywords,
    "unpacked": assignments("NAME, _n = VALUE, 1"),
    "unpacked in parentheses": assignments("(_n, NAME) = (1, VALUE)"),
    "unpacked lists": assignments("[_n, (NAME, _m)] = 1, [VALUE, 2]"),
    "unpacked rest": assignments("NAME, *_n = (\n    VALUE,\n    1,\n)"),
    "annotated": assignments("NAME: object = VALUE"),
    "annotated with a string": assignments("NAME: 'object' = VALUE"),
    "annotated device": assignments("NAME: torch.device = VALUE"),
    "type comment": assignments("NAME = VALUE  # type: object"),
    "walrus statement": assignments("(NAME := VALUE)"),
    "walrus in a test": assignments("if NAME := VALUE: pass"),
    "chained": assignments("_n = NAME = VALUE"),
    "chained before": assignments("NAME = _n = VALUE"),
    "target in parentheses": assignments("(NAME) = VALUE"),
    "no spaces": assignments("NAME=VALUE"),
    "semicolon before": assignments("_n = 1;NAME=VALUE;_m = 2"),
    "loop": assignments("for NAME in [VALUE]: pass"),
    "with as": assignments("with g(VALUE) as NAME: pass"),
    "or": assignments("NAME = _n or VALUE"),
    "of a dict": assignments("NAME = {'a': VALUE}['a']"),
    "called lambda": assignments("NAME = (lambda: VALUE)()"),
    "augmented assignment": assignments("NAME += VALUE"),
    "setattr": assignments("setattr(_n, 'NAME', VALUE)"),
    "field of self": assignments("self.NAME = NAME = VALUE"),
    "statement in parentheses": statements("(VALUE)"),
    "statement with a comma": statements("VALUE,"),
    "statement in a list": statements("[VALUE]"),
    "statement and others": statements("_n = 1; VALUE;VALUE"),
    "statement in a test": statements("if _n: VALUE"),
    "statement given a name": statements("_ = VALUE"),
    "statement given its own name": statements("_n: object = VALUE"),
    "from import as": imported("from MODULE import NAME as c"),
    "from import": imported("from MODULE import NAME"),
    "from import of several": imported("from MODULE import (  # it's\n    nn as _n,\n    NAME as c,)"),
    "from import on lines": imported("from MODULE \\\n  import \\\n  NAME \\\n  as c"),
    "from import with tabs": imported("from\tMODULE\timport\tNAME\tas\tc"),
    "import as": imported("import MODULE.NAME as c"),
    "import as of several": imported("import os, MODULE.NAME  as  c"),
    "import as on lines": imported("import MODULE . \\\n NAME \\\n  as c"),
    "another name": imported("c = MODULE.NAME"),
    "another name in a tuple": imported("c, _n = MODULE.NAME, 1"),
    "another name by getattr": imported("c = getattr(MODULE, 'NAME')"),
    "star import of a module": imported("from MODULE import *"),
}

LONG = "cuda to load device accelerator env " * 3
SURROUNDINGS: dict[str, str] = {
    "quote in a comment": "# don't\nCODE# \"\n",
    "three quotes in a comment": '# it\'s """ or \'\'\'\nCODE# """\n',
    "hash in a string": "_s = '#', \"#'\"\nCODE_s = '''#'''\n",
    "quotes in strings": "_s = \"it's\", 'say \"', '\"\"\"', \"'''\"\nCODE_s = '\"'\n",
    "escaped quotes": "_s = 'it\\'s', \"\\\"\", '\\\\', r'\\', '''\\''''''\n".replace("r'\\'", "r'\\''") + "CODE",
    "backslash at the end": "_s = '\\\\'\nCODE_s = \"\\\\\"\n",
    "string joined to the next line": "_s = 'a\\\n  b'\nCODE_s = \"a\\\n'\"\n",
    "docstring with code": '"""Doc:\n\n    x.cuda("it\'s")  # no\n"""\nCODE',
    "long strings": f"_s = '{LONG}', \"{LONG}\"\nCODE_s = '''{LONG}'''\n",
    "long strings on the line": f"_s = '{LONG}' ; _m = \"{LONG}\"; _n = '''{LONG}'''\nCODE",
    "long f-strings": f"_s = f'{LONG}', F\"{{1}}{LONG}\"\nCODE_s = rf'''{LONG}'''\n",
    "prefixed strings": "_s = rb'\\'', bR\"\\\"\", u'', b''''''\nCODE",
    "empty strings": "_s = '' '' \"\" \"\" '''''' \"\"\"\"\"\"\nCODE_s = ''\n",
    "quotes at the end of strings": "_s = '''a\"''' \"\"\"a'\"\"\" '\"'\nCODE",
    "non-ASCII text": "_s = 'é€\U0001f600' # é'\nCODE",
    "form feed at the start": "\fCODE\f\n",
    "type comments": "def _f(a):\n    # type: (str) -> 'str\n    pass\nCODE",
    "async and match": "async def _f():\n    match a:\n        case 'a' | \"it's\": await b\nCODE",
    "decimals": "_n = 1.0 .real if 0x1f else 1_0.e5j\nCODE",
}


def surrounded(template: str, text: str) -> str:
    """``text`` with lines above and below."""
    return template.replace("CODE", text)
