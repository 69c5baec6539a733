"""Tensors whose function shows that they meet one on a device."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.analysis.places.certain.certain_devices import certain_devices, likely_devices
from devlint.analysis.project.project import Project

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n"
CLASS = "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.lin = nn.Linear(2, 2)\n"

CERTAIN = [
    "def f(x: torch.Tensor):\n    y = torch.zeros(2, device=x.device)\n    return x * y + torch.ones(2)",
    "def f(x, device):\n    return x.to(device) * torch.ones(2)",
    "def f(x, device):\n    if device is None:\n        device = x.device\n    y = x.to(device)\n    return y + torch.ones(2)",
    "def f(x):\n    rows = torch.arange(3)\n    return rows[torch.zeros(3, device=x.device) > 0]",
    f"{CLASS}    def forward(self, x):\n        return x + torch.ones(2)",
    f"{CLASS}    def forward(self, x, mask: torch.Tensor | None = None):\n        if mask is None:\n            mask = torch.ones(2)\n        return self.lin(mask)",
    f"{CLASS}    def other(self, x: torch.Tensor):\n        return x.exp() + torch.ones(2)",
    f"{CLASS}    def forward(self, x):\n        parts = [self.lin(x)]\n        parts.append(torch.ones(2))\n        return torch.cat(parts)",
    "def g():\n    return torch.ones(2)\ndef f(x, device):\n    return x.to(device) * g()",
    "def f(x, device):\n    return [torch.zeros(2, device=device), torch.ones(2)]",
    "def f(x, device):\n    return h(torch.zeros(2, device=device), torch.ones(2))",
    "def f(n, device):\n    if n:\n        return torch.zeros(n, device=device)\n    return torch.ones(2)",
    "def g(x: torch.Tensor):\n    return x * torch.ones(2)\ndef f(x, device):\n    return g(x.to(device))",
    "def g(x: torch.Tensor, y: torch.Tensor):\n    return x * y\ndef f(x, device):\n    return g(x.to(device), torch.ones(2))",
    f"{CLASS}    def forward(self, x):\n        return self.pad(x, 1)\n    def pad(self, x, n):\n        return torch.cat([x, torch.zeros(n)])",
    f"{CLASS}    def forward(self, x, n=None):\n        n = torch.ones(2) if n is None else read(n)\n        return x * n",
    "def g(x: torch.Tensor, y=None):\n    if y is None:\n        y = torch.ones(2)\n    return x * y\ndef f(x, device):\n    return g(x.to(device))",
    "def f(x, device):\n    return torch.outer(x.to(device), torch.ones(2))",
    "def f(x):\n    y = torch.zeros(2, device=x[0]['a'].device)\n    return y * torch.ones(2)",
    "from models import UNet\nclass P:\n    def __init__(self, unet: UNet):\n        self.register_modules(unet=unet)\n    def __call__(self, device):\n        self.unet(torch.ones(2))\n        return self.unet(torch.ones(2, device=device))",
    "class E(nn.Embedding):\n    def forward(self, shape):\n        return super().forward(torch.arange(4))",
    "def f(n, device):\n    return torch.zeros((n,), device=device), torch.ones((n,))",
    "class L:\n    def __init__(self, model):\n        device = next(model.parameters()).device\n        self.device = device\n    def loss(self, x):\n        return x.to(self.device) * torch.ones(2)",
    "def f(x, device, n):\n    y = torch.ones(2) if n else torch.ones(3, device=device)\n    return x.to(device) * y",
    "def f(x: torch.Tensor, y: torch.Tensor):\n    z = torch.zeros(2, device=y.device)\n    return z, x.to(torch.float32) * torch.ones(2)",
    "def f(batch):\n    x = batch['x']\n    y = torch.zeros(2, device=x.device)\n    return x.view(-1) * torch.ones(2) * y",
    f"{CLASS}    def forward(self, x):\n        return torch.cat([torch.tensor([0]), x])",
    "def f(n, device):\n    g = torch.Generator(device=device).manual_seed(0)\n    return torch.rand(n, 2, generator=g)",
    "def f(x):\n    g = torch.Generator(x.device)\n    g.manual_seed(0)\n    return torch.randn(3, 2, generator=g)",
    "def f(x, device):\n    with torch.autocast(device_type=device.type):\n        return x.to(device) * torch.ones(2)",
    "def f(x, start):\n    with start(device_mode='gpu') as ctx:\n        return x.to(ctx.device) * torch.ones(2)",
    f"{CLASS}    def forward(self, x):\n        return torch.cat([torch.ones(1).view(-1).abs(), x])",
    f"{CLASS}    def forward(self, x):\n        return torch.cat([torch.zeros(size=(1,)), x])",
    "def f(given: dict, x, device):\n    return x.to(device) * torch.tensor(given['a'].shape[2:])",
    "def f(x: torch.Tensor | DTensor):\n    y = torch.zeros(2, device=x.device)\n    return x * y + torch.ones(2)",
    "import triton\n@triton.jit\ndef k(a, b):\n    pass\ndef f(x: torch.Tensor, n=None):\n    if n is None:\n        n = torch.empty(4)\n    k[(1,)](x, n)\n    return n",
    "import cuda.tile as ct\ndef f(x: torch.Tensor, k):\n    y = torch.empty(4)\n    ct.launch(1, (1,), k, (x, y))\n    return y",
    "class P:\n    def __call__(self, attn: A, x):\n        q = attn.lin(x)\n        return torch.cat([torch.ones(2), torch.ones(2, device=q.device)])\n"
    f"{CLASS}",
    f"{CLASS}    def forward(self, x):\n        return self.inner(x)\n    def inner(self, x):\n        return self.lin(torch.ones(2)) + x",
    "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n        register_buffer = lambda name, value: self.register_buffer(name, value)\n        register_buffer('b', torch.ones(2))\n    def forward(self, n):\n        return self.b * torch.ones(2)",
    "def f(x: torch.Tensor, device):\n    y = x.exp() - torch.ones(2)\n    return y / torch.ones(2, device=device)",
    "def f(x, y):\n    z = torch.ones(2).to(y.device)\n    return z, y.exp() * torch.ones(2)",
    "def f(x: list[torch.Tensor], device):\n    for one in x:\n        device = device or x[0].device\n    return torch.cat([x[0], torch.ones(2)])",
    "class L:\n    def __init__(self, n, device):\n        self.a = torch.ones(n, device=device) * torch.ones(n)",
    "class L:\n    def g(self, x: torch.Tensor, device):\n        return x * torch.ones(2)\n    def f(self, x, device):\n        x = x.to(device)\n        return self.g(x, device=device)",
    "def f(x):\n    n, *_, device = *x.shape, x.device\n    return torch.zeros(n, device=device) * torch.ones(n)",
    "def test_it(device):\n    return torch.ones(2, device=device) + torch.ones(2)",
    f"def default(x, d):\n    if x is not None:\n        return x\n    return d() if callable(d) else d\n{CLASS}    def forward(self, x, t=None):\n        t = default(t, lambda: self.times(2))\n        return x * t\n    def times(self, n):\n        return torch.zeros((n,)).float().uniform_(0, 1)",
    f"def pick(a, t):\n    return a.gather(-1, t)\n{CLASS}    def inner(self, t):\n        return pick(self.lin.weight, t)\n    def forward(self, x):\n        return x * self.inner(torch.ones(2))",
    f"def g(x: torch.Tensor):\n    return x * torch.ones(2)\n{CLASS}    def forward(self, x, y=None):\n        return g(y)",
    "import triton\n@triton.jit\ndef k(a, b):\n    pass\ndef g(a, b):\n    k[(1,)](a, b, a.stride(0), b.shape[0])\ndef f(x: torch.Tensor):\n    y = torch.empty(4)\n    g(x, y)\n    return y",
    "def f(n, p, device):\n    if n == 1:\n        return torch.ones(n, device=device)\n    return torch.zeros((n,)).uniform_(0, 1) < p",
    f"{CLASS}    def forward(self, xs):\n        total = torch.tensor(0.0)\n        for x in xs:\n            total += self.lin(x).sum()\n        return total",
    "def f(x: torch.Tensor, y):\n    if torch.equal(x, torch.tensor(1.0)):\n        return y\n    return y * torch.zeros(2, device=x.device)",
    "def f(x: torch.Tensor, device):\n    return torch.stack((x.to(device).mean(), torch.ones(())))",
    "import triton\n@triton.jit\ndef k(a, b):\n    pass\ndef f(x, y=None):\n    given = y if y is not None else torch.empty(1)\n    k[(1,)](x, given, x.stride(0))",
    "import triton\n@triton.jit\ndef k(a, b):\n    pass\ndef start(x, out):\n    k[(1,)](x, out, x.stride(0), out.stride(0))\ndef f(x):\n    out = torch.zeros(3, 4)\n    start(x, out)\n    return out",
    "import triton\n@triton.jit\ndef k(a, b):\n    pass\ndef f(x: torch.Tensor, y):\n    y = y.view(-1).to(torch.float32) if y is not None else torch.zeros(4)\n    k[(1,)](x, y)",
    "class P:\n    def one(self, x, device=None):\n        device = device or self._execution_device\n        if x is None:\n            return torch.zeros(2)\n        return self.text(x).to(device)\n    def all(self, x, device=None):\n        device = device or self._execution_device\n        return torch.cat([self.text(x).to(device), self.one(x, device=device)])",
    "class A(nn.Module):\n    def forward(self, x):\n        return x\n    def sample(self, x):\n        return self.forward(x) * 2 + self.lin.weight * torch.ones(2)\n    def __init__(self):\n        super().__init__()\n        self.lin = nn.Linear(2, 2)",
    "class C:\n    def start(self, x):\n        self.kept = torch.zeros(4)\n    def update(self, x):\n        self.start(x)\n        y = torch.empty(3, device=x.device)\n        return torch.cat([self.kept[-2:], x]), y",
    f"{CLASS}    def reset(self, n):\n        self.h = torch.zeros(n)\n    def forward(self, x):\n        self.reset(3)\n        return self.h + x",
    "def scaled(grad, grads):\n    if torch.equal(grad, torch.tensor(1.0)):\n        return grads\n    return grads * grad\nclass S(torch.autograd.Function):\n    @staticmethod\n    def backward(ctx, grad):\n        (grads,) = ctx.saved_tensors\n        return scaled(grad, grads)",
]
"""Programs with one tensor that certainly lacks its device."""

LIKELY = [
    "class S(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        out = torch.zeros(2)\n        return out\n    @staticmethod\n    def backward(ctx, grad):\n        return torch.zeros(2) + grad",
    "def f(x, device):\n    return x.image * torch.ones(2), x.image.unsqueeze(0).to(device)",
    f"{CLASS}    def shape(self):\n        return self.lin(torch.ones(2))",
    f"{CLASS}    def forward(self, x):\n        return self.pad(torch.ones(2), 1)\n    def pad(self, x, n):\n        return torch.cat([x, torch.zeros(n)])",
    f"{CLASS}    def test_it(self, x: torch.Tensor):\n        return x.exp() + torch.ones(2)",
    f"{CLASS}    def forward(self, x):\n        def inner(y):\n            return x + torch.ones(2)\n        return inner(x)",
    "def f(x):\n    if x.device != torch.device('cpu'):\n        x = x.cpu()\n    x = h(x)\n    return x.float() + torch.ones(2)",
    "class D(nn.Module):\n    def __getitem__(self, x: torch.Tensor):\n        return x.exp() + torch.ones(2)",
    "def f(x: torch.Tensor, device):\n    y = x.exp() + torch.ones(2)\n    return y.to(device)",
    "def f(x, device):\n    mask = torch.ones(2) if device == 'cpu' else torch.cuda.FloatTensor(2)\n    return x.to(device) * mask",
    f"{CLASS}    def forward(self, x):\n        return F.pad(x, (torch.tensor([1]), torch.tensor([2])))",
    f"{CLASS}    def forward(self, x):\n        x[x > 0] = torch.tensor([1])\n        return x",
    f"{CLASS}    def forward(self, x):\n        return torch.ops.quantized.mul(x, torch.ones(2))",
    "def f(x, device):\n    y = x.to(device)\n    return y[torch.zeros(2, device=device), torch.ones(2)]",
    "def f(x, device):\n    torch.onnx.export(model, x)\n    return x.to(device) * torch.ones(2)",
    "def f(x, device):\n    y = x.to(device)\n    return y * torch.ones(2) if is_jit_tracing() else y",
    "def f(x, rng):\n    return torch.zeros(2, device=rng.device) * torch.rand(2, generator=rng)",
    "def f(x, device):\n    return torch.zeros(2, device=device), torch.tensor([len(x)])",
    "def f(x, y):\n    return g(x, y.type())\ndef g(x: torch.Tensor, dtype):\n    return x * torch.ones(2, device=x.device) * torch.ones(2).type(dtype)",
    "from other import Blur\nclass B(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.blur = Blur()\n    def forward(self, x):\n        return x * self.blur(torch.ones(2))",
    "class C(nn.Module):\n    def forward(self, x):\n        return torch.ones(2)\nclass D(nn.Module):\n    def forward(self, x):\n        return x\nclass E(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n        self.part = C() if n else D()\n    def forward(self, x):\n        return x * self.part(x)",
    "def f(x, device):\n    y = torch.sparse_coo_tensor(x, torch.ones(2), device=device)\n    return x.to(device) * y",
    "def f(x):\n    if isinstance(x, (int, float)):\n        y = torch.zeros(2) + x\n    return torch.zeros(2, device=x.device)",
    "def on_cpu(x: torch.Tensor):\n    return torch.zeros(2, device=x.device) * torch.ones(2)",
    "def f(x, device):\n    return torch.index_put(x.to(device), (torch.arange(2),), x.to(device))",
    "class A(nn.Module):\n    def forward(self, x, mean):\n        return x - torch.tensor(mean).view(-1, 1)",
    "def g(x: torch.Tensor, y=None):\n    if y is None:\n        y = torch.ones(2)\n    return x * y\ndef f(x, device):\n    return g(x.to(device), x.to(device))",
    "def g(x: torch.Tensor, y=None):\n    if y is None:\n        y = torch.ones(2)\n    return x * y\ndef f(x, device, a):\n    return g(x.to(device), a.filter)",
    "def f(x, device):\n    y = torch.ones(2).to('cuda') if x.shape else torch.ones(2)\n    return x.to(device) * y",
    "def f(batch, device):\n    return batch['x'] * torch.ones(2), batch['x'].to(device)",
    "def f(x: torch.Tensor):\n    model = Net().to(device=x.device)\n    return model(x), x.exp() + torch.ones(2)",
    "def f(x: torch.Tensor, y):\n    y = y.to(x.device)\n    return y, x.exp() + torch.ones(2)",
    "def f(n, device):\n    g = torch.Generator('cpu')\n    return torch.rand(n, 2, generator=g), device",
    "def f(n, device):\n    device = 'cpu' if n else device\n    return torch.rand(n, 2, generator=torch.Generator(device))",
    "def f(n, g: torch.Generator, device):\n    return torch.rand(n, 2, generator=g), device",
    "def f(n, device):\n    g = torch.Generator(device)\n    return torch.rand(n, 2, generator=g, device=device)",
    "def f(x, make):\n    with make(device='meta'):\n        y = torch.ones(2)\n    return x.to(x.device) * y",
    "def f(batch):\n    g = torch.Generator(device=batch['x'].device)\n    return batch['x'].view(-1) * torch.ones(2), g",
    f"{CLASS}    def forward(self, x):\n        return torch.cat([torch.empty(0), x])",
    f"{CLASS}    def forward(self, x):\n        return x * torch.tensor([0])",
    "def f(batch, n, device):\n    batch.sizes = torch.ones(n, device=device)\n    batch.sizes_cpu = torch.ones(n)",
    "def f(batch, n, device):\n    return Batch(sizes=torch.ones(n, device=device), cpu_sizes=torch.ones(n))",
    "def f(g, n, device):\n    a = torch.ones(n, device=device)\n    a_cpu = torch.ones(n)\n    return g(a, a_cpu)",
    f"{CLASS}    def forward(self, x):\n        return torch.multinomial(torch.ones(2), x.max())",
    f"{CLASS}    def forward(self, x):\n        y = self.pad(torch.ones(2))\n        return x + y.to(x.device)\n    def pad(self, x: torch.Tensor):\n        return torch.cat([x, torch.zeros(1)])",
    "def test_it(device):\n    return torch.ones(2, device=device), torch.ones(2)",
    "def test_it(x, device):\n    y = x.to('cuda')\n    return y + torch.ones(2)",
    "def f(x, device):\n    given = {'a': torch.ones(2), 'b': torch.ones(3)}\n    for key in ('a', 'b'):\n        if key in x:\n            given[key] = given[key].to(device)\n    return x['c'].to(device) * given['a']",
    "def default(x, d):\n    return x if x is not None else d\nclass A(nn.Module):\n    def forward(self, x, t=None):\n        t = default(t, 3)\n        return x * t, torch.ones(2)",
    "def f(n, device):\n    if n == 1:\n        return torch.ones(n, device=device)\n    return torch.zeros((n,)).sum()",
    "def f(n, device):\n    if device == torch.device('cpu'):\n        return torch.tensor(n)\n    return torch.ones(n).to(device)",
    "import triton\n@triton.jit\ndef k(a, b):\n    pass\ndef f(x, device, y=None):\n    given = y if y is not None else torch.empty(1)\n    given = given.to(device)\n    k[(1,)](x, given, x.stride(0))",
    "def pad(x: torch.Tensor, no_cuda):\n    if not no_cuda:\n        return torch.cat([x, torch.zeros(2).cuda()])\n    else:\n        return torch.cat([x, torch.zeros(2)])\nclass A(nn.Module):\n    def forward(self, x):\n        return pad(x, self.no_cuda)",
    "def g(x, rows):\n    n = rows[0] // 2\n    h = torch.arange(4).flatten()\n    t = read(x).view(-1, 1).expand(-1, n * n).flatten()\n    return torch.stack([t, h])\nclass A(nn.Module):\n    def forward(self, x, rows: torch.Tensor):\n        return g(x, rows)",
    "def f(x: torch.Tensor, n, device):\n    y = torch.zeros((), device=device)\n    total = torch.tensor(0.0)\n    total = total + x.mean()\n    total += x.sum()\n    return total + y",
    f"{CLASS}    def reset(self, n):\n        self.h = torch.zeros(n)\n    def forward(self, x):\n        self.reset(3)\n        self.h = self.h.to(x.device)\n        return self.h + x",
    f"{CLASS}        self.reset(3)\n        self.h = self.h * self.lin.weight\n    def reset(self, n):\n        self.h = torch.zeros(n)\n    def forward(self, x):\n        return x",
    "def f(x, device):\n    y = torch.cat([x.view(-1).to(torch.uint8), torch.ones(2)])\n    return [one.numpy() for one in y[0]], torch.zeros(2, device=x.device)",
    "def g(x: torch.Tensor, y=None):\n    if y is None:\n        y = torch.ones(2)\n    return x * y\ndef f(x, device, a):\n    return g(x.to(device), y=a[-2:])",
    "def g(x: torch.Tensor, y=None):\n    if y is None:\n        y = torch.ones(2)\n    return x * y\ndef h(x: torch.Tensor, y=None):\n    return g(x, y)\ndef f(x, device, a):\n    return h(x.to(device), y=a.filter)",
    f"def pad(x: torch.Tensor, n=None):\n    if n is not None:\n        x = torch.zeros(n)\n    return x\n{CLASS}    def forward(self, x):\n        return self.lin(pad(x))",
    f"{CLASS}    def forward(self, x):\n        parts = torch.Tensor([])\n        for one in x:\n            if parts.shape[-1] == 0:\n                parts = self.lin(one)\n            else:\n                parts = torch.cat([parts, self.lin(one)])\n        return parts",
    f"{CLASS}    def forward(self, x, sizes):\n        y = self.mask(x, sizes)\n        return self.lin(y)\n    def mask(self, x: torch.Tensor, sizes: torch.Tensor):\n        return x * (torch.ones(2) < sizes).to(x.device)",
    "def f(n, device):\n    a = torch.ones(n)\n    size = 0\n    for one in [a, torch.ones(n, device=device)]:\n        size += one.numel()\n    return size, a.to(device)",
    f"{CLASS}    def forward(self, x, kind):\n        return self.lin(x) + torch.ones(2).type(kind)",
    f"{CLASS}    def forward(self, x):\n        return self.lin(x)\n    def start(self, rows: torch.Tensor):\n        self.lin.weight.data[:2] = rows.matmul(torch.ones(2, 2))",
    f"{CLASS}    def forward(self, x, mask):\n        if self.onnx_trace:\n            return torch.where(mask, torch.Tensor([2, 3]), self.lin(x))\n        return x",
    "from net import Net\nclass D:\n    def __init__(self, device):\n        self.device = device\n        self.net = Net().to(device)\n    def find(self, x):\n        found = self.net(x.to(self.device)).data\n        return found.size(1), found[0, 1:] * torch.ones(2)",
    f"{CLASS}    def forward(self, x):\n        return self.lin(x)\n    @property\n    def size(self):\n        return self.forward(torch.ones(1, 2)).shape[1]",
]
"""Programs in which nothing is certain."""


@pytest.mark.parametrize("text", CERTAIN)
def test_certain(text: str) -> None:
    assert len(certain_devices(HEAD + text + "\n")) == 1
    assert likely_devices(HEAD + text + "\n") == ()


@pytest.mark.parametrize("text", LIKELY)
def test_not_certain(text: str) -> None:
    assert certain_devices(HEAD + text + "\n") == ()


def test_kernels_of_other_files(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text("import triton\n\n@triton.jit\ndef k(a, b):\n    pass\n")
    launched = "def f(x: torch.Tensor):\n    y = torch.empty(4)\n    k[(1,)](x, y)\n    return y\n"
    project = Project(str(tmp_path / "use.py"))
    assert len(certain_devices(f"{HEAD}from kernels import k\n{launched}", project)) == 1
    assert certain_devices(f"{HEAD}from others import k\n{launched}", project) == ()
