from __future__ import annotations

import libcst as cst
import pytest

from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.control_flow import exits, is_main_guard
from devlint.analysis.names.reachable_names import may_look_up
from devlint.analysis.names.reaching_definitions import certainly_bound, may_reach, reaching_values
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext
from tests.support.rule_cases import source


def context(text: str) -> tuple[FileContext, cst.Name]:
    """A file, and the place in it that is called ``here``."""
    ctx = FileContext(source(text))
    return ctx, next(one for one in ctx.tree.of_type(cst.Name) if one.value == "here")


BOUND = [
    "d = 1\nhere",
    "a = 1; d = 2; here",
    "d, e = x\nhere",
    "d: int = 1\nhere",
    "d += 1\nhere",
    "import d\nhere",
    "import a as d\nhere",
    "from a import d\nhere",
    "def d(): pass\nhere",
    "class d: pass\nhere",
    "type d = int\nhere",
    # branches
    "if a:\n    d = 1\n    here",
    "if a:\n    d = 1\nelse:\n    d = 2\nhere",
    "if a:\n    d = 1\nelif b:\n    d = 2\nelse:\n    raise b\nhere",
    "if a: d = 1\nelse: raise x\nhere",
    "if a:\n    d = 1\nelse:\n    sys.exit(1)\nhere",
    "if a:\n    d = 1\nelse:\n    self.skipTest(x)\nhere",
    "if a:\n    d = 1\nelse:\n    pytest.skip(x)\nhere",
    # loops
    "for d in x:\n    here",
    "for i in x:\n    if i:\n        continue\n    d = 1\n    here",
    "while True:\n    try:\n        d = 1\n    except E:\n        continue\n    here",
    "async def f():\n    async for d in a:\n        here",
    # with
    "with a as d:\n    here",
    "with a as d:\n    pass\nhere",
    "with a, b as d:\n    here",
    "with a as (d, e):\n    here",
    "with a:\n    d = 1\nhere",
    "with suppress(E):\n    d = 1\n    here",
    "with suppress(E) as d:\n    pass\nhere",
    "async def f():\n    async with a as d:\n        here",
    # try
    "try:\n    import d\nexcept ImportError:\n    d = None\nhere",
    "try:\n    d = 1\nexcept E:\n    raise\nhere",
    "try:\n    d = 1\nexcept E:\n    sys.exit(1)\nhere",
    "try:\n    d = 1\nexcept E:\n    pass\nelse:\n    here",
    "try:\n    a\nfinally:\n    d = 1\nhere",
    "try:\n    d = 1\nfinally:\n    a\nhere",
    "try:\n    d = 1\nexcept* E:\n    d = 2\nhere",
    # functions and classes
    "def f(d):\n    here",
    "def f(*d, **e):\n    here",
    "lambda d: here",
    "d = 1\nlambda: here",
    "d = 1\ndef f():\n    here",
    "def f():\n    here\nd = 1\nf()",
    "def f():\n    here\ndef g():\n    f()\nd = 1\ng()",
    "def f():\n    d = 1\n    def g():\n        here\n    g()",
    "def f():\n    def g():\n        here\n    d = 1\n    g()",
    "def f():\n    def g():\n        nonlocal d\n        d = 1\n    d = 0\n    here",
    "def f():\n    global d\n    d = 1\n    here\nd = 0",
    "class A:\n    d = 1\n    here",
    "class A:\n    def f(self):\n        here\nd = 1",
    # deleted further down
    "def f(d):\n    here\n    del d",
    "def f():\n    d = 1\n    for i in x:\n        here\n    del d",
]

