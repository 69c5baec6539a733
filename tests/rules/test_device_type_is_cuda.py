from __future__ import annotations

import pytest

from devlint.core.target import Target
from tests.support.rule_cases import check, fixed, found, places

CODE = "DEV606"
ACCELERATOR = Target("accelerator", torch_min_version=(2, 9))
OLD = Target("accelerator", torch_min_version=(2, 6))
PROJECT = Target("project", "torch_device", "from testing import torch_device")
HEAD = "import contextlib\nimport torch\n\ndevice = torch.device(args.device)\n"
TYPE = 'torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else "cpu"'
DEVICE = 'torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cpu")'

SILENT = [
    "if has_tpu():\n    device = xm.xla_device()\nif device.type == 'cuda':\n    torch.cuda.set_device(device)",
    "ok = event.type == 'cuda'",
    "ok = device.type == 'cpu'",
    "ok = device.type != 'cpu'",
    "ok = f(device.type == 'cuda')",
    "ok = [device.type == 'cuda']",
    "assert x.is_cuda",
    "if x.is_cuda:\n    y = fast(x)\nelse:\n    y = slow(x)",
    "if device.type == 'cuda':\n    torch.backends.cudnn.benchmark = True",
    "if device.type == 'cuda':\n    print(torch.cuda.get_device_name())",
    "if device.type == 'cuda':\n    torch.cuda.nvtx.range_push('a')",
    "if device.type == 'cuda':\n    torch.cuda.manual_seed(0)",
    "if device.type == 'cuda':\n    torch.cuda.synchronize()\n    torch.cuda.manual_seed(0)",
    "if device.type == 'cuda':\n    torch.cuda.synchronize()\nelif device.type == 'mps':\n    torch.mps.manual_seed(0)",
    "if device.type == 'cuda':\n    torch.cuda.synchronize()\nelif other.type == 'mps':\n    torch.mps.synchronize()",
    "if device.type == 'cuda':\n    torch.cuda.synchronize()\nelif device.type == 'mps':\n    torch.mps.empty_cache()",
    "if device.type == 'cuda':\n    n = torch.cuda.synchronize()\nelif device.type == 'mps':\n    n = torch.mps.synchronize()",
    "if device.type == 'cuda':\n    torch.cuda.synchronize()\nelse:\n    torch.xpu.synchronize()",
    "if not x.is_cuda:\n    raise RuntimeError('no CUDA')",
    "def f(x):\n    import triton\n    if x.device.type != 'cuda':\n        raise RuntimeError('no CUDA')\n    triton.cdiv(x, 2)",
    "if device.type in ('cuda', 'hip', 'xpu'):\n    torch.cuda.empty_cache()",
    "if kind in ('cuda', 'hip'):\n    torch.cuda.synchronize()",
    "if x.is_cuda:\n    y = y.cuda()",
    "with torch.autocast('cuda', enabled=x.is_cuda):\n    pass",
    "ort = 'onnxruntime-gpu' if device.type == 'cuda' else 'onnxruntime'",
    "if self.is_cuda:\n    torch.cuda.synchronize()",
    "if x.is_cuda():\n    torch.cuda.synchronize()",
    "x.is_cuda = True\nif x.is_cuda:\n    torch.cuda.synchronize()",
    "if torch.cuda.is_available():\n    pinned = device.type == 'cuda'",
    "import triton\npinned = device.type == 'cuda'",
    "if is_npu_available():\n    device_type = 'npu'\nelse:\n    device_type = 'cuda'",
    "device_type = 'cpu'",
    "if self._device.type == 'cuda':\n    log_memory()",
    "if self._device.type == 'cuda':\n    cuda_memory(device=self._device)",
    "parser.add_argument('--kind', default='cuda')",
    "f(device_type='cuda')",
    "name = str(path)\nif device == 'cuda':\n    device = '0'",
    "if device.type == 'cuda':\n    torch.cuda.empty_cache()\nif device.type == 'xpu':\n    torch.xpu.empty_cache()",
    "if device == 'cuda':\n    where = f'cuda:{index}'\nelse:\n    where = device",
]


REFUSALS = [
    "if device.type != 'cuda':\n    raise RuntimeError('no CUDA')",
    "if self.offload:\n    if self._device.type != 'cuda':\n        raise RuntimeError('only with CUDA')",
    "if device_type not in ('cuda', 'hip'):\n    raise ValueError",
]


