"""What the project's own functions and marks ask torch, read where another file defines them."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest

from devlint.analysis.guards.own_answers import asks_tensor, says_cuda, skips_without_cuda
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext

ASKS = "torch.cuda.is_available()"
ANSWERS = [
    (f"def f():\n    return {ASKS}", True),
    (f"def f():\n    return {ASKS} and big()", True),
    (f"OK = {ASKS}\ndef f():\n    return OK", True),
    (f"def f():\n    if not {ASKS}:\n        return False\n    return big()", True),
    (f"def f():\n    if {ASKS}:\n        with lock:\n            return True\n    return False", True),
    (f"def f():\n    try:\n        return {ASKS}\n    except OSError:\n        return None", True),
    (f"def f():\n    return not {ASKS}", False),
    (f"def f():\n    return big() or {ASKS}", False),
    (f"def f():\n    if forced():\n        return True\n    return {ASKS}", False),
    (f"def f():\n    if {ASKS}:\n        return False\n    return True", False),
    (f"def f():\n    {ASKS}", False),
    ("def f():\n    return False", False),
    ("f = 3", False),
]
MARKS = [
    (f"f = pytest.mark.skipif(not {ASKS}, reason='x')", True),
    (f"f = unittest.skipUnless({ASKS}, 'x')", True),
    (f"def f(test):\n    return unittest.skipUnless({ASKS}, 'x')(test)", True),
    (f"def f(n=1):\n    return pytest.mark.skipif(not {ASKS} or n, reason='x')", True),
    (f"def g(test):\n    return unittest.skipIf(not {ASKS}, 'x')(test)\ndef f(test):\n    return g(test)", True),
    (
        f"def f(n):\n    def d(t):\n        def w(*a):\n            if not {ASKS}:\n                pytest.skip('x')\n"
        "            return t(*a)\n        return w\n    return d",
        True,
    ),
    (f"f = pytest.mark.skipif({ASKS}, reason='x')", False),
    (f"def f(test):\n    if one:\n        return test\n    return unittest.skipUnless({ASKS}, 'x')(test)", False),
    ("def f(test):\n    return test", False),
    ("def f(test):\n    return f(test)", False),
    ("f = slow", False),
]


def named(folder: Path, defined: str, written: str) -> tuple[FileContext, cst.BaseExpression]:
    """A file that imports ``f`` from another one of its project, and the last ``f`` in it."""
    (folder / "pyproject.toml").write_text("[project]\nname = 'p'\n", encoding="utf-8")
    (folder / "own.py").write_text(f"import pytest, torch, unittest\n{defined}\n", encoding="utf-8")
    path = folder / "use.py"
    path.write_text(f"from own import f\n{written}\n", encoding="utf-8")
    ctx = FileContext(Source.from_text(str(path), path.read_text(encoding="utf-8")))
    return ctx, next(one for one in reversed(ctx.tree.of_type(cst.Name)) if one.value == "f")


@pytest.mark.parametrize(("defined", "expected"), ANSWERS)
def test_says_cuda(tmp_path: Path, defined: str, expected: bool) -> None:
    assert says_cuda(*named(tmp_path, defined, "x = f()")) is expected


@pytest.mark.parametrize(("defined", "expected"), MARKS)
def test_skips_without_cuda(tmp_path: Path, defined: str, expected: bool) -> None:
    assert skips_without_cuda(*named(tmp_path, defined, "x = f")) is expected


METHODS = [
    ("def f(self):\n        return self.net.weight.data.is_cuda", True),
    ('def f(self):\n        """Where it is."""\n        return next(self.parameters()).is_cuda', True),
    (
        "def f(self):\n        if self.x is None:\n            return self.y.is_cuda\n        return self.x.is_cuda",
        True,
    ),
    ("def f(self):\n        return not self.x.is_cuda", False),
    ("def f(self):\n        return self.x.is_cuda and self.fast", False),
    ("@property\n    def f(self):\n        return self.x.is_cuda", False),
    ("def f(self):\n        return self.x.is_cuda\n    def f(self):\n        return True", False),
    ("def g(self):\n        return self.x.is_cuda", False),
]


@pytest.mark.parametrize(("defined", "expected"), METHODS)
def test_a_method_that_says_where_a_tensor_is(tmp_path: Path, defined: str, expected: bool) -> None:
    path = tmp_path / "net.py"
    path.write_text(f"class Net:\n    {defined}\n    def run(self):\n        return self.f()\n", encoding="utf-8")
    ctx = FileContext(Source.from_text(str(path), path.read_text(encoding="utf-8")))
    called = [one.func for one in ctx.tree.of_type(cst.Call) if ctx.text_of(one) == "self.f()"]
    assert [asks_tensor(ctx, one) for one in called] == [expected]