UNSURE = [
    "here\nd = 1",
    "a = 1; here; d = 2",
    "d = 1\ndel d\nhere",
    "d = 1\nhere\ndel d",
    "def f(d):\n    del d\n    here",
    "def f(d):\n    for i in x:\n        here\n        del d",
    "def f(d):\n    while x:\n        if here:\n            pass\n        del d",
    "def f(d):\n    def g():\n        here\n    del d\n    g()",
    "def f(d):\n    def g():\n        nonlocal d\n        del d\n    g()\n    here",
    "x = (d := 1)\nhere",
    "assert (d := 1)\nhere",
    # branches
    "if a:\n    d = 1\nhere",
    "if True:\n    d = 1\nhere",
    "if a:\n    d = 1\nif a:\n    here",
    "if a:\n    d = 1\nelif b:\n    d = 2\nhere",
    "if (d := 1):\n    here",
    "if a and (d := 1):\n    here",
    "match x:\n    case d:\n        here",
    "match x:\n    case [*d]:\n        here",
    "match x:\n    case 1:\n        d = 1\n    case _:\n        d = 2\nhere",
    # loops
    "for d in x:\n    pass\nhere",
    "for i in x:\n    d = 1\nhere",
    "for i in x:\n    here\n    d = 1",
    "for i in x:\n    if a:\n        d = 1\n        break\nelse:\n    raise E\nhere",
    "while a:\n    d = 1\nhere",
    "while True:\n    d = 1\n    break\nhere",
    "while True:\n    try:\n        d = 1\n        break\n    except E:\n        pass\nhere",
    # with and try
    "with suppress(E):\n    d = 1\nhere",
    "with contextlib.suppress(E):\n    d = 1\nhere",
    "with pytest.raises(E):\n    d = 1\nhere",
    "with self.assertRaises(E):\n    d = 1\nhere",
    "try:\n    d = 1\nexcept E:\n    pass\nhere",
    "try:\n    d = 1\nexcept E:\n    here",
    "try:\n    d = 1\nfinally:\n    here",
    "try:\n    a\nexcept E:\n    pass\nelse:\n    d = 1\nhere",
    "try:\n    a\nexcept E as d:\n    pass\nhere",
    # functions and classes
    "lambda: here\nd = 1",
    "@here\ndef f(): pass\nd = 1",
    "def f(a=here): pass\nd = 1",
    "def f():\n    here\nf()\nd = 1",
    "def f():\n    here\ndef g():\n    f()\ng()\nd = 1",
    "def f():\n    def g():\n        here\n    g()\n    d = 1",
    "def f():\n    def g():\n        here\n    x = g\n    d = 1",
    "def f():\n    global d\n    d = 1\ndef g():\n    here",
    'if __name__ == "__main__":\n    d = 1\n    f()\ndef f():\n    here',
    "class A:\n    here\n    d = 1",
    "class A:\n    def f(self):\n        here\nA().f()\nd = 1",
    "[(d := i) for i in x]\nhere",
]


@pytest.mark.parametrize(("text", "sure"), [*((text, True) for text in BOUND), *((text, False) for text in UNSURE)])
def test_certainly_bound(text: str, sure: bool) -> None:
    ctx, here = context(f"{text}\n")
    scope = scopes(ctx).binder("d", here)
    assert scope is not None
    assert certainly_bound(ctx, "d", scope, here) is sure


def test_bound_by_some_of_the_bindings() -> None:
    ctx, here = context("d = None\nif a:\n    d = 1\nhere\n")
    scope = scopes(ctx).module
    assert certainly_bound(ctx, "d", scope, here)
    assert not certainly_bound(ctx, "d", scope, here, scope.bindings["d"][1:])
    assert not certainly_bound(ctx, "e", scope, here)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("d = 1\nhere", "1"),
        ("d = 1\nd = 2\nhere", "2"),
        ("d = 1\nhere\nd = 2", "1"),
        ("d = 1\nif a:\n    d = 2\nhere", "1 2"),
        ("d = 1\nif a:\n    d = 2\n    here", "2"),
        ("d = 1\nif a:\n    d = 2\nelse:\n    d = 3\nhere", "2 3"),
        ("d = 1\nif a:\n    d = 2\nelse:\n    here", "1"),
        ("d = 1\nfor i in x:\n    here\n    d = 2", "1 2"),
        ("d = 1\nfor i in x:\n    d = 2\n    here", "2"),
        ("d = 1\nwhile a:\n    d = 2\nhere", "1 2"),
        ("d = 1\ntry:\n    d = 2\nexcept E:\n    here", "1 2"),
        ("d = 1\ntry:\n    a\nfinally:\n    d = 3\nhere", "3"),
        ("d = 1\nwith suppress(E):\n    d = 2\nhere", "1 2"),
        ("d = 1\ndef f():\n    here\nd = 2", "2"),
        ("def f(d=1):\n    here\n    d = 2", "1"),
        ("def f(d=1):\n    if d:\n        d = 2\n    here", "1 2"),
        ("d = 1\ndef f():\n    global d\n    d = 2\nhere", "1 2"),
        ("d = 1\nif d := 2:\n    here", "1 2"),
        ("d = 1\nwhile d := 2:\n    here", "1 2"),
        ("d = 1\nif a:\n    here\nelse:\n    d = 2", "1"),
        ("d = 1\nd = f(here)", "1"),
        ("d = 1\nif a:\n    d = 2\n    d = 3\nhere", "1 3"),
        ("d = 1\nif a: d = 2; d = 3; here", "3"),
        ("d = 1; d = 2; here", "2"),
        ("for i in x:\n    if a:\n        d = 2\n        b()\n        d = 3\n    if a:\n        here", "3"),
        ("d = 1\nif a:\n    d = 2\n    if b:\n        d = 3\nhere", "1 2 3"),
        ("d = 1\nfor i in x:\n    d = 2\n    if a:\n        break\n    d = 3\nhere", "1 2 3"),
        ("d = 1\ntry:\n    if a:\n        d = 2\n        d = f()\nexcept E:\n    pass\nhere", "1 2 f()"),
        ("for i in x:\n    d = 1\n    d = 2\n    here", "2"),
        ("while a:\n    d = 1\n    for i in d:\n        b()\n    d = 2\n    if c:\n        here", "2"),
        ("for i in x:\n    d = 1\n    if a:\n        d = 2\n    here", "1 2"),
        ("for i in x:\n    if a:\n        d = 1\n    here\n    d = 2", "1 2"),
        ("for i in x:\n    d = 1\n    for j in y:\n        here\n        d = 2", "1 2"),
        ("for i in x:\n    d = 1\n    if a:\n        continue\n    d = 2\n    here", "2"),
        ("try:\n    d = 1\nexcept E:\n    d = 2\n    here", "2"),
        ("for i in x:\n    try:\n        d = 1\n        d = f()\n    except E:\n        pass\n    here", "1 f()"),
    ],
)
def test_may_reach(text: str, values: str) -> None:
    ctx, here = context(f"{text}\n")
    scope = scopes(ctx).binder("d", here)
    assert scope is not None
    found = may_reach(ctx, scope, scope.bindings["d"], here)
    assert " ".join(ctx.text_of(one.value) for one in found if one.value is not None) == values


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("d = 1\nfor d in x:\n    here", How.LOOP),
        ("d = 1\nfor d in x:\n    if a:\n        here", How.LOOP),
        ("d = 1\nwith x as d:\n    here", How.WITH),
        ("d = 1\ntry:\n    a\nexcept E as d:\n    here", How.EXCEPT),
        ("d = 1\nmatch x:\n    case [d]:\n        here", How.PATTERN),
    ],
)
def test_what_the_head_of_a_statement_binds_reaches_its_blocks(text: str, how: How) -> None:
    ctx, here = context(f"{text}\n")
    scope = scopes(ctx).module
    assert how in {one.how for one in may_reach(ctx, scope, scope.bindings["d"], here)}


