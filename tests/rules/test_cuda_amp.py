from __future__ import annotations

import contextlib
import io
import warnings
from pathlib import Path
from textwrap import dedent

import pytest

from devlint.core.target import Target
from devlint.sources.source import Source
from tests.support import engine
from tests.support.projects import fix_files, write_files
from tests.support.rule_cases import CUDA, check, fixed, found, places, rule

CODE = "DEV502"
SCALERS = Target(torch_min_version=(2, 3))
DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
HEAD = f"import torch\n\n{DEVICE}"
ON = 'device_type=device.type, enabled=device.type != "cpu"'
NOT_CPU = 'device.type != "cpu"'

CLEAN = [
    "from torch.cuda.amp import autocast\nHAS_AMP = autocast is not None",
    "with torch.autocast(device.type, enabled=amp):\n    pass\n",
    f"with torch.autocast({ON}):\n    pass\n",
    "with torch.autocast('cpu', dtype=torch.bfloat16):\n    pass\n",
    "with torch.cpu.amp.autocast():\n    pass\n",
    f"scaler = torch.amp.GradScaler(device.type, enabled={NOT_CPU})\n",
    "scaler = torch.amp.GradScaler('cpu')\n",
    "scaler = torch.amp.GradScaler(**options)\n",
    "scaler = torch.cuda.amp.GradScaler()\n",  # torch 2.0 has no other
    "if torch.cuda.is_available():\n    with torch.cuda.amp.autocast():\n        pass\n",
    "context = torch.cuda.amp.autocast() if use_cuda else nullcontext()\n",
    "def _step():\n    with torch.cuda.amp.autocast():\n        pass\nif torch.cuda.is_available():\n    _step()\n",
    "class Tests:\n    @skipUnless(torch.cuda.is_available(), '')\n    def test(self):\n        spawn(self._work)\n"
    "    def _work(self):\n        with torch.cuda.amp.autocast():\n            pass\n",
    "context = torch.autocast('cuda') if x.is_cuda else torch.autocast('cpu')\n",
    "context = torch.cuda.amp.autocast(enabled=torch.cuda.is_available())\n",
    "context = torch.cuda.amp.autocast(use_cuda)\n",
    "half = amp and p.device.type != 'cpu'\ncontext = torch.cuda.amp.autocast(enabled=half)\n",
    "def f(context: torch.cuda.amp.autocast):\n    return isinstance(context, torch.cuda.amp.autocast)\n",
    "@torch.cuda.amp.custom_fwd\ndef forward(ctx, x):\n    return x\n",
    "import triton\n@torch.autocast('cuda', **options)\ndef f(x):\n    return x\n",
    "with autocast():\n    pass\n",
    "from apex.amp import autocast\nwith autocast():\n    pass\n",
    "enabled = torch.is_autocast_enabled()\ndtype = torch.get_autocast_gpu_dtype()\n",
    "if new:\n    c = torch.amp.autocast(device, enabled=a)\nelse:\n    c = torch.cuda.amp.autocast(enabled=a)\n",
    "c = torch.amp.autocast(device) if NEW else torch.cuda.amp.autocast()\n",
    "try:\n    from torch.amp import autocast\nexcept ImportError:\n    from torch.cuda.amp import autocast\nautocast()\n",
    "try:\n    from torch.cuda.amp import autocast\nexcept ImportError:\n"
    "    def autocast(enabled): pass\nwith autocast():\n    pass\n",
]


@pytest.mark.parametrize("text", CLEAN)
def test_clean(text: str) -> None:
    assert not found(CODE, HEAD + text)


CALLS = [
    ("torch.cuda.amp.autocast_mode.autocast()", f"torch.autocast({ON})"),
    ("torch.cuda.amp.autocast()", f"torch.autocast({ON})"),
    ("torch.cuda.amp.autocast(True)", f"torch.autocast({ON})"),
    ("torch.cuda.amp.autocast(False)", "torch.autocast(device_type=device.type, enabled=False)"),
    ("torch.cuda.amp.autocast(enabled=True)", f"torch.autocast({ON})"),
    ("torch.cuda.amp.autocast(enabled=False)", "torch.autocast(device_type=device.type, enabled=False)"),
    ("torch.cuda.amp.autocast(amp)", f"torch.autocast(device_type=device.type, enabled=amp and {NOT_CPU})"),
    (
        "torch.cuda.amp.autocast(scaler is not None)",
        f"torch.autocast(device_type=device.type, enabled=scaler is not None and {NOT_CPU})",
    ),
    ("torch.cuda.amp.autocast(not a)", f"torch.autocast(device_type=device.type, enabled=not a and {NOT_CPU})"),
    ("torch.cuda.amp.autocast(a or b)", f"torch.autocast(device_type=device.type, enabled=(a or b) and {NOT_CPU})"),
    ("torch.cuda.amp.autocast((a or b))", f"torch.autocast(device_type=device.type, enabled=(a or b) and {NOT_CPU})"),
    (
        "torch.cuda.amp.autocast(enabled=a if b else c)",
        f"torch.autocast(device_type=device.type, enabled=(a if b else c) and {NOT_CPU})",
    ),
    (
        "torch.cuda.amp.autocast(amp, torch.float16, False)",
        f"torch.autocast(device_type=device.type, enabled=amp and {NOT_CPU}, dtype=torch.float16, cache_enabled=False)",
    ),
    (
        "torch.cuda.amp.autocast(dtype=torch.bfloat16, enabled=amp)",
        f"torch.autocast(device_type=device.type, dtype=torch.bfloat16, enabled=amp and {NOT_CPU})",
    ),
    (
        "torch.cuda.amp.autocast(enabled=amp, **options)",
        f"torch.autocast(device_type=device.type, enabled=amp and {NOT_CPU}, **options)",
    ),
    ('torch.autocast("cuda")', f"torch.autocast(device.type, enabled={NOT_CPU})"),
    ("torch.amp.autocast('cuda')", f"torch.amp.autocast(device.type, enabled={NOT_CPU})"),
    (
        'torch.autocast(device_type="cuda", dtype=torch.bfloat16)',
        f"torch.autocast(device_type=device.type, dtype=torch.bfloat16, enabled={NOT_CPU})",
    ),
    (
        'torch.autocast(enabled=a or b, device_type="cuda")',
        f"torch.autocast(enabled=(a or b) and {NOT_CPU}, device_type=device.type)",
    ),
    (
        'torch.autocast("cuda", torch.float16, amp)',
        f"torch.autocast(device.type, torch.float16, amp and {NOT_CPU})",
    ),
    ('torch.autocast("cuda", enabled=False)', "torch.autocast(device.type, enabled=False)"),
    ('torch.amp.GradScaler("cuda")', f"torch.amp.GradScaler(device.type, enabled={NOT_CPU})"),
    ("torch.GradScaler()", f"torch.GradScaler(device.type, enabled={NOT_CPU})"),
    ('torch.amp.GradScaler(device="cuda")', f"torch.amp.GradScaler(device=device.type, enabled={NOT_CPU})"),
    ("torch.amp.GradScaler(enabled=amp)", f"torch.amp.GradScaler(device.type, enabled=amp and {NOT_CPU})"),
    (
        'torch.amp.GradScaler("cuda", 2.0**8, enabled=a if b else c)',
        f"torch.amp.GradScaler(device.type, 2.0**8, enabled=(a if b else c) and {NOT_CPU})",
    ),
]