@pytest.mark.parametrize("text", REFUSALS)
def test_other_accelerators_are_refused(text: str) -> None:
    assert [kind for _, kind in places(CODE, f"{HEAD}{text}\n", ACCELERATOR)] == ["none"]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"{HEAD}{text}\n", ACCELERATOR) == ()


ANY = [
    (
        "if args.device_type in ('cuda', 'hip'):\n    torch.cuda.empty_cache()",
        'if args.device_type != "cpu":\n    torch.accelerator.empty_cache()',
    ),
    (
        "if device.type == 'cuda':\n    torch.cuda.synchronize()",
        'if device.type != "cpu":\n    torch.accelerator.synchronize()',
    ),
    (
        "if device.type == 'cuda' and ready:\n    torch.cuda.empty_cache()\n    torch.cuda.set_device(device)",
        'if device.type != "cpu" and ready:\n    torch.accelerator.empty_cache()\n'
        "    torch.accelerator.set_device_index(device)",
    ),
    (
        "if not device.type != 'cuda':\n    torch.cuda.synchronize()",
        'if not device.type == "cpu":\n    torch.accelerator.synchronize()',
    ),
    (
        "if 'cuda' in str(args.device):\n    torch.cuda.synchronize()",
        'if "cpu" not in str(args.device):\n    torch.accelerator.synchronize()',
    ),
    (
        "if str(device).startswith('cuda'):\n    torch.cuda.synchronize()",
        'if not str(device).startswith("cpu"):\n    torch.accelerator.synchronize()',
    ),
    (
        "if args.device == 'cuda':\n    torch.cuda.synchronize()",
        'if args.device != "cpu":\n    torch.accelerator.synchronize()',
    ),
    (
        "if x.is_cuda:\n    torch.cuda.synchronize(x.device)",
        'if x.device.type != "cpu":\n    torch.accelerator.synchronize(x.device)',
    ),
    ("if x.is_cuda:\n    x = x.cpu()", 'if x.device.type != "cpu":\n    x = x.cpu()'),
    ("if device_type == 'cuda':\n    x = x.cpu()", 'if device_type != "cpu":\n    x = x.cpu()'),
    ("pin_memory = device.type == 'cuda'", 'pin_memory = device.type != "cpu"'),
    ("load(pin_memory=(device.type == 'cuda'))", 'load(pin_memory=device.type != "cpu")'),
    (
        "x = torch.autocast(device.type, enabled=device.type == 'cuda')",
        'x = torch.autocast(device.type, enabled=device.type != "cpu")',
    ),
    (
        "x = torch.autocast(device.type) if device.type == 'cuda' else contextlib.nullcontext()",
        'x = torch.autocast(device.type) if device.type != "cpu" else contextlib.nullcontext()',
    ),
    (
        "if device.type == 'cuda' and device.index is None:\n    device = torch.device('cuda', torch.cuda.current_device())",
        'if device.type != "cpu" and device.index is None:\n'
        "    device = torch.device(torch.accelerator.current_accelerator().type, torch.accelerator.current_device_index())",
    ),
    ("device_type = 'cuda' if 'cuda' in str(device) else 'cpu'", "device_type = torch.device(device).type"),
    ("kind = torch.device('cuda' if device.type == 'cuda' else 'cpu')", "kind = torch.device(device.type)"),
    ("kind = 'cpu' if x.device.type != 'cuda' else 'cuda'", "kind = x.device.type"),
    ("kind = 'cuda' if x.is_cuda else 'cpu'", "kind = x.device.type"),
    ("device_type = 'cuda'", f"device_type = {TYPE}"),
]


@pytest.mark.parametrize(("before", "after"), ANY)
def test_any_accelerator(before: str, after: str) -> None:
    check(CODE, f"{HEAD}{before}\n", f"{HEAD}{after}\n", "unsafe", target=ACCELERATOR)


