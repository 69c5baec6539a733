"""Generates programs that compute something on a GPU; a seed gives each again."""
# ruff: noqa: E501 -- tables of code

from __future__ import annotations

import random
from collections.abc import Callable

NEW = [
    "torch.ones(2, 3).cuda()",
    "torch.rand(2, 3).cuda()",
    'torch.zeros(2, 3, device="cuda")',
    'torch.full((2, 3), 0.5, device="cuda:0")',
    "torch.cuda.FloatTensor(2, 3).fill_(2)",
    "torch.cuda.FloatTensor([[1, 2, 3], [4, 5, 6]])",
    "torch.arange(6).reshape(2, 3).float().cuda()",
    'torch.tensor([[1.0, 2, 3], [4, 5, 6]]).to("cuda")',
    'torch.randn(2, 3).to("cuda:0", non_blocking=True)',
    "torch.ones(2, 3).type(torch.cuda.FloatTensor)",
    'torch.ones(2, 3).to(torch.device("cuda"))',
    "torch.eye(3)[:2].cuda(0)",
    "torch.ones(3, 2).t().cuda().contiguous()",
    "(torch.ones(2, 3) * 3).cuda(non_blocking=True)",
    'torch.empty(2, 3, device=torch.device("cuda", 0)).fill_(1)',
    "torch.nn.Parameter(torch.ones(2, 3).cuda()).detach()",
    "torch.ones(2, 3).double().cuda().float()",
]
"""Tensors of two rows and three columns, on the GPU."""
OF_ONE = [
    "{0} + 1",
    "{0} * torch.rand(2, 3).cuda()",
    "torch.relu({0})",
    "{0}.cpu().cuda()",
    "{0}.clone().cuda()",
    "net({0})",
    "torch.nn.functional.linear({0}, torch.eye(3).cuda())",
    "torch.cat([{0}[:1], torch.ones(1, 3).cuda()])",
    "(lambda t: t.cuda() + 1)({0})",
    "[t.cuda() for t in {0}.unbind()][0].expand(2, 3)",
    "torch.stack([t.cuda() for t in {0}])",
    '{{"a": {0}.cuda()}}["a"]',
    "torch.where({0} > 0, {0}, torch.zeros(2, 3).cuda())",
    "{0}.new_ones(2, 3).cuda()",
    "torch.as_tensor({0}.cpu().tolist()).cuda()",
    'torch.zeros_like({0}, device="cuda") + {0}',
    "next(t.cuda() for t in [{0}])",
    "({0}  # why\n     .cuda())",
    '{0}.to("cuda").to(torch.float32)',
    "dict(a={0}.cuda())['a']",
    "{0} if torch.cuda.is_available() else {0}.cuda()",
]
OF_TWO = ["{0} + {1}", "{0} * {1}.cuda()", "torch.max({0}, {1})", "({0} @ {1}.t()) @ {1}", "torch.lerp({0}, {1}, 0.5)"]
HEADS = [
    "import torch",
    '"""Doc."""\nimport torch',
    "from __future__ import annotations\nimport torch",
    "import os\nimport torch",
    "import torch\nfrom torch import nn",
    'import torch\ndevice = torch.device("cuda")',
    "import torch\nuse_cuda = torch.cuda.is_available()",
    'import torch\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")',
    'import torch\ndevice = "cuda:0"',
    "import torch\ndevice = 3",
    "import torch\n\n\ndef device():\n    return 1",
    "import torch\ntorch.cuda.manual_seed_all(0)",
    "import torch\ntorch.cuda.empty_cache()\ntorch.cuda.synchronize()",
]
NETS = [
    "net = torch.nn.Linear(3, 3).cuda()",
    'net = torch.nn.Linear(3, 3).to("cuda")',
    "net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU())\nnet.cuda()",
    "net = torch.nn.Linear(3, 3)\nnet = net.cuda()",
    'net = torch.nn.Linear(3, 3, device="cuda")',
    "class Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.one = torch.nn.Linear(3, 3)\n\n"
    "    def forward(self, x):\n        shift = torch.ones(3).cuda()\n        return self.one(x.cuda()) + shift\n\n\nnet = Net().cuda()",
    "net = torch.nn.Linear(3, 3)\nif torch.cuda.is_available():\n    net = net.cuda()\nelse:\n    net = net.cpu()",
]


