"""Input at its worst, by name and size: what a linter of untrusted files has to survive in bounded time and memory."""

from __future__ import annotations

import json
from collections.abc import Callable

HEAD = 'import torch\nimport torch.nn as nn\ndevice = torch.device("cuda")\n'
"""What every case begins with: with the words that the rules look for, so that all facts are asked."""
TAIL = "y = x.cuda().to(device)\nz = torch.zeros(3, device=device)\n"

Make = Callable[[int], str]


def _lines(line: str, count: int) -> str:
    """``line`` so many times, ``#`` standing for its number."""
    return "".join(line.replace("#", str(number)) + "\n" for number in range(count))


def _parts(part: str, count: int, between: str = ", ") -> str:
    """``part`` so many times on one line."""
    return between.join(part.replace("#", str(number)) for number in range(count))


def _nested(line: str, count: int, inner: str, step: str = " ") -> str:
    """``line`` below itself, so many times, and ``inner`` innermost."""
    return (
        "".join(step * depth + line.replace("#", str(depth)) + "\n" for depth in range(count))
        + f"{step * count}{inner}\n"
    )


def _around(before: str, after: str, inner: str = "x.cuda()") -> Make:
    """``inner`` between n times ``before`` and n times ``after``."""
    return lambda n: f"v = {before * n}{inner}{after * n}\n"


def _tries(n: int) -> str:
    return (
        "".join(" " * i + "try:\n" for i in range(n))
        + " " * n
        + "x.cuda()\n"
        + "".join(" " * i + "finally:\n" + " " * i + " pass\n" for i in reversed(range(n)))
    )


def _f_strings(n: int) -> str:
    """Nested as PEP 701 allows."""
    return "v = " + 'f"{' * n + "x.cuda()" + '}"' * n + "\n"