CHAINS = [
    (
        "if torch.cuda.is_available():\n    device = 'cuda'\nelif torch.backends.mps.is_available():\n    device = 'mps'\n"
        "else:\n    device = 'cpu'",
        f"device = {TYPE}",
    ),
    (
        "if is_torch_xpu_available():\n    self.device = torch.device('xpu')\nelif is_torch_npu_available():\n"
        "    self.device = torch.device('npu')\nelif torch.cuda.is_available():\n    self.device = torch.device('cuda')\n"
        "else:\n    self.device = torch.device('cpu')",
        f"self.device = {DEVICE}".replace('"', "'"),  # the quotes of the file
    ),
    (
        "def get_device():\n    if torch.cuda.is_available():\n        return 'cuda'\n"
        "    if hasattr(torch.backends, 'mps') and torch.backends.mps.is_available():  # Apple\n        return 'mps'\n"
        "    return 'cpu'",
        f"def get_device():\n    # Apple\n    return {TYPE}".replace('"', "'"),
    ),
    (
        "device = torch.device('cuda' if torch.cuda.is_available() else 'mps' if torch.mps.is_available() else 'cpu')",
        f"device = {DEVICE}",
    ),
    ("x = f('cuda' if torch.cuda.is_available() else 'xpu' if torch.xpu.is_available() else 'cpu')", f"x = f({TYPE})"),
    (
        "def f(d, rank):\n    if d is not None:\n        return torch.device(d)\n\n    elif torch.cuda.is_available():\n"
        "        return torch.device(f'cuda:{rank}')\n\n    elif hasattr(torch, 'npu') and torch.npu.is_available():\n"
        "        return torch.device(f'npu:{rank}')  # Ascend\n    else:\n        print('CPU')\n        return torch.device('cpu')",
        "def f(d, rank):\n    # Ascend\n    if d is not None:\n        return torch.device(d)\n\n    elif torch.accelerator.is_available():\n"
        "        return torch.device(torch.accelerator.current_accelerator().type, rank)\n\n    else:\n"
        "        print('CPU')\n        return torch.device('cpu')",
    ),
    (
        "if torch.cuda.is_available():\n    d = 'cuda:0'\nelif torch.backends.mps.is_available():\n    d = 'mps'\nelse:\n    d = 'cpu'",
        'd = f"{torch.accelerator.current_accelerator().type}:0" if torch.accelerator.is_available() else "cpu"',
    ),
    (  # where a conditional expression needs parentheses
        "y = x if torch.device('cuda' if torch.cuda.is_available() else 'mps' if torch.mps.is_available() else 'cpu') "
        "else z",
        f"y = x if ({DEVICE}) else z",
    ),
]


@pytest.mark.parametrize(("before", "after"), CHAINS)
def test_vendor_chain(before: str, after: str) -> None:
    check(CODE, f"import torch\n\n{before}\n", f"import torch\n\n{after}\n", "unsafe", target=ACCELERATOR)


ACTIONS = [
    (
        "if kind in ('cuda', 'hip'):\n    torch.cuda.empty_cache()\nelif kind == 'xpu':\n    torch.xpu.empty_cache()",
        'if kind != "cpu":\n    torch.accelerator.empty_cache()',
    ),
    (
        "if torch.cuda.is_available():\n    torch.cuda.empty_cache()\nelif is_xpu_available():\n    torch.xpu.empty_cache()",
        "if torch.accelerator.is_available():\n    torch.accelerator.empty_cache()",
    ),
    (
        "if device.type == 'mps':\n    torch.mps.synchronize()\nelif device.type == 'cuda':\n    torch.cuda.synchronize()",
        'if device.type != "cpu":\n    torch.accelerator.synchronize()',
    ),
    (
        "if torch.cuda.is_available():\n    torch.cuda.set_device(i)\n    torch.cuda.empty_cache()\nelif torch.npu.is_available():\n"
        "    torch.npu.set_device(i)  # Ascend\n    torch.npu.empty_cache()\nelse:\n    print('CPU')",
        "# Ascend\nif torch.accelerator.is_available():\n    torch.accelerator.set_device_index(i)\n"
        "    torch.accelerator.empty_cache()\nelse:\n    print('CPU')",
    ),
]


@pytest.mark.parametrize(("before", "after"), ACTIONS)
def test_the_same_for_each_accelerator(before: str, after: str) -> None:
    check(CODE, f"import torch\n\n{before}\n", f"import torch\n\n{after}\n", "unsafe", target=ACCELERATOR)