@pytest.mark.parametrize(("before", "after"), CALLS)
def test_calls(before: str, after: str) -> None:
    check(CODE, f"{HEAD}context = {before}\n", f"{HEAD}context = {after}\n", "safe")


SCALER_CALLS = [
    ("torch.cuda.amp.GradScaler()", f"torch.amp.GradScaler(device.type, enabled={NOT_CPU})"),
    ("torch.cuda.amp.GradScaler(2.0**8)", f"torch.amp.GradScaler(device.type, 2.0**8, enabled={NOT_CPU})"),
    ("torch.cuda.amp.GradScaler(enabled=amp)", f"torch.amp.GradScaler(device.type, enabled=amp and {NOT_CPU})"),
    (
        "torch.cuda.amp.GradScaler(8.0, 2.0, 0.5, 10, a or b)",
        f"torch.amp.GradScaler(device.type, 8.0, 2.0, 0.5, 10, (a or b) and {NOT_CPU})",
    ),
    (
        "torch.cuda.amp.GradScaler(enabled=a, **k)",
        f"torch.amp.GradScaler(device.type, enabled=a and {NOT_CPU}, **k)",
    ),
]


@pytest.mark.parametrize(("before", "after"), SCALER_CALLS)
def test_scalers(before: str, after: str) -> None:
    check(CODE, f"{HEAD}scaler = {before}\n", f"{HEAD}scaler = {after}\n", "safe", target=SCALERS)


UNFIXED = [
    "context = torch.cuda.amp.autocast(**options)\n",
    "context = torch.cuda.amp.autocast(*options)\n",
    "context = torch.autocast('cuda', **options)\n",
    "import torch.amp as c\ncontext = c.autocast('cuda', **options)\n",
    "autocast = torch.cuda.amp.autocast\n",
    "context = functools.partial(torch.cuda.amp.autocast, enabled=False)\n",
    "def f(x, device=None):\n    x.to(device)\n    with torch.cuda.amp.autocast():\n        pass\n",
    "@torch.jit.script\ndef f(x):\n    with torch.cuda.amp.autocast(enabled=False):\n        return x\n",
    "def f(x):\n    with torch.cuda.amp.autocast(False):\n        return g(x)\n\n\ng = torch.jit.script(f)\n",
    "from torch.cuda.amp import autocast\ncontext = autocast(**options)\n",
]


@pytest.mark.parametrize("text", UNFIXED)
def test_found_and_left(text: str) -> None:
    assert [kind for _, kind in places(CODE, HEAD + text)] == ["none"]


def test_a_decorator_of_a_library_is_left() -> None:
    text = "import torch\n\n\nclass Net:\n    @torch.cuda.amp.autocast()\n    def f(self, x):\n        return x\n"
    assert [kind for _, kind in places(CODE, text)] == ["none"]
    main = 'if __name__ == "__main__":\n    Net().train()\n'
    assert [kind for _, kind in places(CODE, f"{text}\n\n{main}")] == ["none"]
    assert [kind for _, kind in places(CODE, f"{text}\n\nNet().train()\n")] == ["safe"]
    known = text.replace("torch\n", f"torch\n\n{DEVICE}", 1)
    assert [kind for _, kind in places(CODE, f"{known}\n\n{main}")] == ["safe"]


IMPORTS = [
    ("from torch.cuda.amp import autocast\n", "from torch.amp import autocast\n", "autocast"),
    ("from torch.cuda.amp import autocast as cast\n", "from torch.amp import autocast as cast\n", "cast"),
    ("from torch.cuda import amp\n", "from torch import amp\n", "amp.autocast"),
    ("import torch.cuda.amp as amp\n", "import torch.amp as amp\n", "amp.autocast"),
    ("from torch.cuda import Stream, amp\n", "from torch import amp\nfrom torch.cuda import Stream\n", "amp.autocast"),
    (
        "from torch.cuda.amp import autocast, GradScaler\n",
        "from torch.amp import autocast\nfrom torch.cuda.amp import GradScaler\n",
        "autocast",
    ),
    (
        "from torch.cuda.amp import (\n    GradScaler,\n    autocast,\n)\n",
        "from torch.amp import autocast\nfrom torch.cuda.amp import (\n    GradScaler,\n)\n",
        "autocast",
    ),
    (
        "try:\n    from torch.cuda.amp import autocast\nexcept ImportError:\n    autocast = None\n",
        "try:\n    from torch.amp import autocast\nexcept ImportError:\n    autocast = None\n",
        "autocast",
    ),
    (
        "try:\n    from torch.cuda.amp import autocast, custom_fwd\n    AMP = True\nexcept ImportError:\n    AMP = False\n",
        "try:\n    from torch.amp import autocast\n    from torch.cuda.amp import custom_fwd\n    AMP = True\n"
        "except ImportError:\n    AMP = False\n",
        "autocast",
    ),
    ("import torch as th\n", "import torch as th\n", "th.cuda.amp.autocast"),
    ("import torch.cuda as tc\n", "import torch.cuda as tc\n", "tc.amp.autocast"),
]


