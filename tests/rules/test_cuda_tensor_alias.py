from __future__ import annotations

from textwrap import dedent

import pytest

from devlint.core.target import Target
from devlint.sources.source import Source
from tests.support import engine
from tests.support.rule_cases import check, fixed, found, places, rule

CODE = "DEV205"
F32 = "dtype=torch.float32, device=device"
I64 = "dtype=torch.int64, device=device"

SCRIPT_HEAD = "import torch\n\ncuda = torch.cuda.is_available()\n"
ALIASES = [
    "Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor\n",
    "Tensor = torch.cuda.FloatTensor if cuda else torch.Tensor\n",
    "Tensor = (torch.cuda.FloatTensor if cuda else torch.FloatTensor)\n",
    "Tensor = torch.FloatTensor if not cuda else torch.cuda.FloatTensor\n",
    "Tensor = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor\n",
    "Tensor = torch.cuda.FloatTensor\n",
    "Tensor: type = torch.cuda.FloatTensor\n",
    "if cuda:\n    Tensor = torch.cuda.FloatTensor\nelse:\n    Tensor = torch.FloatTensor\n",
    "if cuda: Tensor = torch.cuda.FloatTensor\nelse: Tensor = torch.FloatTensor\n",
    "if not cuda:\n    Tensor = torch.FloatTensor\nelse:\n    Tensor = torch.cuda.FloatTensor\n",
    "Tensor = torch.FloatTensor\nif cuda:\n    Tensor = torch.cuda.FloatTensor\n",
    "Tensor = torch.FloatTensor\nif cuda: Tensor = torch.cuda.FloatTensor\n",
]
USES = "for x in [1]:\n    y = Tensor(x.size(0), 1).fill_(1.0)\n    x = x.type(Tensor)\n"
REWRITTEN = f"for x in [1]:\n    y = torch.empty(x.size(0), 1, {F32}).fill_(1.0)\n    x = x.to(device, torch.float32)\n"


@pytest.mark.parametrize("alias", ALIASES)
def test_definitions(alias: str) -> None:
    device = 'device = torch.device("cuda" if cuda else "cpu")\n'
    check(CODE, SCRIPT_HEAD + alias + USES, SCRIPT_HEAD + device + REWRITTEN, "safe")


