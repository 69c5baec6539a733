"""Tensors at hand that are certainly on the device of one that a function makes, and what shows that they are."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.tensors.partners import partner_device
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext
from tests.support.projects import fix_files, write_files

HEAD = """import torch
import torch.nn.functional as F
from torch import autograd
from torch.autograd import Variable
from torch import nn
def f(x, y, net, n):
"""

FOUND = [
    # Gradients are where the outputs are that they belong to.
    ("o = net(x)\nreturn autograd.grad(o, x, torch.ones(o.size(), device='cuda'))", ["o.device"]),
    ("o = net(x)\nreturn autograd.grad(outputs=o, inputs=x, grad_outputs=torch.ones(o.shape).cuda())", ["o.device"]),
    ("g = Variable(torch.ones(x.size()).cuda())\nreturn autograd.grad(x, y, g)", ["x.device"]),
    ("b = x.size(0)\nreturn autograd.grad(x, y, torch.ones(b).cuda())", ["x.device"]),
    ("x.backward(torch.ones(n).cuda())", ["x.device"]),
    # Lists of tensors that are joined, and losses.
    ("return torch.column_stack([x, torch.ones(n).cuda()])", ["x.device"]),
    ("return F.kl_div(x, torch.ones(n).cuda())", ["x.device"]),
    # Arithmetic with a tensor that has dimensions.
    ("m = torch.ones(n).cuda()\nreturn m.mul(x.view(-1))", ["x.device"]),
    ("m = torch.ones(n).cuda()\nreturn x.view(-1).mul(m)", ["x.device"]),
    ("z = (x > 0).nonzero()\nreturn z[torch.randperm(n).cuda()]", ["z.device"]),
    ("z = x.view(-1, 3)\nz += torch.ones(n).cuda()\nreturn z", ["z.device"]),
    ("b = x.size(0)\nx += torch.ones(n).cuda()", ["x.device"]),
    ("assert isinstance(x, torch.Tensor)\nb = x.size(0)\nx += torch.ones(n).cuda()", ["x.device"]),
    ("b = x.size(0)\nm = torch.rand(n).cuda()\nreturn x + m * (y - x)", ["x.device"]),
    ("b = x.size(0)\nm = torch.rand(n).cuda()\nreturn m * (y - x)", ["x.device"]),
    ("b = x.size(0)\nreturn F.margin_ranking_loss(x, y, torch.ones(b).cuda())", ["x.device"]),
    (
        "z = x.mean(0, keepdim=True)\nm = torch.zeros(z.size()).fill_(z.size(1)).cuda()\nreturn m.mul(torch.log(z))",
        ["x.device"],
    ),
    # A dimension that an operation works along, or that a line above has made.
    ("x = F.softmax(x, 2)\nreturn x * torch.ones(n).cuda()[None, :]", ["x.device"]),
    ("z = F.log_softmax(x, dim=-2)\nreturn z * torch.ones(n).cuda()", ["x.device"]),
    ("z = x.sum(dim=(2, 3))\nreturn z * torch.ones(n).cuda()", ["x.device"]),
    ("z = x.sum(dim=(2, 3))\nz = z * torch.ones(n).cuda()\nz = z.sum(2)\nreturn z", ["z.device"]),
    ("x = x.reshape((-1, n))\nreturn x * torch.ones(n).cuda()", ["x.device"]),
    ("z = x.mean([0, 2])\nreturn torch.ones(n).cuda() * z", ["x.device"]),
    # What is made as large as a tensor has its dimensions.
    ("m = torch.randn(x.size()).cuda()\nreturn x + m", ["x.device"]),
    ("m = torch.randn_like(x).cuda()\nreturn m.mul(x)", ["x.device"]),
    ("net.x += torch.randn(net.x.shape).cuda()", ["net.x.device"]),
    ("b = x.size(0)\nz = torch.mm(x, y) / n\nreturn z * torch.eye(b).cuda()", ["x.device"]),
    ("z = torch.cat([x, y], 0)\nreturn torch.ones(n).cuda() * z.t()", ["z.device"]),
    # What is made of both is there as well, so that moving it is nothing new.
    ("b = x.size(0)\nm = torch.rand(n).cuda()\nz = x + m * (y - x)\nz = z.cuda()\nreturn z", ["x.device"] * 2),
    ("b = x.size(0)\nm = torch.rand(n).cuda()\nz = x + m * y\nz = Variable(z).cuda()\nreturn z", ["x.device"] * 2),
    # Nobody sees below what is deleted further down.
    ("b = x.size(0)\nz = x * torch.rand(n).cuda()\ndel x\nreturn z", ["x.device"]),
    ("for i in y:\n    b = x.size(0)\n    z = x * torch.rand(n).cuda()\ndel x\nreturn z", ["x.device"]),
    # What meets nothing goes where something goes that meets a tensor whenever the function gets so far.
    ("b = x.size(0)\nm = torch.rand(n).cuda()\nz = y * 2\nz = z.cuda()\nreturn x * m, z", ["x.device"] * 2),
    ("b = x.size(0)\nm = torch.rand(n).cuda()\nif n:\n    z = x + m\nz = z.cuda()\nreturn x * m", ["x.device"] * 2),
    ("b = x.size(0)\nx = x * torch.rand(n).cuda()\nreturn x, torch.ones(y).cuda()", ["x.device"] * 2),
    ("b = x.size(0)\nz = torch.ones(y).cuda()\nwith net(z):\n    return x * torch.rand(n).cuda()", ["x.device"] * 2),
    ("b = x.size(0)\nm = x * torch.rand(n).cuda()\nwhile b:\n    b = net(torch.ones(y).cuda())", ["x.device"] * 2),
    ("torch.cuda.set_device(1)\nb = x.size(0)\nz = x * torch.rand(n).cuda()\nreturn y.cuda()", ["x.device"] * 2),
    ("with torch.cuda.device(1):\n    z = x.view(-1) * torch.rand(n).cuda()\n    return y.cuda()", ["x.device"] * 2),
    (
        "b = x.size(0)\nm = torch.rand(n).cuda()\nk = y.cuda()\nif n:\n    return n\nreturn x * m, k",
        ["x.device"] * 2,
    ),
    # What a branch gives a name is there below as well.
    ("if n is None:\n    y = torch.zeros(x.size(0)).cuda()\nreturn torch.cat([x, y])", ["x.device"]),
    (
        "if n:\n    with net:\n        m = torch.rand(3).cuda()\nelse:\n    m = y\nreturn torch.cat([x, m])",
        ["x.device"],
    ),
    ("if n:\n    m = y\nelif net:\n    m = torch.rand(3).cuda()\nm = m + 1\nreturn torch.cat([x, m])", ["x.device"]),
    (
        "if n:\n    x = x + torch.rand(x.size()).cuda()\n    y = y + torch.rand(y.size()).cuda()\n"
        "return torch.cat([net, x]), torch.cat([net, y])",
        ["x.device", "y.device"],
    ),
    # Lines between, and operations of two tensors of which one has dimensions.
    ("m = torch.rand(x.shape).cuda() < n\nreturn x.bool() | m", ["x.device"]),
    ("m = torch.ones(x.size(0), 1).cuda()\nx = x / n * m\nreturn x", ["x.device"]),
    ("z = torch.cat((x, y))\nm = torch.arange(n).cuda()\nz = z.view(1, -1)\nz = 2 * z\nreturn z * m", ["z.device"]),
    (
        "m = 1 / torch.pow(n, torch.arange(9).cuda())\nm = m[:3]\nm = m + 1\nm = -m\nreturn torch.cat([x, m])",
        ["x.device"],
    ),
    ("k = torch.ge(x, n).float()\nm = torch.zeros(x.size()).cuda()\nreturn k.long() * m", ["x.device"]),
    ("b = x.size(0)\nz = torch.exp(-x / n)\nreturn torch.ones_like(z) - torch.eye(b).cuda()", ["x.device"]),
    ("z = x.detach() + 0.0\nif n:\n    z += 0.1 * torch.randn(x.shape).cuda()", ["x.device"]),
    ("m = torch.ones(n).cuda()\nz = x @ y\nreturn torch.cat([z, m])", ["x.device"]),
    ("b = x.size(1)\nz, i = x.max(1)\nz = z / n\nreturn z * torch.ones(b).cuda()", ["x.device"]),
    ("b = x.size(0)\nreturn torch.max(x - y, torch.zeros(b).cuda())", ["x.device"]),
    ("b = x.size(0)\nreturn x.gt(torch.ones(n).cuda())", ["x.device"]),
    ("z = x.permute(0, 2, 1)\nreturn x * torch.ones(n).cuda()", ["x.device"]),
    ("z = torch.bmm(x, y)\nm = torch.ones(n).cuda()\nz = z / m\nz = net(z)\nreturn z", ["z.device"]),
    ("return torch.stft(x, n, window=torch.hann_window(n).cuda())", ["x.device"]),
    # What has data, and gradients or dimensions, or is given to torch, is a tensor.
    ("x.backward()\nm = torch.ones(n).cuda()\nz = x.data.float() + 1\nreturn torch.mm(z, m)", ["x.device"]),
    ("b = x.size(0)\nreturn torch.mm(x.data, torch.ones(n).cuda())", ["x.device"]),
    # The first of two tensors, if it has dimensions.
    ("b = x.size(0)\nm = torch.ones(n).cuda()\nz = x.mul(y)\nz = z + 1\nreturn torch.mm(z, m)", ["x.device"]),
    ("b = x.size(0)\nm = torch.ones(n).cuda()\nx = x.mul(y)\nreturn torch.mm(x, m)", ["x.device"]),
    ("b = y.size(0)\nm = torch.ones(n).cuda()\nz = torch.where(x, y, net)\nreturn torch.mm(z, m)", ["y.device"]),
    ("m = torch.ones(n).cuda()\nz = x.mul_(y)\nreturn torch.mm(z, m)", ["x.device"]),
    # A loss without weights may be anywhere.
    (
        "b = x.size(0)\nif n:\n    z = x.detach() * torch.ones(n).cuda()\nc = nn.KLDivLoss(reduction='sum').cuda()\nreturn c(x, y)",
        ["x.device"] * 2,
    ),
]

NOT_FOUND = [
    "o = net(x)\nreturn autograd.grad(o, x, torch.ones(n).cuda())",
    "o = [net(x)]\nreturn autograd.grad(o, x, torch.ones(x.size()).cuda())",
    "return autograd.grad([x, y], net, torch.ones(n).cuda())",
    "return autograd.grad(x, torch.ones(n).cuda(), y)",
    "return torch.ones(n).cuda().mul(x)",
    "m = torch.randn(y.size()).cuda()\nreturn x + m",
    "net.x += torch.randn(net.y.shape).cuda()",
    "m = torch.ones(n).cuda()\nz = max([x, y])\nreturn m * z",
    "return x.mul(torch.ones(n).cuda())",
    "x += torch.ones(n).cuda()",
    "return torch.ones(n).cuda() * (y - x)",
    "return torch.ones(n).cuda() * x.view(-1).sum()",
    "return torch.ones(n).cuda() * x.view(n)",
    # What a branch gives a name, and another line may give it again.
    "if n:\n    m = torch.zeros(3).cuda()\n    if y:\n        m = y\nreturn torch.cat([x, m])",
    "while n:\n    if y:\n        m = torch.zeros(3).cuda()\nreturn torch.cat([x, m])",
    "if n:\n    m = torch.zeros(3).cuda()\nif net:\n    m = y\nreturn torch.cat([x, m])",
    "for i in y:\n    m = torch.zeros(3).cuda()\n    if i:\n        m = x\nreturn torch.cat([x, m])",
    # A name that is another value's by then, and what may have no dimensions, and so be elsewhere.
    "z = x * n\nx = y\nb = x.size(0)\nreturn z * torch.ones(n).cuda()",
    "b = x.size(0)\nz = x * n\nfor i in y:\n    m = z * torch.ones(n).cuda()\n    x = i\nreturn m",
    "b = x.size(0)\nx, z = y, x * n\nm = z * torch.ones(n).cuda()\nreturn m",
    "b = x.size(0)\nz = F.mse_loss(x, y)\nreturn z * torch.ones(n).cuda()",
    "b = x.size(0)\nz = (x - y).sum()\nreturn z * torch.ones(n).cuda()",
    "b = x.size(0)\nz = torch.matmul(x, y) / n\nz = z * torch.ones(n).cuda()\nreturn z",
    "z = x / n\nreturn z * torch.ones(n).cuda()",
    "z = x.transpose(0, -1)\nreturn x * torch.ones(n).cuda()",
    "b = x.size(0)\nz, i = x.max(0)\nz = z / n\nreturn z * torch.ones(b).cuda()",
    "b = x.size(0)\nreturn torch.zeros_like(x, device=n) - torch.eye(b).cuda()",
    "b = x.size(0)\nif n:\n    z = x.detach() * torch.ones(n).cuda()\nc = nn.BCELoss(y).cuda()\nreturn c(x, y)",
    "return not torch.ones(n).cuda() + [x, y][0]",
    # What has data may be a packed sequence, which has no device.
    "m = torch.ones(n).cuda()\nz = x.data.float() + 1\nreturn torch.mm(z, m)",
    "m = torch.ones(n).cuda()\nreturn torch.mm(x.data, m)",
    # The first of two tensors may have no dimensions, and so be elsewhere.
    "m = torch.ones(n).cuda()\nz = torch.where(net, x, y)\nreturn torch.mm(z, m)",
    "m = torch.ones(n).cuda()\nz = x.lt(y).float()\nreturn torch.mm(z + 1, m)",
    "m = torch.ones(n).cuda()\nz = torch.minimum(x, y)\nreturn m.masked_fill(z > 0, 2)",
    "m = torch.ones(n).cuda()\nz = torch.pow(x, y)\nz = z.float()\nreturn torch.mm(z, m)",
    "m = torch.ones(n).cuda()\nx = torch.mm(x.pow(y), m)\nreturn x",
    "m = torch.ones(n).cuda()\nx = x.mul(y)\nreturn torch.mm(x, m)",
    # Another card may be the current one, or the function may be left, before the other tensor meets one.
    "b = x.size(0)\nz = x * torch.rand(n).cuda()\ntorch.cuda.set_device(1)\nreturn y.cuda()",
    "b = x.size(0)\nz = x * torch.rand(n).cuda()\nwith torch.cuda.device(1):\n    return y.cuda()",
    "b = x.size(0)\nm = torch.rand(n).cuda()\nk = y.cuda()\nif n:\n    return k\nreturn x * m, k",
    # What may be a tensor or something else.
    "b = y[0] if isinstance(x, tuple) else x.size(0)\nreturn x * torch.ones(b).cuda()",
    "if not torch.is_tensor(x):\n    x.sort()\nb = x.size(0)\nx += torch.ones(n).cuda()",
    "return F.margin_ranking_loss(x, y, torch.ones(n).cuda())",
    "return F.ctc_loss(x, torch.ones(n).cuda(), y, n)",
    "for i in y:\n    b = x.size(0)\n    z = x * torch.rand(n).cuda()\n    del x",
    "b = x.size(0)\ndel x\nz = x * torch.rand(n).cuda()",
    "b = x.size(0)\nz = torch.ones(y).cuda()\nif n:\n    m = x * torch.rand(n).cuda()\nreturn z",
    "b = x.size(0)\nz = torch.ones(y).cuda()\nif n:\n    return z\nreturn x * torch.rand(n).cuda()",
    "b = x.size(0)\nfor i in y:\n    m = x * torch.rand(n).cuda()\nreturn torch.ones(y).cuda()",
    "b = x.size(0)\ntry:\n    m = x * torch.rand(n).cuda()\nexcept E:\n    m = n\nreturn torch.ones(y).cuda()",
    "z = torch.ones(y).cuda()\nx = net(x)\nb = x.size(0)\nreturn x * torch.rand(n).cuda(), z",
    "z = torch.ones(y).cuda()\no = net(x)\nb = o.size(0)\nreturn o * torch.rand(n).cuda(), z",
    "b = x.size(0)\nz = [torch.ones(o).cuda() for o in y]\nreturn x * torch.rand(n).cuda(), z",
    "b = x.size(0)\nz = lambda o: torch.ones(o).cuda()\nreturn x * torch.rand(n).cuda() + z(b)",
    "x.add(torch.ones(n).cuda())",
    "x = F.softmax(x, -1)\nreturn x * torch.ones(n).cuda()",
    "z = x.sum(dim=(0, 1))\nreturn z * torch.ones(n).cuda()",
    "z = x.sum(dim=n)\nreturn z * torch.ones(n).cuda()",
    "z = x.topk(2)[0]\nz = y\nz = z * torch.ones(n).cuda()\nreturn z",
    "if n:\n    z = x.sum(2)\nelse:\n    z = y\nz = z * torch.ones(n).cuda()\nreturn z",
    "x = x.reshape((n,))[0]\nreturn x * torch.ones(n).cuda()",
    "z = []\nz.append(x)\nreturn torch.cat(z).view(-1) * torch.ones(n).cuda()",
    "x = x[..., 3::8, 3::8].cuda()\nreturn torch.where(x > 0.1, 1.0 / x, x)",
    "b = x.size(0)\nx = x.float().cuda()\nreturn 1.0 / x * x",
    "b = x.size(0)\nx, n = x.cuda(), b\nreturn x * x",
]


def _devices(body: str) -> list[str | None]:
    text = HEAD + "".join(f"    {line}\n" for line in body.split("\n"))
    ctx = FileContext(Source.from_text("file.py", text))
    made = [
        one
        for one in ctx.tree.of_type(cst.Call)
        if (isinstance(one.func, cst.Attribute) and one.func.attr.value == "cuda")
        or (dotted_name(one.func) == "torch.ones" and "'cuda'" in ctx.text_of(one))
    ]
    return [partner_device(ctx, one) for one in made]


@pytest.mark.parametrize(("body", "expected"), FOUND)
def test_at_hand(body: str, expected: list[str | None]) -> None:
    assert _devices(body) == expected


@pytest.mark.parametrize("body", NOT_FOUND)
def test_nothing_is_certain(body: str) -> None:
    assert set(_devices(body)) == {None}


def test_what_is_made_of_itself_ends() -> None:
    assert _devices("while n:\n    a = b + c\n    b = a + c\nreturn torch.ones(n).cuda() * a") == [None]
    doubled = "\n".join(f"a{at + 1} = a{at} + a{at}" for at in range(40))
    assert _devices(f"a0 = x + y\n{doubled}\nreturn torch.ones(n).cuda() * a40") == [None]


@pytest.mark.parametrize(
    ("maker", "user", "expected"),
    [
        ("self.logit = d", "pass", "self.logit.device"),
        ("pass", "self.logit = d + 1", None),
        ("self.logit = d", "self.logit = d + 1", None),
    ],
)
def test_an_attribute_of_the_instance_lasts_where_only_init_gives_it_a_value(
    maker: str, user: str, expected: str | None
) -> None:
    text = (
        "from torch import nn\n\n\nclass Loss(nn.Module):\n"
        f"    def __init__(self, d):\n        super().__init__()\n        self.loss = nn.BCELoss()\n        {maker}\n\n"
        "    def forward(self, d, judge):\n        per = (judge + 1) / 2\n        per = per.cuda()\n"
        f"        {user}\n        return self.loss(self.logit, per)\n"
    )
    ctx = FileContext(Source.from_text("file.py", text))
    calls = ctx.tree.of_type(cst.Call)
    moves = [one for one in calls if isinstance(one.func, cst.Attribute) and one.func.attr.value == "cuda"]
    assert [partner_device(ctx, one) for one in moves] == [expected]


@pytest.mark.parametrize(("also", "is_beside"), [("y", True), ("y[index]", False)])
def test_what_indexes_several_tensors_may_stay_on_the_cpu(tmp_path: Path, also: str, is_beside: bool) -> None:
    text = (
        "import torch\n\n\ndef mixed(x, y, part, use_cuda=True):\n    size = x.size()[0]\n    if use_cuda:\n"
        "        index = torch.randperm(size).cuda()\n    else:\n        index = torch.randperm(size)\n"
        f"    return part * x + (1 - part) * x[index, :], {also}\n"
    )
    after = fix_files(write_files(tmp_path / "p", {"main.py": text}))["main.py"]
    assert ("index = torch.randperm(size).to(x.device)" in after) is is_beside
    assert ".cuda()" not in after