@pytest.mark.parametrize(("before", "after", "name"), IMPORTS)
def test_imports(before: str, after: str, name: str) -> None:
    uses = "\nwith {0}({1}):\n    with {0}({2}):\n        pass\n"
    new = {"th.cuda.amp.autocast": "th.autocast", "tc.amp.autocast": "torch.autocast"}.get(name, name)
    head = f"import torch\n{{}}\n{DEVICE}"
    if name.startswith("th."):
        head = head.replace("import torch\n", "").replace("torch.", "th.")
    changed = uses.format(new, ON, f"device_type=device.type, enabled=mixed and {NOT_CPU}")
    check(CODE, head.format(before) + uses.format(name, "", "mixed"), head.format(after) + changed, "safe", "safe")


def test_the_whole_import_where_torch_has_both() -> None:
    before = "from torch.cuda.amp import GradScaler, autocast  # both\n"
    uses = "def step(scaler: GradScaler):\n    assert isinstance(scaler, GradScaler)\n\n\n"
    check(
        CODE,
        f"import torch\n{before}\n{DEVICE}{uses}scaler = GradScaler()\nwith autocast():\n    pass\n",
        f"import torch\n{before.replace('.cuda', '')}\n{DEVICE}{uses}"
        f"scaler = GradScaler(device.type, enabled={NOT_CPU})\nwith autocast({ON}):\n    pass\n",
        "safe",
        "safe",
        target=SCALERS,
    )


TOGETHER = [
    # a guarded use changes with the others
    (
        "from torch.cuda.amp import autocast\n",
        "if torch.cuda.is_available():\n    c = autocast()\nd = autocast()\n",
        f"if torch.cuda.is_available():\n    c = autocast({ON})\nd = autocast({ON})\n",
        True,
    ),
    # one that cannot change keeps the import, and the others are called by their full name
    (
        "from torch.cuda.amp import autocast\n",
        "c = autocast(**options)\nd = autocast()\n",
        f"c = autocast(**options)\nd = torch.autocast({ON})\n",
        False,
    ),
    (
        "from torch.cuda.amp import autocast\n",
        "run(autocast)\nd = autocast()\n",
        f"run(autocast)\nd = torch.autocast({ON})\n",
        False,
    ),
    (
        "from torch.cuda import amp\n",
        "scaler = amp.GradScaler()\nd = amp.autocast()\n",
        f"scaler = amp.GradScaler()\nd = torch.autocast({ON})\n",
        False,
    ),
    (
        "from torch.cuda.amp import autocast\n",
        '__all__ = ["autocast"]\nd = autocast()\n',
        f'__all__ = ["autocast"]\nd = torch.autocast({ON})\n',
        False,
    ),
]


@pytest.mark.parametrize(("line", "before", "after", "moves"), TOGETHER)
def test_an_import_moves_with_all_its_uses(line: str, before: str, after: str, moves: bool) -> None:
    head = f"import torch\n{{}}\n{DEVICE}"
    check(CODE, head.format(line) + before, head.format(line.replace(".cuda", "") if moves else line) + after)


def test_a_package_keeps_what_it_hands_on() -> None:
    text = (
        f"import torch\nfrom torch.cuda.amp import autocast\n\n\ndef f(device: torch.device):\n{'    '}c = autocast()\n"
    )
    result = engine.fix(Source.from_text("pkg/__init__.py", text), [rule(CODE)], Target())
    assert result.text == text.replace("c = autocast()", f"c = torch.autocast({ON})")


def test_a_suppressed_use_keeps_its_import() -> None:
    text = (
        f"import torch\nfrom torch.cuda.amp import autocast\n\n{DEVICE}a = autocast()\nb = autocast()  # noqa: DEV502\n"
    )
    assert fixed(CODE, text) == text


def test_a_comment_in_the_import_is_not_lost() -> None:
    text = f"import torch\nfrom torch.cuda.amp import (\n    autocast,  # mine\n    custom_fwd,\n)\n\n{DEVICE}a = autocast()\n"
    assert fixed(CODE, text) == text


def test_isinstance_changes_with_the_scaler() -> None:
    text = "old = isinstance(s, torch.cuda.amp.GradScaler)\ns = torch.cuda.amp.GradScaler()\n"
    after = f"old = isinstance(s, torch.amp.GradScaler)\ns = torch.amp.GradScaler(device.type, enabled={NOT_CPU})\n"
    check(CODE, HEAD + text, HEAD + after, "safe", target=SCALERS)


def test_a_dtype_of_its_own_where_the_file_has_several() -> None:
    text = "with torch.autocast(device_type='cuda', dtype=torch.bfloat16):\n    with torch.cuda.amp.autocast():\n        pass\n"
    assert f"torch.autocast({ON}, dtype=torch.float16)" in fixed(CODE, HEAD + text)
    assert "float16" not in fixed(CODE, HEAD + text.replace("bfloat16", "half"))


UNSAFE = [
    "with torch.autocast(device.type, enabled=amp):\n    with torch.cuda.amp.autocast(enabled=False):\n        pass\n",
    "def f(x):\n    with torch.cuda.amp.autocast(False):\n        return g(x) if torch.jit.is_scripting() else x\n",
    "class A:\n    def f(self, x):\n        with torch.cuda.amp.autocast(False):\n            return x\n"
    "    @torch.jit.unused\n    def g(self, x):\n        return x\n",
    "device = torch.device('mps' if mps else 'cuda')\nwith torch.cuda.amp.autocast():\n    pass\n",
    "def f(x, device='cpu'):\n    x.to(device)\n    with torch.cuda.amp.autocast():\n        pass\n",
]


@pytest.mark.parametrize("text", UNSAFE)
def test_unsafe(text: str) -> None:
    assert [kind for _, kind in places(CODE, HEAD + text)] == ["unsafe"]


