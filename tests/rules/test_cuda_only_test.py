from __future__ import annotations

import pytest

from devlint.core.target import ConfiguredCall, ConfiguredGate, Target
from tests.support.rule_cases import fixed, found, rule

CODE = "DEV801"
HEAD = "import pytest\nimport unittest\nimport torch\nfrom project import f, require_cuda\n"
SKIP = "@pytest.mark.skipif(not torch.cuda.is_available(), reason='x')\n"

FOUND = [
    f"{SKIP}def test_a():\n    assert f(torch.ones(2).cuda()) == 1",
    f"{SKIP}def test_a():\n    assert f(torch.ones(2, device='cuda')) == 1",
    f"{SKIP}def test_a(tmp_path):\n    f(tmp_path, torch.ones(2, device='cuda:0'))",
    f"{SKIP}@pytest.mark.parametrize('size, n', [(1, 2)])\ndef test_a(size, n):\n    f(torch.ones(size, n, device='cuda'))",
    f"{SKIP}async def test_a():\n    x = torch.ones(2).to('cuda')",
    "@require_cuda\ndef test_a():\n    f(torch.ones(2).cuda())",
    "@pytest.mark.gpu\ndef test_a():\n    f(torch.ones(2).cuda())",
    "cuda_available = torch.cuda.is_available()\n@unittest.skipUnless(cuda_available, 'x')\ndef test_a():\n    f(torch.ones(2).cuda())",
    f"{SKIP}class TestA:\n    def test_a(self):\n        self.assertTrue(f(torch.ones(2).cuda()))",
    "class A(unittest.TestCase):\n    @require_cuda\n    def test_a(self):\n        self.helper(f(torch.ones(2).cuda()))\n    def helper(self, x): pass",
    "pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason='x')\ndef test_a():\n    f(torch.ones(2).cuda())",
    "def test_a():\n    if not torch.cuda.is_available():\n        pytest.skip('x')\n    f(torch.ones(2).cuda())",
    f"@pytest.fixture\ndef net(): return torch.nn.Linear(2, 2).cuda()\n{SKIP}def test_a(net):\n    f(net)",
    f"{SKIP}def test_a():\n    torch.cuda.manual_seed(1)\n    f(torch.ones(2).cuda())",
]  # fmt: skip


@pytest.mark.parametrize("text", FOUND)
def test_found(text: str) -> None:
    (finding,) = found(CODE, f"{HEAD}{text}\n")
    assert finding.message == "`test_a` is skipped without CUDA, but nothing in it needs CUDA"
    assert finding.fix is None


SILENT = [
    "def test_a():\n    f(torch.ones(2).cuda())",
    f"{SKIP}def helper():\n    f(torch.ones(2).cuda())",
    "def outer():\n    @require_cuda\n    def test_a():\n        f(torch.ones(2).cuda())",
    f"{SKIP}def test_a():\n    os.environ['CUBLAS_WORKSPACE_CONFIG'] = ':4096:8'\n    f(torch.ones(2).cuda())",
    f"{SKIP}def test_a():\n    assert f() == 1",
    f"{SKIP}def test_on_cuda():\n    f(torch.ones(2).cuda())",
    f"{SKIP}def test_a():\n    f(torch.ones(2).cuda())\n    torch.cuda.synchronize()",
    f"{SKIP}def test_a():\n    f(torch.ones(2).cuda(), torch.ones(2, device='cpu'))",
    f"{SKIP}def test_a():\n    x = f(torch.ones(2).cuda())\n    assert x.is_cuda",
    f"{SKIP}def test_a():\n    assert torch.ones(2).cuda().device.type == 'cuda'",
    f"{SKIP}def test_a():\n    f(torch.ones(2).cuda(), torch.ones(2).cuda(1))",
    f"{SKIP}def test_a():\n    f(torch.ones(2).cuda().half())",
    f"{SKIP}def test_a():\n    torch.compile(f)(torch.ones(2).cuda())",
    f"{SKIP}def test_a():\n    with torch.autocast('cuda'):\n        f(torch.ones(2).cuda())",
    f"{SKIP}def test_a(other):\n    f(other, torch.ones(2).cuda())",
    f"{SKIP}@skip_if_rocm\ndef test_a():\n    f(torch.ones(2).cuda())",
    f"{SKIP}class TestA(Base):\n    def test_a(self):\n        self.check(torch.ones(2).cuda())",
    f"def helper(x):\n    torch.cuda.synchronize()\n{SKIP}def test_a():\n    helper(torch.ones(2).cuda())",
    "class A(unittest.TestCase):\n    def setUp(self):\n        self.s = torch.cuda.Stream()\n    @require_cuda\n    def test_a(self):\n        f(torch.ones(2).cuda())",
    "@pytest.mark.skipif(torch.cuda.device_count() < 2, reason='x')\ndef test_a():\n    f(torch.ones(2).cuda())",
    "@require_torch_multi_gpu\ndef test_a():\n    f(torch.ones(2).cuda())",
    "@pytest.mark.skipif(not torch.cuda.is_available() or torch.cuda.get_device_capability() < (8, 0), reason='x')\ndef test_a():\n    f(torch.ones(2).cuda())",
    "@pytest.mark.slow\ndef test_a():\n    f(torch.ones(2).cuda())",
]  # fmt: skip


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"{HEAD}{text}\n") == ()


