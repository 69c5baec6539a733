from __future__ import annotations

import libcst as cst
import pytest

from devlint.analysis.names.bindings import How
from devlint.analysis.names.resolution import undefined_names
from devlint.analysis.names.scopes import Scope, bound_values, scopes
from devlint.syntax.file_context import FileContext
from tests.support.rule_cases import source


def label(scope: Scope | None) -> str:
    """``module``, the name of a def or class, ``lambda``, ``comprehension``, or ``nowhere``."""
    if scope is None:
        return "nowhere"
    if isinstance(scope.node, (cst.FunctionDef, cst.ClassDef)):
        return scope.node.name.value
    kind = type(scope.node).__name__
    return "comprehension" if kind.endswith(("Comp", "Exp")) else kind.lower()


# Where the `x` is bound that is read as `x.y`.
BINDERS = [
    ("x = 1\nx.y", "module"),
    ("x.y", "nowhere"),
    ("print.y", "nowhere"),
    ("x = 1\ndef f():\n    x.y", "module"),
    ("x = 1\ndef f():\n    x = 2\n    x.y", "f"),
    ("x = 1\ndef f():\n    x.y\n    x = 2", "f"),
    ("x = 1\ndef f(x):\n    x.y", "f"),
    ("x = 1\ndef f(x=x.y): pass", "module"),
    ("x = 1\ndef f(x) -> x.y: pass", "module"),
    ("x = 1\ndef f(x: x.y): pass", "module"),
    ("x = 1\n@x.y\ndef f(x): pass", "module"),
    ("def f():\n    x = 1\n    def g():\n        x.y", "f"),
    ("def f(x):\n    def g(z=x.y):\n        x = 1", "f"),
    ("def f(*x): x.y", "f"),
    ("def f(*, x): x.y", "f"),
    ("def f(**x): x.y", "f"),
    ("def f(x, /): x.y", "f"),
    # global and nonlocal
    ("def f():\n    global x\n    x = 1\n    x.y", "module"),
    ("x = 1\ndef f():\n    x = 2\n    def g():\n        global x\n        x.y", "module"),
    ("def f():\n    global x\n    x.y", "nowhere"),
    ("def f():\n    x = 1\n    def g():\n        nonlocal x\n        x = 2\n        x.y", "f"),
    ("def f():\n    x = 1\n    def g():\n        nonlocal x\n        def h():\n            x.y", "f"),
    # lambdas
    ("lambda x: x.y", "lambda"),
    ("x = 1\nlambda z: x.y", "module"),
    ("x = 1\nlambda x=x.y: x", "module"),
    ("lambda x: lambda z: x.y", "lambda"),
    # comprehensions
    ("[x.y for x in z]", "comprehension"),
    ("{x.y for x in z}", "comprehension"),
    ("{x.y: 1 for x in z}", "comprehension"),
    ("(x.y for x in z)", "comprehension"),
    ("x = 1\n[x for x in x.y]", "module"),
    ("x = 1\n[a for a in b for x in x.y]", "comprehension"),
    ("[1 for x in z if x.y]", "comprehension"),
    ("[x for x in z]\nx.y", "nowhere"),
    ("[[x.y for a in x] for x in z]", "comprehension"),
    # the walrus binds in the function around
    ("(x := 1)\nx.y", "module"),
    ("[(x := a) for a in b]\nx.y", "module"),
    ("def f():\n    [(x := a) for a in b]\n    x.y", "f"),
    ("[[(x := a) for a in b] for b in c]\nx.y", "module"),
    ("lambda: (x := 1) and x.y", "lambda"),
    # classes
    ("class A:\n    x = 1\n    x.y", "A"),
    ("x = 1\nclass A:\n    x = 2\n    def f(self):\n        x.y", "module"),
    ("class A:\n    x = 1\n    def f(self):\n        x.y", "nowhere"),
    ("class A:\n    x = 1\n    class B:\n        x.y", "nowhere"),
    ("class A:\n    x = 1\n    def f(self, z=x.y): pass", "A"),
    ("class A:\n    x = 1\n    @x.y\n    def f(self): pass", "A"),
    ("class A:\n    x = 1\n    z = lambda: x.y", "nowhere"),
    ("class A:\n    x = 1\n    z = [a for a in x.y]", "A"),
    ("class A:\n    x = 1\n    z = [x.y for a in b]", "nowhere"),
    ("x = 1\nclass A(x.y):\n    x = 2", "module"),
    ("class x:\n    pass\nx.y", "module"),
    ("class x:\n    def f(self):\n        x.y", "module"),
    ("def f():\n    class A:\n        x = 1\n        def g(self):\n            x.y\n    x = 2", "f"),
    # statements that bind
    ("import x\nx.y", "module"),
    ("import x.y.z\nx.y", "module"),
    ("import z as x\nx.y", "module"),
    ("import z.x\nx.y", "nowhere"),
    ("from z import x\nx.y", "module"),
    ("from z import a as x\nx.y", "module"),
    ("from x import a\nx.y", "nowhere"),
    ("for x in z: x.y", "module"),
    ("for a, (b, x) in z: x.y", "module"),
    ("for a, *x in z: x.y", "module"),
    ("with z as x: x.y", "module"),
    ("with z as (a, x): x.y", "module"),
    ("try: pass\nexcept E as x: x.y", "module"),
    ("try: pass\nexcept* E as x: x.y", "module"),
    ("x += 1\nx.y", "module"),
    ("x: int = 1\nx.y", "module"),
    ("a = x = 1\nx.y", "module"),
    ("[a, x] = z\nx.y", "module"),
    ("*x, a = z\nx.y", "module"),
    ("x[0] = 1\nx.y", "nowhere"),
    ("x.z = 1\nx.y", "nowhere"),
    ("match z:\n    case x: x.y", "module"),
    ("match z:\n    case [a, *x]: x.y", "module"),
    ("match z:\n    case {**x}: x.y", "module"),
    ("match z:\n    case A(b=x): x.y", "module"),
    ("match z:\n    case A(x=b): x.y", "nowhere"),
    ("match z:\n    case 1 | 2 as x: x.y", "module"),
    ("def f[x](a): x.y", "f"),
    ("class A[x]: x.y", "A"),
    ("type x = int\nx.y", "module"),
    ("async def f():\n    async with z as x: x.y", "f"),
    ("async def f():\n    return [x.y async for x in z]", "comprehension"),
]