PROGRAMS = [
    (  # two lines, set apart by empty ones, and a function above and below
        """
        import numpy as np
        import torch

        cuda = True if torch.cuda.is_available() else False


        def sample(n):
            return Tensor(np.random.normal(0, 1, (n, 2)))


        optimizer.step()

        Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
        LongTensor = torch.cuda.LongTensor if cuda else torch.LongTensor

        # ---------
        #  Training
        # ---------

        for x, labels in loader:
            real = Variable(x.type(Tensor), requires_grad=True)
            labels = Variable(labels.type(LongTensor))
        """,
        f"""
        import numpy as np
        import torch

        cuda = True if torch.cuda.is_available() else False
        device = torch.device("cuda" if cuda else "cpu")


        def sample(n):
            return torch.tensor(np.random.normal(0, 1, (n, 2)), {F32})


        optimizer.step()

        # ---------
        #  Training
        # ---------

        for x, labels in loader:
            real = Variable(x.to(device, torch.float32), requires_grad=True)
            labels = Variable(labels.to(device, torch.int64))
        """,
    ),
    (  # the comment above the lines that go stays
        """
        import torch

        use_cuda = torch.cuda.is_available()

        # Tensor type
        Tensor = torch.cuda.FloatTensor if use_cuda else torch.FloatTensor


        def f():
            return Tensor([1.0])

        f().backward()
        """,
        f"""
        import torch

        use_cuda = torch.cuda.is_available()
        device = torch.device("cuda" if use_cuda else "cpu")

        # Tensor type


        def f():
            return torch.tensor([1.0], {F32})

        f().backward()
        """,
    ),
    (  # several aliases in both branches, and an alias of an alias
        """
        import torch


        def train(use_cuda):
            if use_cuda:
                Floats = torch.cuda.FloatTensor
                Longs = torch.cuda.LongTensor
            else:
                Floats = torch.FloatTensor
                Longs = torch.LongTensor
            Tensor = Floats
            return Tensor(3), Longs([1, 2])
        """,
        f"""
        import torch


        def train(use_cuda):
            device = torch.device("cuda" if use_cuda else "cpu")
            return torch.empty(3, {F32}), torch.tensor([1, 2], {I64})
        """,
    ),
    (  # a branch that does something else stays
        """
        import torch


        def train(use_cuda):
            if use_cuda:
                Floats, Longs = torch.cuda.FloatTensor, torch.cuda.LongTensor
                print("GPU")
            else:
                Floats, Longs = torch.FloatTensor, torch.LongTensor
            return Floats(3), Longs([1, 2])


        def test(use_cuda):
            if use_cuda:
                Floats = torch.cuda.FloatTensor
            else:
                Floats = torch.FloatTensor
                print("CPU")
            return Floats(3)
        """,
        f"""
        import torch


        def choose_device(use_cuda):
            return torch.device("cuda" if use_cuda else "cpu")


        def train(use_cuda):
            device = choose_device(use_cuda)
            if use_cuda:
                print("GPU")
            return torch.empty(3, {F32}), torch.tensor([1, 2], {I64})


        def test(use_cuda):
            device = choose_device(use_cuda)
            if not use_cuda:
                print("CPU")
            return torch.empty(3, {F32})
        """,
    ),
    (  # chosen by a tensor
        """
        import torch


        def f(mu):
            Tensor = torch.cuda.FloatTensor if mu.is_cuda else torch.FloatTensor
            return Tensor(2, 3) + mu
        """,
        """
        import torch


        def f(mu):
            return torch.empty(2, 3, dtype=torch.float32, device=mu.device) + mu
        """,
    ),
    (  # one line among others
        """
        import torch


        def f(x):
            a = 1; Tensor = torch.cuda.FloatTensor; b = 2
            return Tensor(2, 3) + x
        """,
        f"""
        import torch


        def f(x):
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            a = 1; b = 2
            return torch.empty(2, 3, {F32}) + x
        """,
    ),
    (  # imports
        """
        import torch
        from torch.cuda import FloatTensor as Tensor, is_available
        from torch.cuda import (
            LongTensor,  # integers
            synchronize,
        )
        from torch.cuda import ByteTensor


        def f(x):
            return Tensor(2, 3), LongTensor(x.size()), x.type(ByteTensor)
        """,
        f"""
        import torch
        from torch.cuda import is_available
        # integers
        from torch.cuda import (
            synchronize,
        )


        def f(x):
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            return torch.empty(2, 3, {F32}), torch.empty(x.size(), {I64}), x.to(device, torch.uint8)
        """,
    ),
    (  # torch has no name yet
        """
        from torch.cuda import FloatTensor


        def f():
            return FloatTensor(2, 3)
        """,
        f"""
        import torch


        def f():
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            return torch.empty(2, 3, {F32})
        """,
    ),
    (  # sparse, and a module that is no script but private
        """
        import torch

        _Sparse = torch.cuda.sparse.FloatTensor if torch.cuda.is_available() else torch.sparse.FloatTensor


        def f(i, v, x):
            return _Sparse(i, v, x.size())
        """,
        """
        import torch


        def f(i, v, x):
            return torch.sparse_coo_tensor(i, v, x.size())
        """,
    ),
]


@pytest.mark.parametrize(("before", "after"), PROGRAMS)
def test_programs(before: str, after: str) -> None:
    check(CODE, before, after)
    assert {kind for _, kind in places(CODE, before)} == {"safe"}


def test_what_is_a_tensor_only_below_the_call_that_makes_it_one() -> None:
    """A legacy type makes a tensor of an array, and gives back a tensor that it is given."""
    text = f"""{SCRIPT_HEAD}Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor


def read(name):
    rows = load(name)
    {{}}
    rows = print_shape(Tensor(rows))
    return rows.unsqueeze(0)
"""
    assert "print_shape(rows)" not in fixed(CODE, text.format("rows = rows.transpose([1, 0]) / rows.max()"))
    assert "print_shape(rows)" in fixed(CODE, text.format("print(rows.unsqueeze(0))"))


LEFT = [
    "Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor\nf(Tensor)\n",
    "Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor\nprint(isinstance(x, Tensor))\n",
    "Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor\nprint(Tensor.dtype)\n",
    "Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor\ny = Tensor(data=[2])\n",
    "Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor\n__all__ = ['Tensor']\n",
    "Tensor = torch.cuda.HalfTensor if cuda else torch.FloatTensor\ny = Tensor(2)\n",
    "Tensor = torch.cuda.FloatTensor\nif half:\n    Tensor = torch.cuda.HalfTensor\ny = Tensor(2)\n",
    "Tensor = n = torch.cuda.FloatTensor\ny = f(Tensor(2), n)\n",
    "Tensor, n = torch.cuda.FloatTensor, 3\ny = Tensor(n)\n",
    "Tensor = torch.cuda.FloatTensor\ndel Tensor\n",
    "def f():\n    global Tensor\n    Tensor = torch.cuda.FloatTensor\n\n\ny = Tensor(2)\n",
    "class A:\n    Tensor = torch.cuda.FloatTensor\n    y = Tensor(2)\n",
    "class A:\n    def f(self):\n        self.Tensor = torch.cuda.FloatTensor if self.gpu else torch.Tensor\n",
    "Tensor = torch.cuda.FloatTensor if many_of(x) else torch.FloatTensor\ny = Tensor(2)\n",
    "torch.set_default_dtype(d)\nTensor = torch.cuda.FloatTensor if cuda else torch.Tensor\ny = Tensor(2)\n",
    "def f(mu):\n    T = torch.cuda.FloatTensor if mu.is_cuda else torch.FloatTensor\n    mu = g(mu)\n    return T(2)\n",
    "from torch.cuda import FloatTensor\ny = map(FloatTensor, x)\n",
]