NO_DEVICE = [
    (  # a script gets one
        "import torch\n\nwith torch.cuda.amp.autocast():\n    loss.backward()\n",
        f"import torch\n\n{DEVICE}\nwith torch.autocast({ON}):\n    loss.backward()\n",
    ),
    (  # a library computes with a tensor
        "import torch\n\n\ndef f(x: torch.Tensor):\n    with torch.cuda.amp.autocast(enabled=False):\n        return x.float()\n",
        "import torch\n\n\ndef f(x: torch.Tensor):\n"
        "    with torch.autocast(device_type=x.device.type, enabled=False):\n        return x.float()\n",
    ),
    (  # which its module has given another value, also a tensor
        "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def forward(self, x):\n        x = self.a(x)\n"
        "        with torch.cuda.amp.autocast():\n            x = torch.cat([x] + [p(x) for p in self.b])\n        return x\n",
        "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def forward(self, x):\n        x = self.a(x)\n"
        '        with torch.autocast(device_type=x.device.type, enabled=x.device.type != "cpu"):\n'
        "            x = torch.cat([x] + [p(x) for p in self.b])\n        return x\n",
    ),
    (  # or by which something is derived
        "import torch\n\n\ndef f(self, x):\n    with torch.cuda.amp.autocast(enabled=False):\n        x.requires_grad_(True)\n"
        "        return torch.autograd.grad(self(x), x)\n",
        "import torch\n\n\ndef f(self, x):\n    with torch.autocast(device_type=x.device.type, enabled=False):\n"
        "        x.requires_grad_(True)\n        return torch.autograd.grad(self(x), x)\n",
    ),
    (  # or of which it takes parts that only tensors have
        "import torch\n\n\ndef f(q, k, n):\n    with torch.autocast('cuda', enabled=False):\n"
        "        s = k(q[:, :n].float())\n    del q, k\n    return s\n",
        "import torch\n\n\ndef f(q, k, n):\n    with torch.autocast(q.device.type, enabled=False):\n"
        "        s = k(q[:, :n].float())\n    del q, k\n    return s\n",
    ),
    (  # not what may be a dictionary
        "import torch\n\n\ndef f(q, k, n):\n    with torch.autocast('cuda', enabled=False):\n"
        "        return k(q[0, n].float())\n",
        f"import torch\n\n\ndef f(q, k, n):\n    {DEVICE}    with torch.autocast(device.type, enabled=False):\n"
        "        return k(q[0, n].float())\n",
    ),
    (  # but a tensor that is moved tells nothing, nor one given to a model
        "import torch\n\n\ndef f(model, x: torch.Tensor):\n    with torch.cuda.amp.autocast():\n        return model(x)\n",
        f"import torch\n\n\ndef f(model, x: torch.Tensor):\n    {DEVICE}    with torch.autocast({ON}):\n        return model(x)\n",
    ),
    (
        "import torch\n\n\ndef f(x: torch.Tensor):\n    with torch.cuda.amp.autocast(False):\n        return net(x.to(place))\n",
        f"import torch\n\n\ndef f(x: torch.Tensor):\n    {DEVICE}"
        "    with torch.autocast(device_type=device.type, enabled=False):\n        return net(x.to(place))\n",
    ),
    (  # nor what may be None, or is made on the CPU
        "import torch\n\n\nclass Net(torch.nn.Module):\n    def f(self, text=None):\n        n = self.n(text)\n"
        "        if n is None:\n            n = torch.tensor([len(text)])\n        with torch.cuda.amp.autocast(False):\n"
        "            if n is not None:\n                return n.type_as(text)\n",
        "import torch\n\n\nclass Net(torch.nn.Module):\n    def f(self, text=None):\n        n = self.n(text)\n"
        "        if n is None:\n            n = torch.tensor([len(text)])\n"
        f"        {DEVICE}        with torch.autocast(device_type=device.type, enabled=False):\n"
        "            if n is not None:\n                return n.type_as(text)\n",
    ),
    (  # nor a parameter that the function asks for None, or whose default that is
        "import torch\nfrom torch import Tensor\n\n\ndef f(x: Tensor, y: Tensor, z: Tensor = None):\n"
        "    with torch.cuda.amp.autocast(False):\n        if z is None and x is None:\n            return g(y)\n"
        "        return g(x.float())\n",
        "import torch\nfrom torch import Tensor\n\n\ndef f(x: Tensor, y: Tensor, z: Tensor = None):\n"
        "    with torch.autocast(device_type=y.device.type, enabled=False):\n        if z is None and x is None:\n"
        "            return g(y)\n        return g(x.float())\n",
    ),
    (  # nor what becomes a tensor in there only, or is one by a test
        "import torch\n\n\ndef f(xs, y, z):\n    z = g(z)\n    with torch.cuda.amp.autocast(False):\n"
        "        xs = torch.stack(xs)\n        y = y.float().detach()\n        if xs.dim() > 1:\n"
        "            xs = xs + z.detach()\n        return xs.detach() + y\n",
        f"import torch\n\n\ndef f(xs, y, z):\n    z = g(z)\n    {DEVICE}"
        "    with torch.autocast(device_type=device.type, enabled=False):\n"
        "        xs = torch.stack(xs)\n        y = y.float().detach()\n        if xs.dim() > 1:\n"
        "            xs = xs + z.detach()\n        return xs.detach() + y\n",
    ),
    (  # unless it stops first
        "import torch\nfrom torch import Tensor\n\n\ndef f(x: Tensor):\n    if x is None:\n        raise ValueError\n"
        "    assert x is not None\n    with torch.cuda.amp.autocast(False):\n        return g(x)\n",
        "import torch\nfrom torch import Tensor\n\n\ndef f(x: Tensor):\n    if x is None:\n        raise ValueError\n"
        "    assert x is not None\n    with torch.autocast(device_type=x.device.type, enabled=False):\n        return g(x)\n",
    ),
    (  # two regions share a line
        "import torch\n\n\ndef f(a):\n    with torch.cuda.amp.autocast():\n        b = g(a)\n"
        "    with torch.cuda.amp.autocast():\n        return g(b)\n",
        f"import torch\n\n\ndef f(a):\n    {DEVICE}    with torch.autocast({ON}):\n        b = g(a)\n"
        f"    with torch.autocast({ON}):\n        return g(b)\n",
    ),
]


@pytest.mark.parametrize(("before", "after"), NO_DEVICE)
def test_where_there_is_no_device(before: str, after: str) -> None:
    assert fixed(CODE, before, unsafe=False) == after


LAYOUTS = [
    (
        "with torch.cuda.amp.autocast(\n    enabled=a,  # mixed\n    dtype=torch.half,\n):\n    pass\n",
        f"with torch.autocast(\n    device_type=device.type,\n    enabled=a and {NOT_CPU},  # mixed\n"
        "    dtype=torch.half,\n):\n    pass\n",
    ),
    (
        "c = torch.autocast(\n    'cuda',\n    torch.half,\n)\n",
        f"c = torch.autocast(\n    device.type,\n    torch.half,\n    enabled={NOT_CPU},\n)\n",
    ),
    (
        "c = torch.cuda.amp.autocast(dtype=torch.half,\n                            cache_enabled=False)\n",
        "c = torch.autocast(device_type=device.type, dtype=torch.half,\n"
        f"                            cache_enabled=False,\n                            enabled={NOT_CPU})\n",
    ),
]