GATES = (
    ConfiguredGate("require_gpu", "require_accelerator"),
    ConfiguredGate("pytest.mark.gpu", "pytest.mark.accelerator"),
    ConfiguredGate("needs_gpu", "needs_device", "from project.tests import needs_device"),
)
CALLS = (ConfiguredCall("torch.cuda.empty_cache", "free()", "from project import free"),)
PROJECT = Target("project", "torch_device", "from project import torch_device", (2, 13), CALLS, GATES)
ACCELERATOR = Target("accelerator", torch_min_version=(2, 13), gates=GATES)
BODY = "def test_a():\n    f(torch.ones(2).cuda())"
MOVED = "def test_a():\n    f(torch.ones(2).to(torch_device))"
IMPORT = "from project import"

REPLACED = [
    (f"{IMPORT} f, require_gpu\n@require_gpu\n{BODY}", f"{IMPORT} f, require_accelerator, torch_device\n@require_accelerator\n{MOVED}"),
    (f"{IMPORT} require_gpu\n@require_gpu()\n{BODY}", f"{IMPORT} require_accelerator, torch_device\n@require_accelerator()\n{MOVED}"),
    (f"{IMPORT} require_accelerator, require_gpu\n@require_gpu\n{BODY}", f"{IMPORT} require_accelerator, torch_device\n@require_accelerator\n{MOVED}"),
    (f"{IMPORT} f, require_gpu\n@require_gpu\n{BODY}\n@require_gpu\ndef test_b():\n    torch.cuda.nccl.reduce(x)", f"{IMPORT} f, require_accelerator, require_gpu, torch_device\n@require_accelerator\n{MOVED}\n@require_gpu\ndef test_b():\n    torch.cuda.nccl.reduce(x)"),
    (f"import project\n@project.require_gpu\n{BODY}", f"import project\nfrom project import torch_device\n@project.require_accelerator\n{MOVED}"),
    (f"{IMPORT} f\n@pytest.mark.gpu\n{BODY}", f"{IMPORT} f, torch_device\n@pytest.mark.accelerator\n{MOVED}"),
    (f"{IMPORT} f, require_gpu\n@pytest.mark.single_gpu\n@require_gpu\n{BODY}", f"{IMPORT} f, require_accelerator, torch_device\n@pytest.mark.single_gpu\n@require_accelerator\n{MOVED}"),
    (f"{IMPORT} f\npytestmark = [pytest.mark.gpu, slow]\n{BODY}", f"{IMPORT} f, torch_device\npytestmark = [pytest.mark.accelerator, slow]\n{MOVED}"),
    (f"{IMPORT} f\nfrom old import needs_gpu, y\n@needs_gpu\n{BODY}", f"{IMPORT} f, torch_device\nfrom old import y\nfrom project.tests import needs_device\n@needs_device\n{MOVED}"),
    (f"{IMPORT} f, require_gpu\n@require_gpu\nclass TestA:\n    def setUp(self):\n        torch.cuda.empty_cache()\n    @pytest.mark.gpu\n    def test_a(self):\n        f('x').to('cuda', torch.half)", f"{IMPORT} f, require_accelerator, torch_device\n@require_accelerator\nclass TestA:\n    def setUp(self):\n        torch.cuda.empty_cache()\n    @pytest.mark.accelerator\n    def test_a(self):\n        f('x').to(torch_device, torch.half)"),
    (f"{IMPORT} f, require_gpu\n@require_gpu\ndef test_a():\n    assert f(torch.device('cuda')).device.type == 'cuda'", f"{IMPORT} f, require_accelerator, torch_device\n@require_accelerator\ndef test_a():\n    assert f(torch.device(torch_device)).device.type == torch.device(torch_device).type"),
    (f"{IMPORT} f, require_gpu\n@require_gpu\ndef test_a():\n    f()", f"{IMPORT} f, require_accelerator\n@require_accelerator\ndef test_a():\n    f()"),
]  # fmt: skip
HEADED = "import pytest\nimport torch\n"