class _Writer:
    """Writes the statements of one program, and knows which names are tensors where."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._count = self._depth = 0
        self._shapes: list[Callable[[list[str]], list[str]]] = [
            self._assignment,
            self._assignment,
            self._assignment,
            self._augmented,
            self._function,
            self._method,
            self._condition,
            self._loop,
            self._attempt,
            self._with,
            self._said,
            self._several,
        ]

    def statement(self, names: list[str]) -> list[str]:
        """Some lines; the names they certainly bind are added."""
        shapes = self._shapes if self._depth < 2 else self._shapes[:4]
        return self._rng.choice(shapes)(names)

    def expression(self, names: list[str]) -> str:
        """A tensor."""
        kind = self._rng.random()
        if kind < 0.3 or not names:
            return self._rng.choice(NEW)
        if kind < 0.8:
            return self._rng.choice(OF_ONE).format(self._rng.choice(names))
        return self._rng.choice(OF_TWO).format(self._rng.choice(names), self._rng.choice(names))

    def _name(self, letter: str = "v") -> str:
        self._count += 1
        return f"{letter}{self._count}"

    def _assignment(self, names: list[str]) -> list[str]:
        line = self.expression(names)
        names.append(self._name() if not names or self._rng.random() < 0.7 else self._rng.choice(names))
        return [f"{names[-1]} = {line}"]

    def _augmented(self, names: list[str]) -> list[str]:
        return [f"{self._rng.choice(names)} += {self.expression(names)}"] if names else ["pass"]

    def _several(self, names: list[str]) -> list[str]:
        one, two = self._name(), self._name()
        line = f"{one}, {two} = {self.expression(names)}, {self.expression(names)}; {one} = {one}.cuda()"
        names += [one, two]
        return [line]

    def _said(self, names: list[str]) -> list[str]:
        return [f"print(float(({self.expression(names)}).sum()), tuple(({self.expression(names)}).shape))"]

    def body(self, names: list[str], count: int = 2) -> list[str]:
        """Some indented lines."""
        self._depth += 1
        lines = [line for _ in range(self._rng.randint(1, count)) for line in self.statement(names)]
        self._depth -= 1
        return ["    " + line for text in lines for line in text.split("\n")]

    def _function(self, names: list[str]) -> list[str]:
        name, result, default = self._name("f"), self._name(), self._rng.choice(["", "=None", ', device="cuda"'])
        inner = ["a"]
        lines = [f"def {name}(a{default}):"]
        if default == "=None":
            lines += ["    if a is None:", "        a = torch.ones(2, 3).cuda()"]
        elif default:
            inner.append("b")
            lines.append("    b = torch.ones(2, 3, device=device)")
        lines += self.body(inner)
        lines += [f"    return {self._rng.choice(inner)}.cuda()", f"{result} = {name}({self.expression(names)})"]
        names.append(result)
        return lines

    def _method(self, names: list[str]) -> list[str]:
        name, result = self._name("C"), self._name()
        inner = ["self.x"]
        lines = [f"class {name}:", "    def __init__(self, x):", "        self.x = x.cuda()", "", "    def run(self):"]
        lines += ["    " + line for line in self.body(inner)] + [f"        return {self._rng.choice(inner)}"]
        lines.append(f"{result} = {name}({self.expression(names)}).run()")
        names.append(result)
        return lines

    def _condition(self, names: list[str]) -> list[str]:
        test = self._rng.choice(["torch.cuda.is_available()", "True", "torch.cuda.device_count() > 0", "1 > 2"])
        name = self._name()
        one, two = list(names), list(names)
        lines = [f"if {test}:", *self.body(one), f"    {name} = {self.expression(one)}"]
        lines += ["else:", *self.body(two), f"    {name} = {self.expression(two)}"]
        names.append(name)
        return lines

    def _loop(self, names: list[str]) -> list[str]:
        name = self._name()
        head = f"{name} = {self.expression(names)}"
        names.append(name)
        return [head, "for i in range(2):", *self.body(list(names)), f"    {name} = {name}.cuda() + i"]

    def _attempt(self, names: list[str]) -> list[str]:
        last = self._rng.choice(["finally:", "except ValueError:"])
        return ["try:", *self.body(list(names)), last, "    pass"]

    def _with(self, names: list[str]) -> list[str]:
        return [self._rng.choice(["with torch.no_grad():", "with torch.cuda.device(0):"]), *self.body(names)]


def runnable_program(seed: int) -> str:
    """A program that runs on a computer with a GPU."""
    rng = random.Random(seed)
    writer = _Writer(rng)
    names: list[str] = []
    lines = [rng.choice(HEADS), "", rng.choice(NETS)]
    if rng.random() < 0.3:
        lines += ["", "", "def main():", *writer.body(names, 6), "    return 0", "", "", "main()"]
        names = []
    for _ in range(rng.randint(1, 6)):
        lines += writer.statement(names)
    return "\n".join(lines) + "\n"