def test_each_accelerator_has_the_same_card() -> None:
    before = "d = 'cuda:0' if torch.cuda.is_available() else 'xpu:0' if torch.xpu.is_available() else 'cpu'"
    after = 'd = f"{torch.accelerator.current_accelerator().type}:0" if torch.accelerator.is_available() else "cpu"'
    check(CODE, f"import torch\n\n{before}\n", f"import torch\n\n{after}\n", "unsafe", target=ACCELERATOR)


OTHER_CHAINS = [
    "if torch.cuda.is_available():\n    device = 'cuda'\n    n = 1\nelif torch.mps.is_available():\n    device = 'mps'\n"
    "else:\n    device = 'cpu'",
    "if torch.cuda.is_available():\n    device = 'cuda'\nelif torch.mps.is_available():\n    device = 'mps'",
    "if torch.cuda.is_available():\n    device = 'cuda'\nelif torch.mps.is_available():\n    other = 'mps'\n"
    "else:\n    device = 'cpu'",
    "if torch.cuda.is_available():\n    device = 'cuda:1'\nelif torch.mps.is_available():\n    device = 'mps'\n"
    "else:\n    device = 'cpu'",
    "if torch.cuda.is_available():\n    device = 'cuda'\nelif torch.xla.is_available():\n    device = 'xla'\n"
    "else:\n    device = 'cpu'",
    "device = 'cuda' if torch.cuda.is_available() else 'cpu'",
]


@pytest.mark.parametrize("text", OTHER_CHAINS)
def test_a_chain_collapses_as_a_whole_or_not_at_all(text: str) -> None:
    assert found(CODE, f"import torch\n\n{text}\n", ACCELERATOR) == ()
    if "else 'cpu'" not in text:
        assert fixed("DEV508", f"import torch\n\n{text}\n", target=ACCELERATOR) == f"import torch\n\n{text}\n"


@pytest.mark.parametrize(
    "text",
    [
        "dtype = torch.float16 if device.type == 'cuda' else torch.float32",
        "if device.type == 'cuda':\n    dtype = torch.bfloat16\nelse:\n    dtype = torch.float32",
        "def f(device_type='cuda'):\n    pass",
        "parser.add_argument('--device-type', default='cuda')",
        "if self._device.type == 'cuda':\n    log_memory(device=self._device)",
        "if torch.cuda.is_available():\n    device = 'cuda'\nelif use_mps:\n    device = 'mps'\nelse:\n    device = 'cpu'",
        "if use_cuda:\n    device = torch.device('cuda')\nelif use_mps:\n    device = torch.device('mps')\nelse:\n"
        "    device = torch.device('cpu')",
        "class A:\n    device_type: str = 'cuda'",
    ],
)
def test_a_person_decides(text: str) -> None:
    assert [kind for _, kind in places(CODE, f"{HEAD}{text}\n", ACCELERATOR)] == ["none"]


def test_a_word_of_another_library() -> None:
    text = 'def start(device_type=""):\n    if not device_type:\n        device_type = "cuda"\n'
    assert found(CODE, text, ACCELERATOR) == ()
    assert found(CODE, f"import torch\n{text}", ACCELERATOR) != ()


def test_nothing_newer_than_the_oldest_torch() -> None:
    assert found(CODE, f"{HEAD}if device.type == 'cuda':\n    torch.cuda.empty_cache()\n", OLD) == ()


def test_target_cuda_asks_for_cuda() -> None:
    assert (
        found(CODE, f"{HEAD}pin_memory = device.type == 'cuda'\n") != ()
    )  # the rule itself does not ask: its targets do
    from tests.support.rule_cases import rule

    assert rule(CODE).targets == ("accelerator", "project")


def test_project_names_no_accelerator() -> None:
    before = f"{HEAD}pin_memory = device.type == 'cuda'\nif x.is_cuda:\n    torch.cuda.synchronize()\n"
    after = f'{HEAD}pin_memory = device.type != "cpu"\nif x.is_cuda:\n    torch.cuda.synchronize()\n'
    check(CODE, before, after, "unsafe", target=PROJECT)


def test_the_type_of_the_projects_own_device_comes_with_its_import() -> None:
    before, after = "import torch\n", "import torch\nfrom testing import torch_device\n"
    check(
        CODE,
        f"{before}device_type = 'cuda'\n",
        f"{after}device_type = torch.device(torch_device).type\n",
        "unsafe",
        target=PROJECT,
    )