@pytest.mark.parametrize(("before", "after"), LAYOUTS)
def test_layouts(before: str, after: str) -> None:
    check(CODE, HEAD + before, HEAD + after, "safe")


def test_strings() -> None:
    head = 'import torch\n\ndevice = "cuda" if torch.cuda.is_available() else "cpu"\n'
    after = 'c = torch.autocast(device_type=device, enabled=device != "cpu")\n'
    check(CODE, f"{head}c = torch.cuda.amp.autocast()\n", head + after)


def test_targets() -> None:
    text = (
        "import torch\n\nwith torch.cuda.amp.autocast():\n    loss.backward()\nscaler = torch.cuda.amp.GradScaler()\n"
    )
    result = fixed(CODE, text, target=Target("accelerator", torch_min_version=(2, 6)))
    assert 'current_accelerator() if torch.accelerator.is_available() else torch.device("cpu")' in result
    assert f"torch.autocast({ON})" in result and f"torch.amp.GradScaler(device.type, enabled={NOT_CPU})" in result
    result = fixed(CODE, text, target=Target("project", "torch_device", "from testing_utils import torch_device"))
    kind = "torch.device(torch_device).type"
    assert f'torch.autocast(device_type={kind}, enabled=not str(torch_device).startswith("cpu"))' in result
    assert "cuda.amp.GradScaler" in result


def test_torch_without_torch_amp_is_left_alone() -> None:
    assert not found(CODE, f"{HEAD}c = torch.cuda.amp.autocast()\n", Target(torch_min_version=(1, 10)))


PROGRAMS = [
    "with torch.cuda.amp.autocast():\n    show(net(x))\n",
    "with torch.cuda.amp.autocast(dtype=torch.bfloat16):\n    show(net(x) @ net(x).t())\n",
    'with torch.autocast("cuda", dtype=torch.bfloat16):\n    show(net(x))\n',
    'with torch.amp.autocast(device_type="cuda"):\n    show(net(x))\n    show(x @ x.t())\n',
    "with torch.cuda.amp.autocast(x is not None or False):\n    show(net(x))\n",
    "with torch.cuda.amp.autocast():\n    with torch.cuda.amp.autocast(False):\n        show(net(x))\n    show(net(x))\n",
    "@torch.cuda.amp.autocast()\ndef f(y):\n    return net(y)\n\n\nshow(f(x))\n",
    "@torch.cuda.amp.autocast(enabled=False)\ndef f(y):\n    return net(y)\n\n\nshow(f(x))\n",
    "class A(torch.nn.Module):\n    def forward(self, y):\n        y = y.unsqueeze(0)\n"
    "        with torch.cuda.amp.autocast():\n            return torch.matmul(y, y.transpose(1, 2))\n\n\nshow(A()(x))\n",
    "from torch.cuda.amp import GradScaler, autocast\n\noptimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
    "scaler = GradScaler(enabled=True)\nfor _ in range(3):\n    optimizer.zero_grad()\n    with autocast():\n"
    "        loss = net(x).square().mean()\n    scaler.scale(loss).backward()\n    scaler.unscale_(optimizer)\n"
    "    scaler.step(optimizer)\n    scaler.update()\n    show(loss)\nprint(scaler.is_enabled(), scaler.state_dict())\n",
    "scaler = torch.cuda.amp.GradScaler(2.0**4)\nshow(scaler.scale(net(x)))\nprint(scaler.get_scale())\n",
    'scaler = torch.amp.GradScaler("cuda", 2.0**4)\nshow(scaler.scale(net(x)))\nprint(scaler.get_scale())\n',
    "context = torch.cuda.amp.autocast() if x is not None else None\nwith context:\n"
    "    print(torch.is_autocast_enabled(), torch.is_autocast_enabled('cpu'))\n    show(net(x))\n",
]
PROLOGUE = (
    "import torch\n\nprint(torch.manual_seed(1).device)\nnet = torch.nn.Linear(4, 3)\nx = torch.randn(5, 4)\n\n\n"
    "def show(y):\n    print(y.dtype, y.device, y.tolist())\n\n\n"
)


def output(text: str) -> str:
    """What a program prints."""
    printed = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
        warnings.simplefilter("ignore")
        exec(compile(text, "program.py", "exec"), {"__name__": "__main__"})
    return printed.getvalue()


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("target", [SCALERS, Target("accelerator", torch_min_version=(2, 6))], ids=["cuda", "any"])
def test_the_cpu_computes_what_it_did(program: str, target: Target) -> None:
    pytest.importorskip("torch", reason="runs programs that use torch")
    before = PROLOGUE + program
    after = fixed(CODE, before, target=target)
    assert "cuda.amp" not in after and not found(CODE, after, target)
    assert output(after) == output(before) and "torch.float32" in output(after)


def test_what_these_programs_would_catch() -> None:
    pytest.importorskip("torch", reason="runs programs that use torch")
    before = PROLOGUE + "with torch.cuda.amp.autocast():\n    show(net(x))\n"
    assert "torch.bfloat16" in output(before.replace("torch.cuda.amp.autocast()", "torch.autocast('cpu')"))
    assert dedent(before) == before


@pytest.mark.parametrize(
    ("device", "written"),
    [
        ("lm.device", "device_type"),  # whoever made it may have given it "cuda:1"
        ("layer.weight.device", "device.type"),
        ("next(lm.parameters()).device", "device.type"),
        ("x.device\n    n = x.shape[0]", "device.type"),
        ("accelerate.Accelerator().device", "device.type"),
    ],
)
def test_a_device_of_something_unknown_may_be_a_string(device: str, written: str) -> None:
    text = f"import accelerate\nimport torch\ndef f(lm, layer, x):\n    device = {device}\n    x = x.to(device)\n    with {{0}}:\n        g(x)\n"
    after = text.format(f'torch.autocast(device_type={written}, enabled={written} != "cpu")')
    if written == "device_type":
        after = after.replace("    with", "    device_type = torch.device(device).type\n    with")
    assert fixed(CODE, text.format("torch.cuda.amp.autocast()")) == after


