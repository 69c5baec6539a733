"""Whether an ``if`` holds nothing but moves, which change nothing where they do not move."""

from __future__ import annotations

import libcst as cst
import pytest

from devlint.analysis.transfers.only_moves import is_needless
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext

HEAD = "import torch\nn = torch.cuda.is_available()\nx, y, z, w, d = torch.ones(2), torch.ones(2), torch.ones(2), torch.ones(2), {}\nprint(d['a'], d[i], self.x)\n"
CASES = [
    ("if n:\n    x = x.cuda()", True),
    ("if n:\n    x.cuda()", True),
    ("if n:\n    net.cuda()", True),
    ("if n:\n    x, y = x.cuda(), y.cuda()", True),
    ("if n:\n    x, y = y.cuda(), x.cuda()", False),
    ("if n:\n    x, y = x.cuda(), y", True),
    ("if n:\n    x, y = x.cuda(), f()", False),
    ("if n:\n    x = y = x.cuda()", False),
    ("if n:\n    x = None if x is None else x.cuda()", True),
    ("if n:\n    x = None if y is None else x.cuda()", False),
    ("if n:\n    x = None if x is not None else x.cuda()", False),
    ("if n:\n    x = 1 if x is None else x.cuda()", False),
    ("if n:\n    x = None if x is None else y.cuda()", False),
    ("if n:\n    d = dict([(k, v.cuda()) for k, v in d.items()])", True),
    ("if n:\n    d = dict((k, v.cuda()) for k, v in d.items())", True),
    ("if n:\n    d = dict([(v, k.cuda()) for k, v in d.items()])", False),
    ("if n:\n    d = dict([(k, v.cuda(), 1) for k, v in d.items()])", False),
    ("if n:\n    d = dict([v.cuda() for v in d])", False),
    ("if n:\n    y = x.cuda()", False),
    ("if n:\n    x = x.cuda(); y = y.cuda()", True),
    ("if n:\n    x = x.cuda()\n    print(x)", False),
    ("if n:\n    x = x.cuda(); print(x)", False),
    ("if n:\n    self.x = self.x.cuda()", True),
    ("if n:\n    d['a'] = d['a'].cuda()", True),
    ("if n:\n    d[i] = d[i].cuda()", True),
    ("if n:\n    d[i + 1] = d[i + 1].cuda()", False),
    ("if n:\n    d[f()] = d[f()].cuda()", False),
    ("if n:\n    f().cuda()", False),
    ("if n:\n    x = f(x).cuda()", False),
    ("if n:\n    for i in range(3):\n        x[i] = x[i].cuda()", True),
    ("if n:\n    for i in range(len(x)):\n        x[i] = x[i].cuda()", True),
    ("if n:\n    for i in range(f()):\n        x[i] = x[i].cuda()", False),
    ("if n:\n    for i in x:\n        i.cuda()", False),
    ("if n:\n    for i in f(x):\n        i.cuda()", False),
    ("if n:\n    for i in range(3):\n        x[i] = x[i].cuda()\n    else:\n        f()", False),
    ("if n:\n    for k, v in d.items():\n        d[k] = v.cuda()", True),
    ("if n:\n    for k, v in e.items():\n        d[k] = v.cuda()", False),
    ("if n:\n    for k, v in d.items():\n        d[v] = k.cuda()", False),
    ("if n:\n    for k, v in d.items():\n        d[k] = w.cuda()", False),
    ("if n:\n    for k, v in d.items(1):\n        d[k] = v.cuda()", False),
    ("if n:\n    for k, v in d().items():\n        d[k] = v.cuda()", False),
    ("if n:\n    for k in d.keys():\n        d[k] = d[k].cuda()", True),
    ("if n:\n    for k in d:\n        d[k] = d[k].cuda()", True),
    ("if n:\n    for k in self.d:\n        self.d[k] = self.d[k].cuda()", True),
    ("if n:\n    for k in d:\n        if torch.is_tensor(d[k]):\n            d[k] = d[k].cuda()", True),
    ("if n:\n    for k in d:\n        e[k] = e[k].cuda()", False),
    ("if n:\n    for k in f():\n        d[k] = d[k].cuda()", False),
    ("if n:\n    for k, v in d:\n        d[k] = d[k].cuda()", False),
    ("if n:\n    for v in d.values():\n        v.cuda()", True),
    ("if n:\n    for v in d.others():\n        v.cuda()", False),
    ("if n:\n    if m:\n        x = x.cuda()", True),
    ("if n:\n    if f():\n        x = x.cuda()", False),
    ("if n:\n    if m and not k:\n        x = x.cuda()", True),
    ("if n:\n    if m and f():\n        x = x.cuda()", False),
    ("if n:\n    if f() or m:\n        x = x.cuda()", False),
    ("if n:\n    if not f():\n        x = x.cuda()", False),
    ("if n:\n    if x:\n        x = x.cuda()", False),
    ("if n:\n    if self.x:\n        self.x = self.x.cuda()", False),
    ("if n:\n    if x is None:\n        x = x.cuda()", True),
    ("if n:\n    if x is not None:\n        x = x.cuda()", True),
    ("if n:\n    if x == None:\n        x = x.cuda()", True),
    ("if n:\n    if x == y:\n        x = x.cuda()", False),
    ("if n:\n    if m == 1:\n        x = x.cuda()", True),
    ("if n:\n    if m == f():\n        x = x.cuda()", False),
    ("if n:\n    if f() is None:\n        x = x.cuda()", False),
    ("if n:\n    if m in (1, 'a'):\n        x = x.cuda()", True),
    ("if n:\n    if m in (1, f()):\n        x = x.cuda()", False),
    ("if n:\n    if torch.is_tensor(x):\n        x = x.cuda()", True),
    ("if n:\n    if isinstance(x, torch.Tensor):\n        x = x.cuda()", True),
    ("if n:\n    if isinstance(x, list):\n        x = x.cuda()", False),
    ("if n:\n    if isinstance(m, (list, tuple)):\n        x = x.cuda()", True),
    ("if n:\n    if isinstance(m, (list, f())):\n        x = x.cuda()", False),
    ("if n:\n    if isinstance(m, int):\n        x = x.cuda()", True),
    ("if n:\n    if isinstance(o.kind, str):\n        x = x.cuda()", True),
    ("if n:\n    if not isinstance(m, Kind):\n        x.cuda()", True),
    ("if n:\n    if isinstance(m, torch.cuda.FloatTensor):\n        x = x.cuda()", False),
    ("if n:\n    if isinstance(f(), int):\n        x = x.cuda()", False),
    ("if n:\n    if isinstance():\n        x = x.cuda()", False),
    ("if n:\n    if isinstance(f(), torch.Tensor):\n        x = x.cuda()", False),
    ("if n:\n    if torch.is_tensor(f()):\n        x = x.cuda()", False),
    ("if n:\n    if m:\n        x = x.cuda()\n    else:\n        y = y.cuda()", True),
    ("if n:\n    if m:\n        x = x.cuda()\n    else:\n        f()", False),
    ("if n:\n    if m:\n        x = x.cuda()\n    elif k:\n        y = y.cuda()", True),
    ("if n:\n    if m:\n        x = x.cuda()\n    elif f():\n        y = y.cuda()", False),
    ("if n:\n    while m:\n        x = x.cuda()", False),
    ("if n:\n    with m:\n        x = x.cuda()", False),
    ("if n:\n    pass", False),
    ("if n:\n    x = x.cuda(f())", False),
    ("if n:\n    x = x.cuda(non_blocking=True)", True),
    ("if n:\n    x = x.cuda(non_blocking=f())", False),
    ("if n:\n    x = x.float()", False),
    ("if n:\n    x = x.cpu()", False),
    ("if n:\n    x = x.to('cuda')", True),
    ("if n:\n    x = x.to(torch.device('cuda'))", True),
    ("if n:\n    x = x.to(device)", False),
    ("if n:\n    x += x.cuda()", False),
    ("if n:\n    x: T = x.cuda()", False),
    ("if n:\n    return_ = x", False),
    ("if n:\n    x = x", True),
    ("if n:\n    x = x.cuda()\nelse:\n    pass", False),
    ("if n:\n    x = x.cuda()\nelse:\n    x = x", True),
    ("if n:\n    x = x.cuda()\nelse:\n    x = x.cpu()", True),
    ("if n:\n    y = f(x.cuda())\nelse:\n    y = f(x)", True),
    ("if n:\n    y = f(x.cuda())\nelse:\n    y = g(x)", False),
    ("if n:\n    y = f(x.cuda())\nelse:\n    y = f(z)", False),
    ("if n:\n    y = f(x.cuda(), 1)\nelse:\n    y = f(x)", False),
    ("if n:\n    y = f(x.cuda()); z = 1\nelse:\n    y = f(x); z = 1", True),
    ("if n:\n    y = f(x.cuda()); z = 1\nelse:\n    y = f(x)", False),
    ("if n:\n    x = x.cuda()\nelif m:\n    x = x.cuda()", False),
    ("x = None\nif n:\n    x.cuda()", False),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_is_needless(text: str, expected: bool) -> None:
    ctx = FileContext(Source.from_text("case.py", HEAD + text))
    assert is_needless(ctx, next(iter(ctx.tree.of_type(cst.If)))) is expected


LOADER = """import numpy as np
import torch


class Loader:
    def __init__(self, cuda=True):
        self.cuda = cuda

    def take(self, n, other):
        batch = {"x": [], "y": []}
        batch["x"] = torch.from_numpy(np.ones(n)).long()
        @
        if self.cuda:
            for key in batch:
                batch[key] = batch[key].cuda()
        return batch
"""


@pytest.mark.parametrize(
    ("line", "walked", "needless"),
    [
        ("batch['y'] = torch.autograd.Variable(torch.FloatTensor(n))", "batch", True),
        ("batch['y'] = n", "batch", False),
        ("batch['y'] = n", "['x']", True),
        ("batch['y'] = n", "['x', 'y']", False),
        ("batch['y'] = n", "['x', n]", False),
        ("batch['y'] = other(n)", "batch", False),
        ("batch['y'] += [n]", "batch", False),
        ("batch['y'] = []; batch['y'].append(n)", "batch", False),
        ("batch['y'] = []; batch['y'] = torch.from_numpy(np.array(batch['y']))", "batch", True),
        ("batch['x'] = n", "batch", False),
        ("if n: batch['x'] = n", "batch", False),
        ("if n: batch['x'] = torch.FloatTensor(n)", "['x']", True),
        ("if n: batch['y'] = torch.FloatTensor(n)", "batch", False),
        ("batch['y'] = n\n        if n: batch['y'] = torch.FloatTensor(n)", "batch", False),
        ("other(batch)", "batch", False),
        ("batch.update(other)", "batch", False),
        ("same = batch", "batch", False),
        ("batch[n] = n", "batch", False),
        ("del batch['x']", "batch", False),
        ("other(batch['x'])", "['x']", True),
        ("batch = {'y': [n]}", "batch", False),
        (
            "def clear(): batch['y'] = None\n        batch['y'] = torch.FloatTensor(n)\n        clear()",
            "batch",
            False,
        ),
    ],
)
def test_what_lines_above_put_under_each_key_is_moved_without_the_test(line: str, walked: str, needless: bool) -> None:
    text = LOADER.replace("@", line).replace("in batch:", f"in {walked}:")
    ctx = FileContext(Source.from_text("a.py", text))
    owners = [one for one in ctx.tree.of_type(cst.If) if "self.cuda" in ctx.text_of(one.test)]
    assert [is_needless(ctx, one) for one in owners] == [needless]