@pytest.mark.parametrize(
    ("body", "leaves"),
    [
        ("return", True),
        ("raise E", True),
        ("break", True),
        ("continue", True),
        ("a; return 1", True),
        ("sys.exit()", True),
        ("os._exit(0)", True),
        ("parser.error(x)", True),
        ("self.skipTest(x)", True),
        ("pytest.skip(x)", True),
        ("if a:\n    return\nelse:\n    raise E", True),
        ("if a:\n    return\nelif b:\n    return\nelse:\n    return", True),
        ("if a:\n    return", False),
        ("if a:\n    return\nelif b:\n    return", False),
        ("if a:\n    return\nelse:\n    pass", False),
        ("return\na", False),
        ("exit", False),
        ("skip()", False),
        ("for i in x:\n    return", False),
        ("def f():\n    return", False),
        ("print(1)", False),
    ],
)
def test_exits(body: str, leaves: bool) -> None:
    assert exits(cst.parse_module(f"{body}\n")) is leaves


def test_may_look_up() -> None:
    text = """
    @a
    class A(b, key=c):
        d = e
        def f(self, x=g):
            return h
    def i():
        return j
    k(lambda: m)
    i()
    def n(): pass
    here
    """
    ctx, _ = context(text)
    module = scopes(ctx).module
    for name in ("a", "b", "c", "d", "e", "g", "k", "i", "j", "m"):
        assert may_look_up(ctx, module, 4, name)
    for name in ("A", "h", "n", "here", None):
        assert not may_look_up(ctx, module, 4, name)
    assert may_look_up(ctx, module, 1, "b") and not may_look_up(ctx, module, 3, "j")


@pytest.mark.parametrize(
    ("test", "guards"),
    [
        ('__name__ == "__main__"', True),
        ('"__main__" == __name__', True),
        ('__name__ in ("__main__", "x")', True),
        ("__name__", False),
        ('name == "__main__"', False),
    ],
)
def test_is_main_guard(test: str, guards: bool) -> None:
    assert is_main_guard(cst.parse_module(f"if {test}:\n    pass\n").body[0]) is guards


def test_a_name_is_no_main_guard() -> None:
    assert not is_main_guard(cst.Name("__name__")) and dotted_name(cst.Name("__name__")) == "__name__"


VALUES = [
    ("d = a()\nhere\nd = b()", ["a()"]),
    ("d = a()\nd = d.to(x)\nd.eval()\nhere\nd, n = wrap(module=d)", ["a()", "d.to(x)"]),
    ("d = a()\nd = b()\nhere", ["b()"]),
    ("d = a()\nif x:\n    d = wrap(d)\nhere", ["a()", "wrap(d)"]),
    ("for i in x:\n    here\n    d = wrap(d)\nd = b()", ["wrap(d)"]),
    ("here", []),
]


@pytest.mark.parametrize(("text", "values"), VALUES)
def test_reaching_values(text: str, values: list[str]) -> None:
    ctx, at = context(f"{text}\n")
    assert sorted(ctx.text_of(one) for one in reaching_values(ctx, "d", at)) == values


def test_all_values_of_an_attribute_may_reach_a_place() -> None:
    ctx, at = context("self.d = a()\nhere\nself.d = b()\n")
    assert [ctx.text_of(one) for one in reaching_values(ctx, "self.d", at)] == ["a()", "b()"]
