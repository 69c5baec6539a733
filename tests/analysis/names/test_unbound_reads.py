"""Which names a program may read before it binds them."""

from __future__ import annotations

import pytest

from devlint.analysis.names.unbound_reads import new_unbound_reads, unbound_reads

BOUND = {
    "in order": "import torch\ntorch.zeros(1)\n",
    "in every branch": "if c:\n    d = 1\nelse:\n    d = 2\nprint(d)\n",
    "in every branch that goes on": "import sys\nif c:\n    d = 1\nelse:\n    sys.exit()\nprint(d)\n",
    "by an import that may fail": "try:\n    import a\nexcept ImportError:\n    a = None\nprint(a)\n",
    "where the handler leaves": "try:\n    a = f()\nexcept OSError:\n    raise\nprint(a)\n",
    "in finally": "try:\n    f()\nfinally:\n    a = 1\nprint(a)\n",
    "before an endless loop is left": "while True:\n    y = 1\n    if y:\n        break\nprint(y)\n",
    "by a walrus in a test": "if (m := f()) and m.x:\n    print(m)\n",
    "by the loop": "for i in range(3):\n    print(i)\n",
    "as a parameter": "def f(a, *b, c=1, **d):\n    return a, b, c, d\n",
    "in a comprehension": "print([w for w in range(3) if w])\n",
    "by a pattern": "match f():\n    case [a, *b]:\n        print(a, b)\n    case {'k': c, **d}:\n        print(c, d)\n",
    "in a guard": "match f():\n    case [a] if (b := a):\n        print(b)\n",
    "before the call": "def f():\n    return device\ndevice = 1\nf()\n",
    "by the caller": "def main():\n    global d\n    d = 1\n    use()\ndef use():\n    print(d)\nmain()\nd = 2\n",
    "by Python itself": "print(len(__name__))\nlen = 3\n",
    "by a star import, perhaps": "from a import *\nprint(b)\nb = 1\n",
    "in the class": "class A:\n    x = 1\n    y = x\n",
    "as attributes of the instance": "class A:\n    def __init__(self, a):\n        self.a = a\n        self.b = self.a\n",
    "by another method": "class A:\n    def f(self):\n        print(self.a)\n        self.a = 1\n",
    "nowhere that can be read": "print('\\0'\n",
}
UNBOUND = {
    "device = torch.device(1)\nimport torch\n": {("", "torch"): 1},
    "def main():\n    x = model.to(device)\n    device = 3\n": {("main", "device"): 1},
    "def f():\n    return torch.x\nf()\nimport torch\n": {("", "torch"): 1},
    "def f():\n    return g()\ndef g():\n    return d\nf()\nd = 1\n": {("", "d"): 1},
    "class A:\n    def __init__(self):\n        self.d = device\nA()\ndevice = 1\n": {("", "device"): 1},
    "class A:\n    x = torch.a\nimport torch\n": {("", "torch"): 1},
    "class A:\n    def f(self):\n        print(d)\n        d = 1\n": {("A.f", "d"): 1},
    "@torch.no_grad()\ndef f(x=np.a):\n    pass\nimport torch\nimport numpy as np\n": {("", "torch"): 1, ("", "np"): 1},
    "def f():\n    def g():\n        return z\n    g()\n    z = 1\n": {("f", "z"): 1},
    "for i in x:\n    y = 1\nprint(y)\nx = 1\n": {("", "x"): 1, ("", "y"): 1},
    "for i in f():\n    if i:\n        break\n    y = 1\nprint(y)\n": {("", "y"): 1},
    "while f():\n    y = 1\nprint(y)\n": {("", "y"): 1},
    "if c():\n    y = 1\nprint(y)\nprint(y)\n": {("", "y"): 1},
    "try:\n    y = f()\nexcept OSError:\n    pass\nprint(y)\n": {("", "y"): 1},
    "try:\n    pass\nexcept OSError as e:\n    pass\nprint(e)\n": {("", "e"): 1},
    "y = 1\ndel y\nprint(y)\n": {("", "y"): 1},
    "y += 1\ny = 2\n": {("", "y"): 1},
    "print(y if c() else z)\ny = z = 1\n": {("", "y"): 1, ("", "z"): 1},
    "c() and (m := 1)\nprint(m)\n": {("", "m"): 1},
    "match f():\n    case [a]:\n        pass\nprint(a)\n": {("", "a"): 1},
    "match f():\n    case [a] if a and b:\n        pass\nb = 1\n": {("", "b"): 1},
    "print([w + v for w in r])\nv = r = 1\n": {("", "v"): 1, ("", "r"): 1},
    "with open(p) as f:\n    pass\np = f\n": {("", "p"): 1},
    "x = lambda a=b: a\nb = 1\n": {("", "b"): 1},
    "class A:\n    def __init__(me, a):\n        print(me.a.b, me.c)\n        me.a = a\n": {("A.__init__", "me.a"): 1},
}


