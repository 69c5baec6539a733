from __future__ import annotations

import pytest

from devlint.analysis.names.named_by_text import text_bindings
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext
from tests.support.rule_cases import source

# Code, and the names that it binds by their text; "*" is any name.
BOUND = [
    ('globals()["a"] = 1', "a"),
    ('globals()["a"] += 1', "a"),
    ('globals()["a"], b = 1, 2', "a"),
    ('for globals()["a"] in b: pass', "a"),
    ('with b as globals()["a"]: pass', "a"),
    ('del globals()["a"]', "a"),
    ('globals()["a"]["b"] = 1', ""),
    ('x = globals()["a"]', ""),
    ('globals()["a"].b = 1', ""),
    ("globals()[a] = 1", "*"),
    ("globals().update(a=1, b=2)", "a b"),
    ('globals().update({"a": 1, **b})', "a *"),
    ("globals().update(**a)", "*"),
    ("globals().update(a)", "*"),
    ('globals().setdefault("a", 1)', "a"),
    ('globals().pop("a")', "a"),
    ("globals().clear()", "*"),
    ("globals().update", "*"),
    ('globals().get("a")', ""),
    ("for a in globals(): pass", ""),
    ('"a" in globals()', ""),
    ("b = dict(globals())", ""),
    ("timeit(b, globals=globals())", ""),
    ("f(globals())", "*"),
    ("a.b = globals()", "*"),
    ("a, b = globals()", "*"),
    ("def f(): return globals()", "*"),
    ('g = globals()\ng["a"] = 1', "a"),
    ("def f(b):\n    g = globals()\n    g.update(b)", "*"),
    ('vars()["a"] = 1', "a"),
    ('locals()["a"] = 1', "a"),
    ('def f(): locals()["a"] = 1', ""),
    ('vars(b)["a"] = 1', ""),
    ('vars(sys.modules[__name__])["a"] = 1', "a"),
    ('setattr(sys.modules[__name__], "a", 1)', "a"),
    ("setattr(sys.modules[__name__], a, 1)", "*"),
    ('delattr(sys.modules["__main__"], "a")', "a"),
    ('setattr(b, "a", 1)', ""),
    ("sys.modules[__name__].a = 1", "a"),
    ("sys.modules[b].a = 1", ""),
    ('sys.modules[__name__].__dict__["a"] = 1', "a"),
    ("inspect.getmembers(sys.modules[__name__])", ""),
    ("f(sys.modules[__name__])", "*"),
    ("me = sys.modules[__name__]\nme.a = me.b", "a"),
    ("import __main__\n__main__.a = 1", "a"),
    ('if __name__ == "__main__": a = 1', ""),
    ('exec("a = 1; import b.c")', "a b"),
    ('exec("def f(): a = 1\\nclass G: pass")', "*"),  # with an escape, nobody reads it
    ('exec("def f(): pass")', "f"),
    ('exec("from a import *")', "*"),
    ("exec(a)", "*"),
    ("exec(a, {})", ""),
    ("exec(a, globals())", "*"),
    ("def f(a): exec(a)", ""),
    ("def f(a): exec(a, globals())", "*"),
    ("a.exec(b)", ""),
]


@pytest.mark.parametrize(("code", "names"), BOUND)
def test_names_that_are_bound_by_their_text(code: str, names: str) -> None:
    ctx = FileContext(source(f"{code}\n"))
    table = scopes(ctx)
    found = text_bindings(ctx.tree, ctx.source.text, lambda node: table.scope_of(node) is table.module)
    assert [one.name for one in found] == names.split()


def test_they_are_bindings_of_the_module_in_source_order() -> None:
    text = 'a = 1\ndef f():\n    globals()["a"] = 2\n    globals().update(b)\nfrom c import *\na = 3\n'
    ctx = FileContext(source(text))
    table = scopes(ctx)
    starts = [ctx.span(one.node).start for one in table.module.bindings["a"]]
    assert starts == sorted(starts) and len(starts) == 3
    assert [type(one.node).__name__ for one in table.unseen] == ["Expr", "ImportFrom"]
