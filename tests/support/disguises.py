"""Python code in other clothes: the same statement in places, spellings and encodings where rules go wrong."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from textwrap import indent

from devlint.syntax.parse import compiles

Wrap = Callable[[str], str]


@dataclass(frozen=True)
class Disguise:
    """A program in some clothes, as the bytes of a file."""

    name: str
    data: bytes

    @property
    def is_python(self) -> bool:
        """Whether the running Python compiles it."""
        return is_python(self.data)


@dataclass(frozen=True)
class Program:
    """The imports a piece of code begins with, and the rest."""

    imports: str
    body: str

    @property
    def text(self) -> str:
        return f"{self.imports}{self.body}"


def split(text: str) -> Program:
    """``text`` as imports and body; torch is imported if nothing is."""
    tree = ast.parse(text)
    lines = text.splitlines(keepends=True)
    last = 0
    for statement in tree.body:
        is_docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if not isinstance(statement, (ast.Import, ast.ImportFrom)) and not is_docstring:
            break
        last = statement.end_lineno or 0
    imports = "".join(lines[:last])
    if "import" not in text:
        imports = f"import torch\n{imports}"
    return Program(imports, "".join(lines[last:]).strip("\n") + "\n")


def disguises(text: str) -> Iterator[Disguise]:
    """``text`` in every disguise; not all of them are Python."""
    program = split(text)
    for name, wear in STATEMENTS.items():
        yield _utf8(name, program.imports + wear(program.body))
    for start, end, expression in expressions(program.body):
        for name, wrap in EXPRESSIONS.items():
            yield _utf8(name, program.imports + wrap(expression))
        around = program.body[:start], program.body[end:]
        for name, wrap in IN_PLACE.items():
            yield _utf8(name, program.imports + around[0] + wrap(expression) + around[1])
    yield from _imports(program)
    yield from _files(program.text)


def _utf8(name: str, text: str) -> Disguise:
    return Disguise(name, text.encode())


def is_python(text: str | bytes) -> bool:
    """Whether the running Python compiles ``text``."""
    return compiles(text) is None


def _in(header: str, width: str = "    ") -> Wrap:
    return lambda body: f"{header}\n{indent(body, width)}"


def _one_line(header: str, joint: str = "; ") -> Wrap:
    return lambda body: f"{header}{joint.join(body.splitlines())}\n"


STATEMENTS: dict[str, Wrap] = {
    "as it is": lambda body: body,
    "function": _in("def f(x, y, model, args):"),
    "function with docstring": lambda body: f'def f(x):\n    """Doc."""\n\n{indent(body, "    ")}',
    "function with device": _in("def f(x, device):"),
    "function with device=None": _in("def f(x, device=None, **k):"),
    "async function": _in("async def f(*a, **k):"),
    "method": lambda body: f"class A(torch.nn.Module):\n    def f(self, x):\n{indent(body, ' ' * 8)}",
    "static method": lambda body: f"class A:\n    @staticmethod\n    def f(x):\n{indent(body, ' ' * 8)}",
    "nested function": lambda body: f"def f(x):\n    def g(y):\n{indent(body, ' ' * 8)}    return g\n",
    "class body": _in("class A:"),
    "only statement of if": _in("if x:"),
    "else": lambda body: f"if x:\n    pass\nelse:\n{indent(body, '    ')}",
    "for": _in("for x in y:"),
    "for device": _in("for device in phones:"),
    "while": _in("while x:"),
    "with": _in("with open(x) as f:"),
    "try": lambda body: f"try:\n{indent(body, '    ')}except ValueError:\n    pass\n",
    "finally": lambda body: f"try:\n    pass\nfinally:\n{indent(body, '    ')}",
    "main guard": _in('if __name__ == "__main__":'),
    "main function": lambda body: f"def main():\n{indent(body, '    ')}\n\nif __name__ == '__main__':\n    main()\n",
    "after a function": lambda body: f"def f():\n    pass\n\n\n{body}",
    "one-line if": _one_line("if x: "),
    "one-line def": _one_line("def f(x): "),
    "one-line class": _one_line("class A: "),
    "semicolons": lambda body: f"a = 1; {'; '.join(body.splitlines())}; b = 2;\n",
    "device is a phone": lambda body: f"device = 'phone'\n{body}",
    "device is deleted": lambda body: f"device = 1\ndel device\n{body}",
    "device comes later": lambda body: f"{body}device = torch.device('cpu')\n",
    "device in a branch": lambda body: f"if x:\n    device = torch.device('cpu')\n{body}",
    "device is a function": lambda body: f"def device():\n    pass\n\n\n{body}",
    "device is imported": lambda body: f"from phones import device\n{body}",
    "star import": lambda body: f"from phones import *\n{body}",
    "visible devices": lambda body: f"import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '1'\n{body}",
    "visible devices later": lambda body: f"import os\n{body}os.environ['CUDA_VISIBLE_DEVICES'] = '1'\n",
    "flag": lambda body: f"use_cuda = torch.cuda.is_available()\n{body}",
    "guard": lambda body: f"if torch.cuda.is_available():\n{indent(body, '    ')}",
    "guarded by flag": lambda body: f"if args.cuda:\n{indent(body, '    ')}else:\n    pass\n",
    "early exit": lambda body: (
        f"def f(x):\n    if not torch.cuda.is_available():\n        return\n{indent(body, '    ')}"
    ),
    "twice": lambda body: f"{body}{body}",
    "comments": lambda body: f"# above\n\n{body.rstrip()}  # behind\n# below\n",
    "global": lambda body: f"def f(x):\n    global device\n{indent(body, '    ')}",
    "match": lambda body: f"match x:\n    case 1:\n{indent(body, ' ' * 8)}",
    "long indent": _in("if x:", " " * 7),
}

EXPRESSIONS: dict[str, Wrap] = {
    "parentheses": lambda e: f"y = ({e})\n",
    "many parentheses": lambda e: f"y = (( ({e}) ))\n",
    "several lines with comments": lambda e: f"y = (  # one\n    # two\n    {e}  # three\n    # four\n)\n",
    "lambda": lambda e: f"y = lambda x: {e}\n",
    "lambda default": lambda e: f"y = lambda x={e}: x\n",
    "comprehension": lambda e: f"y = [{e} for x in z if x]\n",
    "generator argument": lambda e: f"y = g({e} for x in z)\n",
    "comprehension over it": lambda e: f"y = {{x for x in {e}}}\n",
    "decorator": lambda e: f"@g({e})\ndef h():\n    pass\n",
    "default argument": lambda e: f"def h(a={e}, *, b={e}):\n    return a\n",
    "annotation": lambda e: f"def h(a: {e}) -> {e}:\n    return a\n",
    "trailing comma": lambda e: f"y = g({e},)\n",
    "stars": lambda e: f"y = g(*a, {e}, **k)\n",
    "starred": lambda e: f"y = g(*{e}, **{e})\n",
    "keyword": lambda e: f"y = g(key={e})\n",
    "in itself": lambda e: f"y = g({e})({e})\n",
    "f-string": lambda e: f"y = f'{{{e}}}'\n",
    "f-string, triple quotes": lambda e: f'y = f"""a {{{e}}} b"""\n',
    "attribute of it": lambda e: f"y = {e}.size\n",
    "call of it": lambda e: f"y = {e}(1)\n",
    "item of it": lambda e: f"y = {e}[0]\n",
    "key": lambda e: f"y = d[{e}]\n",
    "operands": lambda e: f"y = {e} + {e} * {e}\n",
    "minus": lambda e: f"y = -{e}\n",
    "comparison": lambda e: f"y = {e} == {e}\n",
    "and, or, not": lambda e: f"y = not {e} and {e} or {e}\n",
    "conditional": lambda e: f"y = {e} if x else z\n",
    "conditional on it": lambda e: f"y = x if {e} else z\n",
    "dictionary": lambda e: f"y = {{'a': {e}, **{e}}}\n",
    "tuple": lambda e: f"y, z = {e}, {e}\n",
    "return": lambda e: f"def f(x):\n    return {e}\n",
    "yield": lambda e: f"def f(x):\n    yield {e}\n    z = yield {e}\n",
    "assert": lambda e: f"assert {e}, {e}\n",
    "walrus": lambda e: f"if (y := {e}): pass\n",
    "with item": lambda e: f"with {e} as f, {e}:\n    pass\n",
    "loop over it": lambda e: f"for i in {e}:\n    pass\n",
    "while it": lambda e: f"while {e}: pass\n",
    "augmented": lambda e: f"y += {e}\n",
    "class attribute": lambda e: f"class A(g({e})):\n    y: int = {e}\n",
    "statement": lambda e: f"{e}\n",
    "attribute target": lambda e: f"self.device = x.device = {e}\n",
    "continuation": lambda e: f"y = 1 + \\\n    {e}\n",
    "print": lambda e: f"print({e}, file=f)\n",
    "await": lambda e: f"async def f():\n    await {e}\n",
    "raise": lambda e: f"def f():\n    raise {e} from {e}\n",
    "type ignore": lambda e: f"y = {e}  # type: ignore\n",
}

IN_PLACE: dict[str, Wrap] = {
    "parentheses in place": lambda e: f"({e})",
    "lines in place": lambda e: f"(  # one\n    {e}\n    # two\n)",
}


def expressions(body: str) -> list[tuple[int, int, str]]:
    """Each statement's value in ``body``, with its place."""
    starts = [0]
    for line in body.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for node in ast.walk(ast.parse(body)):
        value = getattr(node, "value", None) if isinstance(node, (ast.Assign, ast.Expr, ast.Return)) else None
        if value is not None and body.isascii():
            start = starts[value.lineno - 1] + value.col_offset
            end = starts[value.end_lineno - 1] + value.end_col_offset
            found.append((start, end, body[start:end]))
    return found