NESTING: dict[str, Make] = {
    "parentheses": _around("(", ")"),
    "brackets": _around("[", "]"),
    "mixed brackets": _around("([{1: ", "}])"),
    "dictionaries": _around("{'a': ", "}"),
    "tuples": _around("(1, ", ")"),
    "calls": _around("f(", ")"),
    "keyword calls": _around("f(device=", ")"),
    "moves": _around("f(x.cuda(), ", ")"),
    "subscripts": _around("a[", "]"),
    "f-strings": _f_strings,
    "lambdas": _around("lambda a: ", ""),
    "lambda defaults": _around("lambda a=", ": a"),
    "walruses": lambda n: "v = " + "".join(f"(a{i} := " for i in range(n)) + "x.cuda()" + ")" * n + "\n",
    "comprehensions": _around("[", " for a in b]"),
    "generator arguments": _around("f(", " for a in b)"),
    "not": _around("not ", ""),
    "minus": _around("-", ""),
    "tilde": _around("~", ""),
    "await": lambda n: "async def f():\n    v = " + "await " * n + "x.cuda()\n",
    "stars": lambda n: "v = f(" + "*" * 2 + "(" * n + "x.cuda()" + ")" * n + ")\n",
    "star lists": _around("[*", "]"),
    "functions": lambda n: _nested("def f#(device):", n, "x.cuda()"),
    "classes": lambda n: _nested("class C#(nn.Module):", n, "y = x.cuda()"),
    "ifs": lambda n: _nested("if a:", n, "x.cuda()"),
    "guards": lambda n: _nested("if torch.cuda.is_available():", n, "x = x.cuda()"),
    "fors": lambda n: _nested("for a in b:", n, "x.cuda()"),
    "whiles": lambda n: _nested("while a:", n, "x.cuda()"),
    "withs": lambda n: _nested("with torch.cuda.device(#):", n, "x.cuda()"),
    "tries": _tries,
    "matches": lambda n: (
        "".join("  " * i + "match a:\n" + "  " * i + " case b:\n" for i in range(n)) + "  " * n + "x.cuda()\n"
    ),
    "patterns": lambda n: "match a:\n case " + "[" * n + "b" + "]" * n + ":\n  x.cuda()\n",
    "type arguments": _around("dict[str, ", "]", "int"),
    "annotations": lambda n: "v: " + "list[" * n + "int" + "]" * n + " = x.cuda()\n",
    "type parameters": lambda n: "def f[T: " + "(" * n + "int" + ")" * n + "](): x.cuda()\n",
    "unclosed parentheses": lambda n: "v = " + "(" * n + "x.cuda()\n",
    "unopened parentheses": lambda n: "v = x.cuda()" + ")" * n + "\n",
    "parentheses in a comment": lambda n: "# " + "(" * n + "\nx.cuda()\n",
    "parentheses in a string": lambda n: "v = '" + "(" * n + "'\nx.cuda()\n",
    "dedents": lambda n: "".join(
        " " * (i % 90) + ("if a:\n" if i % 90 < 89 else "x.cuda()\n") for i in range(90 * (n // 90))
    ),
}
"""By name, what makes n levels of nesting."""

CHAINS: dict[str, Make] = {
    "attributes": lambda n: "v = x" + ".a" * n + ".cuda()\n",
    "method calls": lambda n: "v = x" + ".cuda()" * n + "\n",
    "method calls, one a line": lambda n: "v = (x\n" + "    .cuda()\n" * n + ")\n",
    "method calls with arguments": lambda n: "v = x" + ".to(device, non_blocking=True)" * n + "\n",
    "calls of calls": lambda n: "v = x.cuda" + "()" * n + "\n",
    "indices": lambda n: "v = x.cuda()" + "[0]" * n + "\n",
    "slices": lambda n: "v = x.cuda()" + "[1:2:3]" * n + "\n",
    "sum": lambda n: "v = " + "a + " * n + "x.cuda()\n",
    "sum, one a line": lambda n: "v = (" + "a +\n    " * n + "x.cuda())\n",
    "sum, operator first": lambda n: "v = (a" + "\n    + a" * n + "\n + x.cuda())\n",
    "sum with comments": lambda n: "v = (a" + "  # why\n    + a" * n + "\n + x.cuda())\n",
    "sum of strings": lambda n: "v = " + "'a, b' + " * n + "str(x.cuda())\n",
    "sum of calls": lambda n: "v = " + "x.cuda(0, 1) + " * n + "x\n",
    "sum of lists": lambda n: "v = " + "[a, b] + " * n + "x\n",
    "powers": lambda n: "v = " + "a ** " * n + "x.cuda()\n",
    "mixed operators": lambda n: "v = " + "a + b * c - d / e % " * (n // 5) + "x.cuda()\n",
    "bit operators": lambda n: "v = " + "a | b & c ^ d << " * (n // 4) + "x.cuda()\n",
    "matrix products": lambda n: "v = " + "a @ " * n + "x.cuda()\n",
    "and": lambda n: "v = " + "a and " * n + "x.cuda()\n",
    "or, one a line": lambda n: "if (" + "a ==\n  1 or " * n + "x.is_cuda):\n  x.cuda()\n",
    "and or not": lambda n: "v = " + "a and not b or " * (n // 3) + "x.is_cuda\n",
    "availability": lambda n: "v = " + "torch.cuda.is_available() and " * n + "x.cuda()\n",
    "comparison": lambda n: "v = " + "a < " * n + "x.cuda()\n",
    "in": lambda n: "v = " + "a in " * n + "x.cuda()\n",
    "is not": lambda n: "v = " + "a is not " * n + "x.cuda()\n",
    "device comparison": lambda n: "v = " + "x.device.type == 'cuda' or " * n + "a\n",
    "conditional": lambda n: "v = " + "a if b else " * n + "x.cuda()\n",
    "conditional, one a line": lambda n: "v = (" + "a if b else\n  " * n + "x.cuda())\n",
    "conditional of devices": lambda n: "v = " + "'cuda' if torch.cuda.is_available() else " * n + "'cpu'\n",
    "conditional in conditional": lambda n: "v = " + "(a if " * n + "b" + " else c)" * n + "\n",
    "implicit strings": lambda n: "v = (" + "'cuda' " * n + ")\nx.cuda()\n",
    "implicit strings, one a line": lambda n: "v = (\n" + "    'cuda'\n" * n + ")\nx.cuda()\n",
    "implicit f-strings": lambda n: "v = (" + "f'cuda:{i}' " * n + ")\n",
    "elifs": lambda n: "if a: pass\n" + "elif b: x.cuda()\n" * n,
    "elifs of devices": lambda n: "if a: pass\n" + _lines("elif device == 'cuda:#':\n    x.cuda(#)", n),
    "elifs of guards": lambda n: "if a: pass\n" + "elif torch.cuda.is_available(): x.cuda()\n" * n,
    "else ifs": lambda n: (
        "".join(" " * i + "if a: pass\n" + " " * i + "else:\n" for i in range(n)) + " " * n + "x.cuda()\n"
    ),
    "excepts": lambda n: "try: x.cuda()\n" + _lines("except E#: pass", n),
    "cases": lambda n: "match a:\n" + _lines(" case #: x.cuda()", n),
    "case alternatives": lambda n: "match a:\n case " + _parts("#", n, " | ") + ": x.cuda()\n",
    "decorators": lambda n: "@d\n" * n + "def f(device): x.cuda()\n",
    "decorators of guards": lambda n: "@skipUnless(torch.cuda.is_available(), 'c')\n" * n + "def f(): x.cuda()\n",
    "with items": lambda n: "with " + _parts("open(#) as f#", n) + ": x.cuda()\n",
    "with devices": lambda n: "with " + _parts("torch.cuda.device(#)", n) + ": x.cuda()\n",
    "for clauses": lambda n: "v = [x.cuda()" + " for a in b" * n + "]\n",
    "if clauses": lambda n: "v = [x.cuda() for a in b" + " if a" * n + "]\n",
    "targets": lambda n: _parts("a#", n, " = ") + " = x.cuda()\n",
    "targets of devices": lambda n: "device = " * n + "torch.device('cuda')\n",
    "backslashes": lambda n: "v = \\\n" + "\\\n" * n + "x.cuda()\n",
    "backslashes in a sum": lambda n: "v = " + "a + \\\n  " * n + "x.cuda()\n",
    "semicolons": lambda n: "x.cuda();" * n + "\n",
    "string formatting": lambda n: "v = " + "'a' % " * n + "x.cuda()\n",
}
"""By name, what makes n links of one expression or statement."""

WIDTHS: dict[str, Make] = {
    "list of numbers": lambda n: f"v = [{_parts('#', n)}]\nx.cuda()\n",
    "list of floats": lambda n: f"v = [{_parts('-0.#e-5', n)}]\nx.cuda()\n",
    "list of numbers, one a line": lambda n: "v = [\n" + _lines("    #,", n) + "]\nx.cuda()\n",
    "list of strings": lambda n: "v = [" + _parts("'cuda:#'", n) + "]\n",
    "list of names": lambda n: f"v = [{_parts('a#', n)}]\nx.cuda()\n",
    "list of calls": lambda n: f"v = [{_parts('x.cuda()', n)}]\n",
    "list of devices": lambda n: "v = [" + _parts("torch.device('cuda:#')", n) + "]\n",
    "list of tuples": lambda n: f"v = [{_parts('(1, 2, a)', n)}]\nx.cuda()\n",
    "dictionary": lambda n: "v = {" + _parts("'k#': #", n) + "}\nx.cuda()\n",
    "dictionary of devices": lambda n: "v = {" + _parts("'k#': 'cuda'", n) + "}\n",
    "set of strings": lambda n: "v = {" + _parts("'#'", n) + "}\nx.cuda()\n",
    "tuple": lambda n: f"v = {_parts('a', n)}\nx.cuda()\n",
    "arguments": lambda n: f"v = f({_parts('x.cuda()', n)})\n",
    "keyword arguments": lambda n: f"v = f({_parts('k#=x.cuda()', n)})\n",
    "parameters": lambda n: f"def f({_parts('a#', n)}, device='cuda'): x.cuda()\n",
    "defaults": lambda n: "def f(" + _parts("a#='cuda'", n) + "): x.cuda()\n",
    "annotated parameters": lambda n: f"def f({_parts('a#: torch.Tensor', n)}): return a1.cuda()\n",
    "lambda parameters": lambda n: f"f = lambda {_parts('a#', n)}: x.cuda()\n",
    "type parameter list": lambda n: f"def f[{_parts('T#', n)}](): x.cuda()\n",
    "bases": lambda n: f"class C({_parts('B#', n)}): y = x.cuda()\n",
    "imported names": lambda n: f"from a import {_parts('b#', n)}\nx.cuda()\n",
    "imported modules": lambda n: f"import {_parts('b#', n)}\nx.cuda()\n",
    "globals": lambda n: f"def f():\n  global {_parts('g#', n)}\n  x.cuda()\n",
    "deleted names": lambda n: f"del {_parts('g#', n)}\nx.cuda()\n",
    "unpacking": lambda n: f"{_parts('a#', n)} = x.cuda()\n",
    "slices in an index": lambda n: f"v = x.cuda()[{_parts('1:2', n)}]\n",
    "f-string parts": lambda n: "v = f'" + "{x.cuda()} " * n + "'\n",
    "comments of cuda": lambda n: "# cuda\n" * n + "x.cuda()\n",
    "short statements": lambda n: _lines("a = #", n) + "x.cuda()\n",
    "bare names": lambda n: "a\n" * n + "x.cuda()\n",
    "passes": lambda n: "pass\n" * n + "x.cuda()\n",
    "imports": lambda n: _lines("import m#", n) + "x.cuda()\n",
    "imports of torch": lambda n: "import torch\n" * n + "x.cuda()\n",
    "imports under a name": lambda n: _lines("import torch as t#", n) + "t1.zeros(2).cuda()\n",
    "from imports": lambda n: _lines("from torch import cuda as c#", n) + "c1.empty_cache()\n",
    "amp imports": lambda n: _lines("from torch.cuda.amp import autocast as c#", n) + _lines("with c#(): pass", n),
    "functions": lambda n: _lines("def f#(a): return a", n) + "x.cuda()\n",
    "functions with a device": lambda n: _lines("def f#(a, device): return a.to(device).cuda()", n),
    "functions with a default": lambda n: _lines("def f#(a, device='cuda'): return a.to(device)", n),
    "functions that call the next": lambda n: _lines(
        "def f#(a, device='cuda'):\n  f#1(a, device)\n  return a.cuda()", n
    ),
    "functions that make tensors": lambda n: _lines("def f#(a):\n  b = torch.zeros(3)\n  return (a + b).cuda()", n),
    "methods": lambda n: "class C(nn.Module):\n" + _lines("  def f#(self, a): return self.f1(a).cuda()", n),
    "methods with a device": lambda n: (
        "class C:\n def __init__(self): self.device = device\n" + _lines(" def f#(self, a): return a.cuda()", n)
    ),
    "class attributes": lambda n: "class C:\n" + _lines("  a# = x.cuda()", n),
    "instance attributes": lambda n: (
        "class C(nn.Module):\n def __init__(self):\n" + _lines("  self.a# = torch.zeros(3).cuda()", n)
    ),
    "classes": lambda n: _lines("class C#(nn.Module):\n  def f(self): return self.x.cuda()", n),
    "inheritance": lambda n: (
        "class C0(nn.Module): pass\n"
        + "".join(f"class C{i + 1}(C{i}):\n  def f(self): return self.x.cuda()\n" for i in range(n))
    ),
    "moves": lambda n: "def f(x):\n" + "  x.cuda()\n" * n,
    "moves of one name": lambda n: "def f(x):\n" + "  x = x.cuda()\n" * n,
    "moves of one name in a module": lambda n: "x = torch.zeros(1)\n" + "x = x.cuda()\n" * n,
    "moves of many names": lambda n: "def f():\n" + _lines("  a# = torch.zeros(2)\n  a# = a#.cuda()", n),
    "moves of many names in a module": lambda n: _lines("a# = torch.zeros(2)\na# = a#.cuda()", n),
    "moves to a device": lambda n: "def f(x):\n" + "  x = x.to('cuda')\n" * n,
    "tensors made and moved": lambda n: _lines("v# = torch.zeros(#).cuda()", n),
    "calls of methods": lambda n: _lines("v# = torch.zeros(#).cpu()", n) + "x.cuda()\n",
    "models": lambda n: _lines("m# = nn.Linear(2, 2).cuda()\nopt# = torch.optim.SGD(m#.parameters())", n),
    "factories": lambda n: "def f():\n" + _lines("  a# = torch.zeros(2)", n) + "  return x.cuda()\n",
    "devices": lambda n: _lines("device = torch.device('cuda:#')", n) + "x.cuda()\n",
    "devices by name": lambda n: _lines("device# = torch.device('cuda')\nx.to(device#)", n),
    "devices on guards": lambda n: _lines("device# = 'cuda' if torch.cuda.is_available() else 'cpu'\nx.to(device#)", n),
    "aliases": lambda n: "a0 = torch.zeros(2)\n" + "".join(f"a{i + 1} = a{i}\n" for i in range(n)) + f"a{n}.cuda()\n",
    "aliases of a device": lambda n: (
        "a0 = device\n" + "".join(f"a{i + 1} = a{i}\n" for i in range(n)) + f"x.to(a{n})\nx.cuda()\n"
    ),
    "aliases of a device backwards": lambda n: (
        "def f():\n" + "".join(f"  a{i} = a{i + 1}\n" for i in reversed(range(n))) + "  x.to(a0)\n  x.cuda()\n"
    ),
    "aliases of a guard": lambda n: (
        "a0 = torch.cuda.is_available()\n" + "".join(f"a{i + 1} = a{i}\n" for i in range(n)) + f"if a{n}: x.cuda()\n"
    ),
    "aliases of torch": lambda n: (
        "a0 = torch\n" + "".join(f"a{i + 1} = a{i}\n" for i in range(n)) + f"a{n}.zeros(1).cuda()\n"
    ),
    "guards": lambda n: "if torch.cuda.is_available():\n    x = x.cuda()\n" * n,
    "guards by a flag": lambda n: "use = torch.cuda.is_available()\n" + "if use:\n    x = x.cuda()\n" * n,
    "guards by many flags": lambda n: _lines("use# = torch.cuda.is_available()\nif use#:\n    x = x.cuda()", n),
    "guards by an attribute": lambda n: "args.cuda = torch.cuda.is_available()\n" + "if args.cuda:\n    x.cuda()\n" * n,
    "guards by an option": lambda n: (
        "import argparse\np = argparse.ArgumentParser()\n"
        + _lines("p.add_argument('--cuda#', action='store_true', default=torch.cuda.is_available())", n)
        + "args = p.parse_args()\n"
        + _lines("if args.cuda#: x.cuda()", n)
    ),
    "guards with an exit": lambda n: "def f():\n" + "  if not torch.cuda.is_available(): return\n" * n + "  x.cuda()\n",
    "exceptions": lambda n: "try:\n    x.cuda()\nexcept RuntimeError:\n    pass\n" * n,
    "tensor checks": lambda n: "if x.is_cuda and x.device.type == 'cuda': x.cuda()\n" * n,
    "type checks": lambda n: "if isinstance(x, torch.cuda.FloatTensor): x = torch.cuda.FloatTensor(2)\n" * n,
    "tensor aliases": lambda n: _lines(
        "T# = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor\nv = T#(2)", n
    ),
    "streams": lambda n: _lines("s# = torch.cuda.Stream()\nwith torch.cuda.stream(s#): e = torch.cuda.Event()", n),
    "cuda calls": lambda n: "torch.cuda.synchronize(); torch.cuda.empty_cache()\n" * n,
    "cuda calls, one a line": lambda n: "torch.cuda.synchronize()\n" * n,
    "accelerator calls": lambda n: "torch.accelerator.synchronize()\n" * n,
    "environment": lambda n: "import os\n" + "os.environ['CUDA_VISIBLE_DEVICES'] = '0'\n" * n,
    "environment of numbers": lambda n: "import os\n" + _lines("os.environ['CUDA_VISIBLE_DEVICE#'] = #", n),
    "loads": lambda n: _lines("m# = torch.load('a#.pt')", n) + "x.cuda()\n",
    "autocasts": lambda n: (
        "from torch.cuda.amp import autocast, GradScaler\n" + "with autocast():\n    s = GradScaler()\n" * n
    ),
    "loaders": lambda n: (
        "from torch.utils.data import DataLoader\n" + _lines("d# = DataLoader(a, pin_memory=True)", n) + "x.cuda()\n"
    ),
    "nested functions": lambda n: "def g():\n" + _lines("  def f#(a): return a.cuda()", n),
    "lambdas": lambda n: _lines("f# = lambda a: a.cuda()", n),
    "comprehensions": lambda n: _lines("v# = [a.cuda() for a in b]", n),
    "loops": lambda n: "for a, b in loader:\n  a, b = a.cuda(), b.cuda()\n" * n,
    "walruses": lambda n: _lines("if (a# := x.cuda()): pass", n),
    "asserts": lambda n: "assert torch.cuda.is_available()\nx.cuda()\n" * n,
    "suppressions": lambda n: "x.cuda()  # noqa: DEV101\n" * n,
    "useless suppressions": lambda n: "a = 1  # noqa: DEV101\n" * n + "x.cuda()\n",
    "blanket suppressions": lambda n: "a = 1  # devlint: disable=DEV101\n" * n + "x.cuda()\n",
    "comments": lambda n: "# cuda\n" * n + "x.cuda()\n",
    "blank lines": lambda n: "\n" * n + "x.cuda()\n",
    "form feeds": lambda n: "\f\nx.cuda()\n" * n,
    "form feeds before code": lambda n: "\fx.cuda()\n" * n,
    "form feeds alone": lambda n: "\f" * n + "\nx.cuda()\n",
    "CR line ends": lambda n: "x.cuda()\r" * n,
    "CRLF line ends": lambda n: "x.cuda()\r\n" * n,
    "names of other scripts": lambda n: _lines("größe# = x.cuda()", n),
    "strings": lambda n: "'''\n cuda ''' ; x.cuda()\n" * n,
    "quotes": lambda n: "v = '" + '"' * n + "'\nx.cuda()\n",
    "open triple quotes": lambda n: "v = '''" * n + "\nx.cuda()\n",
    "escapes": lambda n: "v = '" + "\\'" * n + "'\nx.cuda()\n",
    "unclosed string": lambda n: "v = '" + "\\'" * n + "\nx.cuda()\n",
    "one string": lambda n: f"v = '{'a' * n}'\nx.cuda()\n",
    "one string of code": lambda n: "v = '''\n" + "x.cuda()\n" * n + "'''\n",
    "one comment": lambda n: f"# {'a' * n}\nx.cuda()\n",
    "one name": lambda n: f"{'a' * n} = x.cuda()\n",
    "one number": lambda n: f"v = {'1' * n}\nx.cuda()\n",
    "spaces": lambda n: "v =" + " " * n + "x.cuda()\n",
    "trailing spaces": lambda n: "v = x.cuda()" + " " * n + "\n",
    "spaces on blank lines": lambda n: (" " * 200 + "\n") * n + "x.cuda()\n",
    "spaces before a comment": lambda n: " " * n + "# c\nx.cuda()\n",
    "docstring of examples": lambda n: "def f():\n  '''\n" + "  >>> x.cuda()\n" * n + "  '''\n",
    "docstrings of examples": lambda n: _lines("def f#():\n  '''\n  >>> x.cuda()\n  '''", n),
    "docstring of blocks": lambda n: "def f():\n  '''\n" + "  ```python\n  x.cuda()\n  ```\n" * n + "  '''\n",
    "doctest prompts": lambda n: "'''\n" + ">>> " * n + "x.cuda()\n'''\n",
    "backticks": lambda n: "'''\n" + "`" * n + "\nx.cuda()\n'''\n",
    "a null": lambda n: "x.cuda()\n" * n + "\0",
    "a backslash at the end": lambda n: "x.cuda()\n" * n + "\\",
    "an error at the end": lambda n: "x.cuda()\n" * n + "def f(:\n",
    "unknown characters": lambda n: "x.cuda()\n" + "\x01" * n,
    "surrogates": lambda n: "x.cuda()\n" + "v = '\U0001f600'\n" * n,
}
"""By name, what has n parts side by side."""


def _notebook(sources: list[str], **metadata: object) -> str:
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": one} for one in sources]
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


SHELL = "export CUDA_VISIBLE_DEVICE=0\n"
TEXTS: dict[str, tuple[str, Make]] = {
    "shell lines": ("a.sh", lambda n: SHELL * n),
    "shell words": ("a.sh", lambda n: "run " + "CUDA_VISIBLE_DEVICE=0 " * n + "\n"),
    "shell backslashes": ("a.sh", lambda n: SHELL + "run \\\n" * n + "CUDA_VISIBLE_DEVICE=0\n"),
    "shell of one line": ("a.sh", lambda n: "echo " + "a" * n + "\n" + SHELL),
    "shell of spaces": ("a.sh", lambda n: "run" + " " * n + "CUDA_VISIBLE_DEVICE=0\n"),
    "shell of quotes": ("a.sh", lambda n: "'" * n + "CUDA_VISIBLE_DEVICE=0\n"),
    "shell of here documents": ("a.sh", lambda n: "python - <<EOF\nimport torch\nx.cuda()\nEOF\n" * n),
    "shell suppressions": ("a.sh", lambda n: "# noqa: DEV302\nexport CUDA_VISIBLE_DEVICE=0\n" * n),
    "Dockerfile": ("Dockerfile", lambda n: "ENV CUDA_VISIBLE_DEVICE=0\n" * n),
    "Dockerfile of one instruction": ("Dockerfile", lambda n: "ENV A=1" + " \\\n  CUDA_VISIBLE_DEVICE=0" * n + "\n"),
    "YAML": ("a.yaml", lambda n: "env:\n" + "  CUDA_VISIBLE_DEVICE: 0\n" * n),
    "YAML nested": (
        "a.yaml",
        lambda n: "".join(" " * i + "a:\n" for i in range(min(n, 3000))) + " " * 3000 + "CUDA_VISIBLE_DEVICE: 0\n",
    ),
    "YAML blocks": ("a.yaml", lambda n: "- run: |\n    export CUDA_VISIBLE_DEVICE=0\n" * n),
    "Makefile": ("Makefile", lambda n: "a:\n\tCUDA_VISIBLE_DEVICE=0 python a.py\n" * n),
    "environment file": (".env", lambda n: "CUDA_VISIBLE_DEVICE=0\n" * n),
    "configuration": ("a.ini", lambda n: "[a]\nCUDA_VISIBLE_DEVICE=0\n" * n),
    "batch file": ("a.bat", lambda n: "set CUDA_VISIBLE_DEVICE=0\r\n" * n),
    "Markdown blocks": ("a.md", lambda n: "```python\nimport torch\nx.cuda()\n```\n" * n),
    "Markdown block": ("a.md", lambda n: "```python\nimport torch\n" + "x.cuda()\n" * n + "```\n"),
    "Markdown open blocks": ("a.md", lambda n: "```python\nx.cuda(\n```\n" * n),
    "Markdown fences": ("a.md", lambda n: "```python\n~~~python\n" * n + "x.cuda()\n"),
    "Markdown fence": ("a.md", lambda n: "`" * n + "\nCUDA_VISIBLE_DEVICE=0 x.cuda()\n"),
    "Markdown of shell": ("a.md", lambda n: "```sh\nexport CUDA_VISIBLE_DEVICE=0\n```\n" * n),
    "Markdown suppressions": (
        "a.md",
        lambda n: "<!-- noqa: DEV302 -->\n```sh\nexport CUDA_VISIBLE_DEVICE=0\n```\n" * n,
    ),
    "reStructuredText": ("a.rst", lambda n: ".. code-block:: python\n\n   import torch\n   x.cuda()\n\n" * n),
    "reStructuredText examples": ("a.rst", lambda n: ">>> import torch\n>>> x.cuda()\n1\n\n" * n),
    "reStructuredText doubles": ("a.rst", lambda n: "a::\n\n   x.cuda()\n\n" * n),
    "reStructuredText session": ("a.rst", lambda n: ">>> import torch\n" + ">>> x = x.cuda()\n" * n),
    "reStructuredText directives": ("a.rst", lambda n: ".. code-block:: python\n" * n + "\n   x.cuda()\n"),
    "Markdown quotations": ("a.md", lambda n: "> " * n + "x\n```python\nimport torch\nx.cuda()\n```\n"),
    "shell of nulls": ("a.sh", lambda n: "\0" * n + "\n" + SHELL),
    "YAML of quotes": ("a.yaml", lambda n: "a: '" + "''" * n + "'\nCUDA_VISIBLE_DEVICE: 0\n"),
    "notebook": ("a.ipynb", lambda n: _notebook(["import torch", *["x = x.cuda()"] * n])),
    "notebook of one cell": ("a.ipynb", lambda n: _notebook(["import torch\n" + "x = x.cuda()\n" * n])),
    "notebook of imports": ("a.ipynb", lambda n: _notebook(["import torch\nx.cuda()"] * n)),
    "notebook of commands": ("a.ipynb", lambda n: _notebook(["!CUDA_VISIBLE_DEVICE=0 python a.py"] * n)),
    "notebook of broken cells": ("a.ipynb", lambda n: _notebook(["x.cuda("] * n)),
    "notebook of output": ("a.ipynb", lambda n: _notebook(["import torch\nx.cuda()"], output=["cuda" * 10] * n)),
    "notebook of brackets": ("a.ipynb", lambda n: "[" * n + '"import torch; x.cuda()"'),
    "notebook nested": (
        "a.ipynb",
        lambda n: '{"cells": [], "metadata": ' + '{"a": ' * n + '"torch .cuda()"' + "}" * n + "}",
    ),
    "notebook of nulls": ("a.ipynb", lambda n: "\0" * n + '{"cells": [], "metadata": "import torch; x.cuda()"}'),
    "ignored files": (".gitignore", lambda n: _lines("a*b*c#.py", n)),
    "configuration of devlint": ("devlint.toml", lambda n: "exclude = [" + _parts("'a/**/b#*.py'", n) + "]\n"),
}
"""By name, the file and what makes n parts of a text that is no Python."""