@pytest.mark.parametrize("text", LEFT)
def test_no_fix(text: str) -> None:
    assert {kind for _, kind in places(CODE, SCRIPT_HEAD + text + "x.backward()\n")} == {"none"}


SILENT = [
    "Tensor = torch.FloatTensor\ny = Tensor(2)\n",
    "from cupy.cuda import FloatTensor\ny = FloatTensor(2)\n",
    "Tensor = torch.Tensor\n",
    "kind = 'torch.cuda.FloatTensor'\n",
]


@pytest.mark.parametrize("text", SILENT)
def test_nothing_found(text: str) -> None:
    assert not found(CODE, "import torch\n" + text)


def test_one_unsafe_use_makes_the_fix_unsafe() -> None:
    text = f"{SCRIPT_HEAD}Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor\ny = Tensor(x)\nx.backward()\n"
    assert places(CODE, text) == [(4, "unsafe")]


@pytest.mark.parametrize(("card", "is_left"), [("1", True), ("", False)])
def test_types_on_neighbouring_lines_stay_together(card: str, is_left: bool) -> None:
    code = (
        "import torch\n\ndef f(x, cuda):\n    Long = torch.cuda.LongTensor if cuda else torch.LongTensor\n"
        "    Float = torch.cuda.FloatTensor if cuda else torch.FloatTensor\n    return Long([1]), x.type(Float)\n"
        f"\nf(torch.ones(2).cuda({card}), True)\n"
    )
    made = fixed(CODE, code, unsafe=False)
    assert (made == code) is is_left
    assert "Tensor" not in fixed(CODE, code, unsafe=True)


def test_a_library_keeps_a_name_that_others_may_import() -> None:
    before = """
        import torch

        Tensor = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor


        def f():
            return Tensor(2)
    """
    after = f"""
        import torch

        Tensor = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor


        def f():
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            return torch.empty(2, {F32})
    """
    check(CODE, before, after, "safe")
    assert places(CODE, after) == [(3, "none")]


def test_an_attribute_that_is_called_like_its_type() -> None:
    before = "import torch\n\n\nclass A:\n    def __init__(self):\n        self.LongTensor = torch.cuda.LongTensor{}\n"
    before += "\n    def f(self, x):\n        return x.type(self.LongTensor) + torch.LongTensor([1])\n"
    check(CODE, before.format(""), before.format(" if torch.cuda.is_available() else torch.LongTensor"), "safe")


ATTRIBUTE = """import torch


class Trainer:
    def __init__(self, net):
        self.Kind = torch.cuda.FloatTensor{choice}
        self.net = net.to("cuda:0")

    def step(self, x):
        {use}
"""


@pytest.mark.parametrize(
    ("use", "kind"),
    [
        ("return self.net(x.type(self.Kind))", "safe"),
        ("return self.Kind(2, 3).fill_(1)", "safe"),
        ("return x.type(self.Kind) if isinstance(x, self.Kind) else x", "none"),
        ("return cast(x, self.Kind)", "none"),
        ("return x", "none"),
    ],
)
def test_an_attribute(use: str, kind: str) -> None:
    before = ATTRIBUTE.format(choice="", use=use)
    assert places(CODE, before) == [(6, kind)]
    if kind == "safe":
        choice = " if torch.cuda.is_available() else torch.FloatTensor"
        check(CODE, before, ATTRIBUTE.format(choice=choice, use=use), "safe")


def test_a_device_below_the_alias_is_enough() -> None:
    before = """
        import numpy as np
        import torch

        Tensor = torch.cuda.FloatTensor
        device = torch.device("cuda:0")
        net = torch.nn.Linear(1, 1).to(device)
        x = Tensor(np.zeros((2, 2)))
    """
    after = """
        import numpy as np
        import torch

        device = torch.device("cuda:0")
        net = torch.nn.Linear(1, 1).to(device)
        x = torch.tensor(np.zeros((2, 2)), dtype=torch.float32, device=device)
    """
    check(CODE, dedent(before), dedent(after), "safe")