@pytest.mark.parametrize(("before", "after"), REPLACED)
def test_a_gate_of_the_project_is_replaced_with_all_that_it_governs(before: str, after: str) -> None:
    assert fixed(CODE, f"{HEADED}{before}\n", target=PROJECT) == f"{HEADED}{after}\n"
    assert fixed(CODE, f"{HEADED}{before}\n", unsafe=False, target=PROJECT) == f"{HEADED}{before}\n"


KEPT = [
    f"{IMPORT} f, require_gpu\n@require_gpu\ndef test_a():\n    f(torch.device('cuda:0'))",
    f"{IMPORT} f, require_gpu\n@require_gpu\ndef test_a():\n    f(torch.ones(2, device='cuda:1'))",
    f"{IMPORT} f, require_gpu\n@require_gpu\ndef test_a():\n    torch.cuda.synchronize()",
    f"{IMPORT} f, require_gpu, require_cuda\n@require_gpu\n@require_cuda\n{BODY}",
]


@pytest.mark.parametrize("text", KEPT)
def test_a_gate_of_the_project_stays_where_something_needs_cuda(text: str) -> None:
    assert fixed(CODE, f"{HEADED}{text}\n", target=PROJECT) == f"{HEADED}{text}\n"


ASKED = ConfiguredCall("torch.cuda.is_available", "has_device()", "from project import has_device")
TORCHS = PROJECT.replace(calls=(ASKED,))
CUDA = "torch.cuda.is_available()"
OPENED = [
    (f"@unittest.skipIf(not {CUDA}, 'needs CUDA')", "@unittest.skipIf(not has_device(), 'needs accelerator')"),
    (f"@unittest.skipUnless({CUDA}, 'x')", "@unittest.skipUnless(has_device(), 'x')"),
    ("@unittest.skipIf(torch_device != 'cuda', 'x')", "@unittest.skipIf(torch_device == 'cpu', 'x')"),
    ("@unittest.skipUnless(torch_device == 'cuda', 'x')", "@unittest.skipUnless(torch_device != 'cpu', 'x')"),
]


@pytest.mark.parametrize(("before", "after"), OPENED)
def test_skips_of_torch_and_of_the_device_open_with_the_target_project(before: str, after: str) -> None:
    head = "import unittest\nimport torch\nfrom project import f, {}torch_device\n"
    text = head.format("") + f"{before}\n{BODY}\n"
    imported = head.format("has_device, " if "has_device" in after else "")
    assert fixed(CODE, text, target=TORCHS) == f"{imported}{after}\n{MOVED}\n"
    kept = text.replace("f(torch", "f(torch.cuda.ipc_collect(), torch")
    assert fixed(CODE, kept, target=TORCHS) == kept


def test_a_question_for_cuda_changes_only_with_what_it_decides_over() -> None:
    text = f"import torch\nfrom project import torch_device\nif {CUDA}:\n    kernel()\n"
    assert found("DEV507", text, TORCHS) == ()


def test_torch_stays_optional_in_a_module_of_tests() -> None:
    text = f"from lib import has_torch\nif has_torch():\n    import torch\n{IMPORT} {{}}\n@{{}}\n{{}}\n"
    before = text.format("f, require_gpu", "require_gpu", BODY)
    assert fixed(CODE, before, target=PROJECT) == text.format(
        "f, require_accelerator, torch_device", "require_accelerator", MOVED
    )
    assert fixed(CODE, before, target=ACCELERATOR) == before


def test_a_gate_of_the_project_with_the_target_accelerator() -> None:
    text = f"{HEADED}{IMPORT} f, require_gpu\n@require_gpu\n{BODY}\n"
    device = "device = torch.accelerator.current_accelerator() if torch.accelerator.is_available()"
    assert fixed(CODE, text, target=ACCELERATOR) == (
        f'{HEADED}{IMPORT} f, require_accelerator\n\n{device} else torch.device("cpu")\n\n@require_accelerator\n'
        + MOVED.replace("torch_device", "device")
        + "\n"
    )


def test_a_gate_with_any_name_is_a_test_for_cuda_where_the_target_is_cuda() -> None:
    gates = (ConfiguredGate("heavy", "light"),)
    text = "import torch\nfrom project import heavy, x\n@heavy\ndef test_a():\n    x.cuda()\n"
    assert [one.location.row for one in found("DEV101", text)] == [5]
    assert found("DEV101", text, Target(gates=gates)) == ()
    assert fixed(CODE, text, target=Target(gates=gates)) == text


def test_it_is_off_by_default() -> None:
    assert not rule(CODE).default