def test_no_name_for_the_type_of_a_device_that_changes() -> None:
    text = (
        "import torch\ndef f(lm, x):\n    device = lm.device\n    for y in x:\n        y = y.to(device)\n"
        "        with torch.cuda.amp.autocast():\n            g(y)\n        device = 'cpu'\n"
    )
    after = fixed(CODE, text)
    assert "device_type = " not in after and "device_type=torch_device.type" in after


CHOSEN = """\
import torch


class Model:
    def __init__(self, net, use_cuda=True, card=-1):
        if use_cuda:
            if card == -1:
                self.device = torch.device("cuda")
            elif torch.cuda.is_available():
                self.device = torch.device(f"cuda:{card}")
            else:
                raise ValueError(card)
        else:
            self.device = torch.device("cpu")
        self.net = net

    def train(self, x):
        self.net.to(self.device)
        with torch.cuda.amp.autocast():
            return self.net(x)
"""


def test_the_device_that_init_chooses_is_that_of_an_autocast() -> None:
    with_type = 'torch.autocast(device_type=self.device.type, enabled=self.device.type != "cpu")'
    assert f"        with {with_type}:\n" in fixed(CODE, CHOSEN, unsafe=False)
    as_text = fixed(CODE, CHOSEN.replace('torch.device("cpu")', '"cpu"'), unsafe=False)
    assert "        device_type = torch.device(self.device).type\n" in as_text
    assert 'torch.autocast(device_type=device_type, enabled=device_type != "cpu")' in as_text


CALLED_BACK = """\
import torch


class Callback:
    def on_end(self, trainer, module, x):
        x = x.to(module.device)
        try:
            with torch.cuda.amp.autocast():
                module.net(x)
        except ValueError:
            pass
        with torch.cuda.amp.autocast():
            module.net(x)
"""


def test_the_device_of_a_parameter_to_which_inputs_are_moved_is_that_of_an_autocast() -> None:
    written = fixed(CODE, CALLED_BACK, unsafe=False)
    assert "        device_type = torch.device(module.device).type\n        try:\n" in written
    assert written.count('with torch.autocast(device_type=device_type, enabled=device_type != "cpu"):\n') == 2


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("        try:\n", "        module.cuda()\n        try:\n"),
        ("        try:\n", "        module.net.cpu()\n        try:\n"),
        ("        try:\n", "        x = x.to(trainer.device)\n        try:\n"),
        ("        try:\n", "        module = trainer.module\n        try:\n"),
        ("        x = x.to(module.device)\n", "        if trainer:\n            x = x.to(module.device)\n"),
        ("        x = x.to(module.device)\n", "        f = lambda: x.to(module.device)\n"),
        ("module.net(x)\n        except", "module.net(x.to(module.device))\n        except"),
    ],
)
def test_not_the_device_of_a_parameter_that_may_move(before: str, after: str) -> None:
    text = CALLED_BACK.replace(before, after, 1)
    if after.endswith("except"):
        text = text.replace("        x = x.to(module.device)\n", "")
    assert text != CALLED_BACK
    written = fixed(CODE, text, unsafe=False)
    assert "torch.device(module.device)" not in written and "module.device.type" not in written


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("                raise ValueError(card)", "                pass"),
        ("                raise ValueError(card)", "                return"),
        ('        else:\n            self.device = torch.device("cpu")\n', ""),
        ("        if use_cuda:\n", "        self.train(net)\n        if use_cuda:\n"),
        ('torch.device("cpu")', "None"),
        ('torch.device("cpu")', "choose(net)"),
        ("        self.net.to(self.device)\n", "        self.device = net.where\n"),
        ("        self.net.to(self.device)\n", "        self = net\n"),
        ("    def train(self, x):\n", "    @staticmethod\n    def train(x):\n"),
    ],
)
def test_not_a_device_that_init_may_not_have_chosen(before: str, after: str) -> None:
    text = CHOSEN.replace(before, after, 1)
    assert text != CHOSEN
    written = fixed(CODE, text, unsafe=False)
    assert "self.device.type" not in written and "torch.device(self.device)" not in written


NAMED = """
import torch
def f(model, batches, device):
+    device_type = torch.device(device).type
    for x in batches:
        x = x.to(device)
-        with torch.cuda.amp.autocast():
+        with torch.autocast(device_type=device_type, enabled=device_type != "cpu"):
            model(x)
-    with torch.cuda.amp.autocast(enabled=model.half):
+    with torch.autocast(device_type=device_type, enabled=model.half and device_type != "cpu"):
        model(x)
class Runner:
    def __init__(self, device):
        self.device = device
    def run(self, x):
        def inner():
-            with torch.cuda.amp.autocast():
+            device_type = torch.device(self.device).type
+            with torch.autocast(device_type=device_type, enabled=device_type != "cpu"):
                return x.sum()
        return x.to(self.device) + inner()
"""


def test_a_type_that_is_asked_for_twice_has_a_name() -> None:
    lines = NAMED.strip().splitlines(keepends=True)
    before = "".join(one[1:] if one[0] == "-" else one for one in lines if one[0] != "+")
    after = "".join(one[1:] if one[0] == "+" else one for one in lines if one[0] != "-")
    check(CODE, before, after, "safe", "safe", "safe")


STORE = """
import contextlib
import torch
class Store:
    def __init__(self, model, device):
        self.model = model
        self.device = torch.device(device)
        self.rows = []{2}
    def run(self, tokens):
        {0} {1}:
            return self.model(tokens)
    def buffer(self, n):
        return torch.zeros(n, device=self.device)
    def rest(self, x):
        self.rows.append(x.to(self.device))
"""


@pytest.mark.parametrize(
    ("more", "applicability"),
    [
        ("", "unsafe"),
        ("\n        self.first = self.buffer(2).to(self.device)", "unsafe"),
        ("\n        self.model.to(self.device)", "safe"),
        ("\n        self.model = model.to(self.device)", "safe"),
        ("\n        self.model = build(model, self.device)", "safe"),
        ("\n        self.model = build(model, device)", "safe"),
        ("\n        self.model = build(model).eval().to(device)", "safe"),
        ("\n        prepare(self.model, device=self.device)", "safe"),
    ],
)
@pytest.mark.parametrize("cast", ['torch.autocast("cuda", dtype=torch.bfloat16)', "torch.cuda.amp.autocast(True)"])
def test_the_device_of_an_instance_may_be_another_than_that_of_what_it_runs(
    cast: str, more: str, applicability: str
) -> None:
    assert [one for _, one in places(CODE, STORE.format("with", cast, more))] == [applicability]
    named = STORE.format("with", "mode", more).replace("        with mode", f"        mode = {cast}\n        with mode")
    assert [one for _, one in places(CODE, named)] == [applicability]