@pytest.mark.parametrize("text", BOUND.values(), ids=BOUND)
def test_nothing_is_read_too_early(text: str) -> None:
    assert unbound_reads(text) == {}


@pytest.mark.parametrize("text", UNBOUND, ids=lambda text: text.replace("\n", "|"))
def test_a_name_is_read_before_it_is_bound(text: str) -> None:
    assert unbound_reads(text) == UNBOUND[text]


def test_what_is_nested_too_deeply_to_follow_is_let_be() -> None:
    assert unbound_reads("x = " + "-" * 5000 + "y\ny = 1\n") == {}


def test_thousands_of_names_take_linear_time() -> None:
    text = "".join(f"if c():\n    v{i} = {i}\nprint(v{i})\n" for i in range(3000))
    assert sum(unbound_reads(text).values()) == 3000


TRY = "def f():\n{}    try:\n        import torch\n    finally:\n        print(torch.x)\n"


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        (TRY.format(""), TRY.format("    d = torch.y\n"), ["torch"]),
        (TRY.format(""), TRY.format("    d = 1\n"), []),
        (TRY.format("    d = torch.y\n"), TRY.format("    e = torch.y\n    f = torch.z\n"), []),
        ("if c:\n    a = 1\nprint(a)\n", "print(a)\nif c:\n    a = 1\nprint(a)\n", ["a"]),
        ("print(a)\na = 1\n", "print(b)\nb = 1\n", []),
    ],
)
def test_a_read_above_all_that_bind_is_new_where_it_was_below_some(before: str, after: str, names: list[str]) -> None:
    assert new_unbound_reads(before, after) == names


def test_the_first_early_read_may_go_into_a_branch() -> None:
    before = "def f(a):\n    if a:\n        b = 1\n    use(b)\n    print(b)\n"
    assert new_unbound_reads(before, before.replace("    use(b)", "    if a is None:\n        use(b)")) == []


@pytest.mark.parametrize(
    ("text", "early"),
    [
        ("if cuda.is_available():\n    a = 1\nif cuda.is_available():\n    use(a)\n", False),
        ("if cuda.is_available():\n    a = 1\nt = a + 1 if cuda.is_available() else None\n", False),
        ("if cuda.is_available():\n    a = 1\nelse:\n    use(a)\n", True),
        ("if cuda.is_available():\n    a = 1\nif mps.is_available():\n    use(a)\n", True),
        ("if cuda.is_available():\n    a = 1\nuse(a)\n", True),
        ("if other:\n    if cuda.is_available():\n        a = 1\nif cuda.is_available():\n    use(a)\n", True),
        ("if cuda.is_available():\n    a = 1\n    del a\nif cuda.is_available():\n    use(a)\n", True),
        ("a = 0\nif cuda.is_available():\n    a = 1\ndel a\nif cuda.is_available():\n    use(a)\n", True),
        ("if ready():\n    a = 1\nif ready():\n    use(a)\n", True),
    ],
)
def test_what_a_test_for_a_device_has_bound_is_there_where_it_is_true_again(text: str, early: bool) -> None:
    assert bool(unbound_reads(text)) is early