@pytest.mark.parametrize(("text", "expected"), BINDERS)
def test_binder(text: str, expected: str) -> None:
    ctx = FileContext(source(f"{text}\n"))
    (here,) = [
        one.value
        for one in ctx.tree.of_type(cst.Attribute)
        if isinstance(one.value, cst.Name) and (one.value.value, one.attr.value) in (("x", "y"), ("print", "y"))
        if not isinstance(ctx.tree.parent(one), (cst.ImportAlias, cst.Attribute))
    ]
    assert label(scopes(ctx).binder("x", here)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("__d = 1\n__d.y", "module"),
        ("__d = 1\ndef f():\n    __d.y", "module"),
        ("__d = 1\nclass A:\n    def f(self):\n        __d.y", "nowhere"),
        ("__d = 1\nclass A:\n    def f(self):\n        [__d.y for a in self]", "nowhere"),
        ("__d__ = 1\nclass A:\n    def f(self):\n        __d__.y", "module"),
        ("class A:\n    __d = 1\n    __d.y", "A"),
        ("class A:\n    def f(self):\n        __d = 1\n        __d.y", "f"),
        ("def f():\n    __d = 1\n    class A:\n        __d.y", "nowhere"),
    ],
)
def test_the_binder_of_a_private_name_of_a_class(text: str, expected: str) -> None:
    ctx = FileContext(source(f"{text}\n"))
    (here,) = [one.value for one in ctx.tree.of_type(cst.Attribute)]
    assert isinstance(here, cst.Name)
    assert label(scopes(ctx).binder(here.value, here)) == expected


def test_an_annotation_alone_binds_nothing() -> None:
    assert "x" not in scopes(FileContext(source("x: int\n"))).module.bindings