def test_an_autocast_that_is_tried_fails_nowhere() -> None:
    text = f"{HEAD}def f(net, x):\n    try:\n        with torch.cuda.amp.autocast():\n            return net(x)\n    except RuntimeError:\n        return 0\n"
    assert [one for _, one in places(CODE, text)] == ["safe"]


CHANGED = "import torch\ndef f(model, x, device):\n{0}    x = x.to(device)\n    with {1}:\n{2}        g(x)\n"


@pytest.mark.parametrize(
    ("above", "inside"),
    [
        ("    device = device or choose()\n", ""),
        ("    global device\n", ""),
        ("", "        device = choose()\n"),
    ],
)
def test_a_device_that_the_function_binds_is_asked_where_it_is_used(above: str, inside: str) -> None:
    parameters = CHANGED.replace(", device", "") if "global" in above else CHANGED
    text = parameters.format(above, "{0}", inside)
    result = fixed(CODE, text.format("torch.cuda.amp.autocast()"), unsafe=True)
    assert "device_type = " not in result and "cuda.amp" not in result


def test_the_modules_of_the_classes() -> None:
    text = f"from torch.cuda.amp.grad_scaler import GradScaler\n{HEAD}s = GradScaler()\n"
    after = f"from torch.amp import GradScaler\n{HEAD}s = GradScaler(device.type, enabled={NOT_CPU})\n"
    check(CODE, text, after, "safe", target=SCALERS)


ANY = Target("accelerator", torch_min_version=(2, 6))
BUILT = '(torch.accelerator.current_accelerator() or torch.device("cpu")).type'
CUSTOM = [
    ("@custom_fwd", "@custom_fwd(device_type=device_type)"),
    ("@custom_fwd()", "@custom_fwd(device_type=device_type)"),
    ("@custom_fwd(cast_inputs=torch.half)", "@custom_fwd(device_type=device_type, cast_inputs=torch.half)"),
    ("@torch.cuda.amp.custom_fwd", "@torch.amp.custom_fwd(device_type=device_type)"),
]


@pytest.mark.parametrize(("before", "after"), CUSTOM)
def test_custom_functions(before: str, after: str) -> None:
    lines = (
        "import torch",
        "from torch.cuda.amp import custom_fwd",
        "",
        "class F:",
        f"    {before}",
        "    def f(c, x): pass",
        "",
    )
    text = "\n".join(one for one in lines if "cuda" not in before or "from" not in one)
    imported = "" if "cuda" in before else "from torch.amp import custom_fwd\n"
    wanted = f"import torch\n{imported}\ndevice_type = {BUILT}\n\nclass F:\n    {after}\n    def f(c, x): pass\n"
    check(CODE, text, wanted, "unsafe", target=ANY)
    assert not found(CODE, text)


def test_custom_functions_beside_autocast() -> None:
    text = "import torch\nfrom torch.cuda.amp import autocast, custom_bwd, custom_fwd\n\n\nclass F:\n    @custom_fwd\n    def f(c, x): pass\n\n    @custom_bwd\n    def g(c, x): pass\n\n\ndef h():\n    with autocast():\n        pass\n"
    after = fixed(CODE, text, target=ANY)
    assert "torch.cuda" not in after
    assert after.count("(device_type=device_type)") == 2


@pytest.mark.parametrize("use", ["forward = custom_fwd", "f(custom_fwd)", "@custom_fwd(*a)\ndef g(): pass"])
def test_custom_functions_that_are_handed_on(use: str) -> None:
    text = f"import torch\nfrom torch.cuda.amp import custom_fwd\n\n\n@custom_fwd\ndef f(): pass\n\n\n{use}\n"
    assert fixed(CODE, text, target=ANY) == text


CARD = """\
import torch
import torch.multiprocessing as mp

def run(rank: int, loader, net):
    for x in loader:
        x = x.cuda(rank)
        with torch.cuda.amp.autocast():
            y = net(x)
    for x in loader:
        x = x.cuda()

mp.spawn(run, nprocs=2)
"""


def test_the_device_of_a_card_is_asked_for_its_type_where_something_was_moved_to_it() -> None:
    after = engine.fix(Source.from_text("a.py", CARD), [rule(CODE), rule("DEV106")], CUDA).text
    made = 'rank_device = torch.device("cuda", rank) if torch.cuda.is_available() else torch.device("cpu")'
    on = 'device_type=rank_device.type, enabled=rank_device.type != "cpu"'
    wanted = CARD.replace(
        "    for x in loader:\n        x = x.cuda(rank)",
        f"    {made}\n    for x in loader:\n        x = x.to(rank_device)",
    )
    assert after == wanted.replace("torch.cuda.amp.autocast()", f"torch.autocast({on})")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('@torch.autocast("cuda", enabled=False)\n@torch.autocast("cpu", enabled=False)\ndef f(x):\n    return x', 0),
        ('@torch.autocast(device_type="cpu")\n@torch.autocast("cuda", enabled=False)\ndef f(x):\n    pass', 0),
        ('with torch.autocast("cuda", enabled=False), torch.autocast("cpu", enabled=False):\n    f()', 0),
        ('@torch.no_grad()\n@torch.autocast("cuda", enabled=False)\ndef f(x):\n    return x', 1),
        ('@torch.autocast("cuda")\ndef f(x):\n    with torch.autocast("cpu"):\n        return x', 1),
    ],
)
def test_told_for_the_cpu_too(text: str, count: int) -> None:
    assert len(places("DEV502", f"import torch\n\n{text}\n")) == count