def test_a_device_below_a_use_of_the_alias_goes_up() -> None:
    before = """
        import torch

        Tensor = torch.cuda.FloatTensor
        x = Tensor(2, 3)
        device = torch.device("cuda:0")
        y = Tensor(2, 3).to(device)
    """
    after = """
        import torch

        device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
        x = torch.empty(2, 3, dtype=torch.float32, device=device)
        y = torch.empty(2, 3, dtype=torch.float32, device=device).to(device)
    """
    check(CODE, dedent(before), dedent(after), "safe")


def test_a_shadowed_device_is_not_used() -> None:
    before = """
        import torch

        cuda = torch.cuda.is_available()
        Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor


        def f(phones):
            for device in phones:
                x = Tensor(2)
            return x

        f(1).backward()
    """
    assert (
        "device=device"
        not in engine.fix(Source.from_text("case.py", dedent(before)), [rule(CODE)], Target(), True).text
    )


def test_nested_fixes_of_other_rules_are_all_made() -> None:
    before = """
        import torch

        cuda = torch.cuda.is_available()
        Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
        x = Tensor([torch.cuda.LongTensor(1).item()]).type(torch.cuda.DoubleTensor)
        x.backward()
    """
    after = f"""
        import torch

        cuda = torch.cuda.is_available()
        device = torch.device("cuda" if cuda else "cpu")
        x = torch.tensor([torch.empty(1, {I64}).item()], {F32}).to(device, torch.float64)
        x.backward()
    """
    rules = [rule(code) for code in ("DEV201", "DEV202", "DEV205")]
    source = Source.from_text("case.py", dedent(before).lstrip())
    assert engine.fix(source, rules, Target()).text == dedent(after).lstrip()


def test_crlf_and_latin_1() -> None:
    text = dedent(PROGRAMS[0][0]).lstrip().replace("\n", "\r\n").replace("Training", "Tr\xe4ning")
    source = Source.from_bytes("case.py", ("# -*- coding: latin-1 -*-\r\n" + text).encode("latin-1"))
    result = engine.fix(source, [rule(CODE)], Target())
    assert result.failure is None
    wanted = dedent(PROGRAMS[0][1]).lstrip().replace("\n", "\r\n").replace("Training", "Tr\xe4ning")
    assert result.text == "# -*- coding: latin-1 -*-\r\n" + wanted


OPTION = 'parser.add_argument("--cuda", action="store_true"{more})\nargs = parser.parse_args()\n'
MODULE_HEAD = "import argparse\n\nimport torch\n\nparser = argparse.ArgumentParser()\n"


@pytest.mark.parametrize(
    ("test", "joined"),
    [
        ("args.cuda", "args.cuda and torch.cuda.is_available()"),
        ("(args.cuda)", "(args.cuda) and torch.cuda.is_available()"),
        ("args.cuda is True", "args.cuda is True and torch.cuda.is_available()"),
    ],
)
def test_the_module_of_the_types_is_chosen_by_torch_as_well(test: str, joined: str) -> None:
    head = MODULE_HEAD + OPTION.format(more=", default=True")
    text = head + "th = torch.cuda if {} else torch  # or the CPU\nth.FloatTensor([1.0])\n"
    check(CODE, text.format(test), text.format(joined), "safe")


def test_the_module_of_the_types_is_chosen_by_what_all_callers_give() -> None:
    text = """
        import torch


        class Beam:
            def __init__(self, size, cuda):
                self.tt = torch.cuda if {} else torch
                self.scores = self.tt.FloatTensor(size).zero_()


        USE_GPU = True
        beam = Beam(3, USE_GPU)
    """
    check(CODE, dedent(text.format("cuda")), dedent(text.format("cuda and torch.cuda.is_available()")), "safe")


@pytest.mark.parametrize(
    "text",
    [
        "cuda = torch.cuda.is_available()\nth = torch.cuda if cuda else torch\n",
        "th = torch.cuda if torch.cuda.is_available() else torch\n",
        "def make(module):\n    return torch.cuda if module else torch\n",
        "def make(cuda):\n    return torch.cuda if cuda else torch\n",
        "cuda = True\nth = torch.cuda if cuda else None\n",
        "cuda = True\nth = torch if cuda else torch.cuda\n",
        "import os\nth = torch.cuda if os.path.exists('gpu') else torch\n",
    ],
)
def test_other_choices_of_the_module_are_no_finding(text: str) -> None:
    text = f"import torch\n\n{text}" + "is_cuda = torch.cuda.is_available()\n"
    assert not found(CODE, text)


def test_the_choice_of_the_module_is_unsafe_above_the_choice_of_cards() -> None:
    text = """
        import os

        import torch

        cuda = True
        th = torch.cuda if cuda else torch
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
        th.FloatTensor([1.0])
    """
    assert [kind for _, kind in places(CODE, dedent(text))] == ["unsafe"]