def test_how_names_are_bound() -> None:
    text = """
    import a
    b = 1
    c, d = e
    f, g = 1, 2
    h += 1
    def i(j): pass
    class k: pass
    for l in m: pass
    with n as o: pass
    try: pass
    except E as p: pass
    del q
    match r:
        case s: pass
    """
    table = scopes(FileContext(source(text)))
    how = {name: found[0].how for name, found in table.module.bindings.items()}
    assert how == {
        **dict.fromkeys("a", How.IMPORT),
        **dict.fromkeys("bfg", How.ASSIGN),
        **dict.fromkeys("cd", How.UNPACK),
        "h": How.AUGMENTED,
        "i": How.FUNCTION,
        "k": How.CLASS,
        "l": How.LOOP,
        "o": How.WITH,
        "p": How.EXCEPT,
        "q": How.DELETE,
        "s": How.PATTERN,
    }
    assert table.imported == {"a"} and not table.star_import


@pytest.mark.parametrize(
    ("text", "name", "origin"),
    [
        ("import a.b", "a", "a"),
        ("import a.b as c", "c", "a.b"),
        ("from a import b", "b", "a.b"),
        ("from a.b import c as d", "d", "a.b.c"),
        ("from . import b", "b", ".b"),
        ("from ..a import b", "b", "..a.b"),
    ],
)
def test_origins(text: str, name: str, origin: str) -> None:
    (binding,) = scopes(FileContext(source(f"{text}\n"))).module.bindings[name]
    assert binding.origin == origin


@pytest.mark.parametrize("text", ["from a import *", "try:\n    from a import *\nexcept ImportError:\n    pass"])
def test_star_imports_are_seen_and_bind_nothing_for_certain(text: str) -> None:
    ctx = FileContext(source(f"{text}\nx.y\n"))
    assert scopes(ctx).star_import
    assert undefined_names(ctx) == frozenset({"x"})


@pytest.mark.parametrize(
    ("text", "undefined"),
    [
        ("a", "a"),
        ("a.b", "a"),
        ("f(a=b)", "b f"),
        ("def f(a): return a + b", "b"),
        ("[a for a in b]", "b"),
        ("import a\na", ""),
        ("print(len, __name__, __file__)", ""),
        ("class A:\n    a = 1\n    def f(self): return a", "a"),
        ("class A:\n    def f(self): return __class__", ""),
        ("x: a", "a"),
        ("x: a = 1", "a"),
        ("try: pass\nexcept E as e: e", "E"),
        ("match a:\n    case B(c=1): pass", "B a"),
        ("global a", ""),
        ("f'{a}'", "a"),
        ("del a", ""),
    ],
)
def test_undefined_names(text: str, undefined: str) -> None:
    assert sorted(undefined_names(FileContext(source(f"{text}\n")))) == undefined.split()


def test_function_of() -> None:
    text = """
    def f(a=x0):
        x1
        lambda: x2
        [x3 for x in y]
        class A:
            x4
            def g(self):
                x5
    x6
    """
    ctx = FileContext(source(text))
    found = {}
    for one in ctx.tree.of_type(cst.Name):
        if one.value.startswith("x") and one.value != "x":
            function = scopes(ctx).function_of(one)
            found[one.value] = function.name.value if function is not None else None
    assert found == {"x0": None, "x1": "f", "x2": "f", "x3": "f", "x4": None, "x5": "g", "x6": None}


def test_bound_values() -> None:
    ctx = FileContext(source("x = 1\nx = y = 2\na.b = 3\ndef f(x=4):\n    x = 5\n    here\n    a.b = 6\nhere\n"))
    inner, outer = [one for one in ctx.tree.of_type(cst.Name) if one.value == "here"]

    def values(dotted: str, at: cst.Name) -> str:
        return " ".join(ctx.text_of(one) for one in bound_values(ctx, dotted, at))

    assert values("x", outer) == "1 2"
    assert values("x", inner) == "4 5"
    assert values("a.b", outer) == "3 6"
    assert values("z", outer) == ""
