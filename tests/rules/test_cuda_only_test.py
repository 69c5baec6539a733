from __future__ import annotations

import pytest

from tests.support.rule_cases import found, rule

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


def test_it_is_off_by_default() -> None:
    assert not rule(CODE).default