@pytest.mark.parametrize(
    ("made", "device"),
    [
        ("q, k = self.layer(x).chunk(2)", "q.device"),
        ("q, k = torch.zeros(3), self.layer(x)", "device"),
    ],
)
def test_a_tensor_of_several_that_a_call_gives(made: str, device: str) -> None:
    text = "import torch\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        {}\n{}        with {}:\n            return q.softmax(dim=-1) @ k\n"
    above = (
        '        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n' if device == "device" else ""
    )
    after = f'torch.autocast(device_type={device}.type, enabled={device}.type != "cpu")'
    assert fixed(CODE, text.format(made, "", "torch.cuda.amp.autocast()")) == text.format(made, above, after)


def test_a_type_that_two_casts_of_a_function_need_has_a_name() -> None:
    text = "import torch\ndef f(model, x, device):\n{0}    with {1}:\n        y = model(x.to(device))\n        with {2}:\n            return y.sum()\n"
    before = text.format("", "torch.cuda.amp.autocast()", "torch.cuda.amp.autocast(enabled=False)")
    kind = "    device_type = torch.device(device).type\n"
    on = 'torch.autocast(device_type=device_type, enabled=device_type != "cpu")'
    check(CODE, before, text.format(kind, on, "torch.autocast(device_type=device_type, enabled=False)"), "safe", "safe")


@pytest.mark.parametrize(
    ("middle", "imported", "is_kept"),
    [
        ("", "from base import *", True),
        ("", "from base import autocast", True),
        ("from base import *\n", "from middle import *", True),
        ("", "import base\nautocast = base.autocast", True),
        ("", "import base as other\nprint(other.autocast)", True),
        ("", "import base\nprint(base.step)\nfrom torch.cuda.amp import autocast", False),
        ("", "from base import step", False),
        ("", "from base import *\nfrom torch.cuda.amp import autocast", False),
    ],
)
def test_an_import_that_other_files_take_from_this_one(
    tmp_path: Path, middle: str, imported: str, is_kept: bool
) -> None:
    base = (
        "import torch\nfrom torch.cuda.amp import autocast\n\n\ndef step(net, x):\n    with autocast():\n"
        "        return net(x.cuda())\n"
    )
    use = f"{imported}\n\n\ndef run(net, x):\n    with autocast():\n        return step(net, x)\n"
    files = write_files(tmp_path / "p", {"setup.py": "", "base.py": base, "middle.py": middle, "use.py": use})
    text = fix_files(files, unsafe=False)["base.py"]
    assert ("from torch.cuda.amp import autocast" in text) is is_kept
    assert "with autocast():" not in text


def test_the_type_of_a_tensor_that_is_only_handed_on_is_not_asked() -> None:
    text = (
        "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n"
        "    def read(self, memory: torch.Tensor, key: torch.Tensor):\n        with torch.cuda.amp.autocast(enabled=False):\n"
        "            found = key.float() @ key.float()\n        return self.query(found, memory), self.query(key, memory)\n\n"
        "    def query(self, found, memory):\n        return found if memory is None else found + memory\n"
    )
    assert "device_type=key.device.type" in fixed(CODE, text)


_CHOOSING = (
    'import torch\n\ndevice = torch.device("cuda" if torch.cuda.is_available() else "mps" if asks() else "cpu")\n'
)
_LIGHTNING = (
    "from pytorch_lightning import LightningModule\n\n\nclass Net(LightningModule):\n    def forward(self, x):\n{}"
    "            return self.a(x)\n"
)


@pytest.mark.parametrize(
    ("program", "is_safe"),
    [
        ("from accelerate import Accelerator\naccelerator = Accelerator()\nx = y.to(accelerator.device)\n{}", False),
        (_LIGHTNING, False),
        (_LIGHTNING.replace("pytorch_lightning", "torch.nn").replace("Lightning", ""), True),
        ("from other import device\nx = y.to(device)\n{}", False),
        ("from other import find\ndevice = find()\nx = y.to(device)\n{}", False),
        ("from another import device\nx = y.to(device)\n{}", True),
        (f"{_CHOOSING}x = y.to(device)\n{{}}", False),
    ],
)
@pytest.mark.parametrize("since", [(2, 0), (2, 6)])
def test_a_device_that_may_be_mps(tmp_path: Path, program: str, is_safe: bool, since: tuple[int, int]) -> None:
    """Autocast is off there, as it was before; with an older torch there is none."""
    for enabled in ("", "enabled=False"):
        indent = "        " if "class" in program else ""
        block = f"{indent}with torch.cuda.amp.autocast({enabled}):\n{indent}    print(1)\n"
        files = {
            "README.md": "",
            "other.py": f"{_CHOOSING}\n\ndef find():\n    return device\n",
            "another.py": 'import torch\n\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n',
            "main.py": f"import torch\n{program.format(block)}",
        }
        oldest = {"torch-min-version": ".".join(map(str, since))}
        text = fix_files(write_files(tmp_path / (enabled or "on"), files), **oldest).get("main.py", "torch.cuda.amp")
        assert ("torch.cuda.amp" not in text) is (is_safe or (enabled != "" and since > (2, 5))), text


OF_LAYERS = """\
import torch
import torchaudio.transforms as transforms
from torch import nn


class Net(nn.Module):
    def __init__(self, other):
        super().__init__()
        self.lin = nn.Linear(2, 2)
        self.lin_first = nn.Sequential(self.lin, nn.LSTM(2, 2))
        self.mel = transforms.MelSpectrogram(16000)
        self.mel_first = nn.Sequential(self.mel, nn.ReLU())
        self.of_either = nn.Linear(2, 2)
        self.of_either = other
        self.relu_first = nn.Sequential(nn.ReLU(), nn.Linear(2, 2))
        self.of_list = nn.Sequential(*other)

    def forward(self, batch):
        x = batch["x"]
        with torch.cuda.amp.autocast(enabled=False):
            y = {use}
        return y
"""


@pytest.mark.parametrize(
    ("use", "is_tensor"),
    [
        ("self.lin(x)", True),
        ("self.lin_first(x)", True),
        ("self.mel(x)", True),
        ("self.mel_first(x)", True),
        ("self.of_either(x)", False),
        ("self.relu_first(x)", False),
        ("self.of_list(x)", False),
        ("self.lin(batch)", False),
        ("self.lin(x) if batch.get('all') else 0", False),
    ],
)
def test_what_a_layer_of_torch_is_given_is_a_tensor(use: str, is_tensor: bool) -> None:
    after = fixed(CODE, OF_LAYERS.format(use=use), unsafe=False)
    assert ("device_type=x.device.type, enabled=False" in after) is is_tensor