def _imports(program: Program) -> Iterator[Disguise]:
    """torch under another name, imported elsewhere, or not torch at all."""
    renamed = _rename(program.text, "torch", "th")
    if "import torch\n" in renamed:
        yield _utf8("import torch as th", renamed.replace("import torch\n", "import torch as th\n", 1))
    local = indent(program.text, "    ")
    yield _utf8("local import", f"def f(x):\n{local}")
    yield _utf8("import in try", f"try:\n    import torch\nexcept ImportError:\n    torch = None\n{program.text}")
    yield _utf8("torch is a parameter", f"{program.imports}def f(torch):\n{indent(program.body, '    ')}")
    yield _utf8("torch is shadowed", f"{program.imports}torch = Torch()\n{program.body}")
    yield _utf8("no import", program.body)
    yield _utf8("import below", f"{program.body}{program.imports}")
    yield _utf8("future", f'"""Doc."""\nfrom __future__ import annotations\n{program.text}')
    yield _utf8("shebang", f"#!/usr/bin/env python\n# License\n\n{program.text}")


def _rename(text: str, old: str, new: str) -> str:
    """``text`` with the variable ``old`` called ``new``, but not in imports, attributes and strings."""
    lines = text.splitlines(keepends=True)
    before = ""
    places = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME and token.string == old and before != ".":
            if not token.line.lstrip().startswith(("import", "from")):
                places.append(token.start)
        before = token.string
    for row, column in reversed(places):
        line = lines[row - 1]
        lines[row - 1] = line[:column] + new + line[column + len(old) :]
    return "".join(lines)


def _files(text: str) -> Iterator[Disguise]:
    """The same text as other bytes."""
    yield Disguise("CRLF", text.replace("\n", "\r\n").encode())
    yield Disguise("BOM", b"\xef\xbb\xbf" + text.encode())
    yield Disguise("BOM and CRLF", b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    yield Disguise("no final newline", text.rstrip("\n").encode())
    yield _utf8("tabs", "if True:\n" + indent(text, "\t"))
    yield _utf8("form feed", f"import os\n\f\n{text}\n\f\nx = 1\n")
    yield _utf8("form feed before code", f"import os\n\f{text}")
    yield _utf8("backslash", text.replace(" = ", " = \\\n    "))
    yield _utf8("wide characters", f"# \U0001f600 é\ns = 'é\U0001f600'\n{text}")
    latin = f"# -*- coding: latin-1 -*-\n# \xe9t\xe9\n{text}"
    if all(ord(character) < 256 for character in latin):
        yield Disguise("latin-1", latin.encode("latin-1"))
