from __future__ import annotations

import pytest

from tests.support.rule_cases import found, places

CODE = "DEV509"
MISSING = "if not torch.cuda.is_available():\n    "

SILENT = [
    # It goes on, or says so, or ends quietly.
    f"{MISSING}print('no CUDA')",
    f"def main():\n    {MISSING}    return\n    net.cuda()\nmain()",
    "if torch.cuda.is_available():\n    raise RuntimeError('not on a GPU')",
    "if not torch.cuda.is_available() and strict:\n    raise RuntimeError()",
    "device = 'cuda' if torch.cuda.is_available() else 'cpu'",
    "assert torch.cuda.is_available() or small",
    f"{MISSING}pytest.skip('no CUDA')\n    raise AssertionError",
    "if torch.cuda.device_count() < 2:\n    print('one card')",
    "if torch.cuda.device_count() > 8:\n    raise ValueError('too many')",
    "if torch.cuda.device_count() > 1:\n    n = 2\nelse:\n    n = 1",
    # A function that somebody may call or not.
    f"def on_gpu(x):\n    {MISSING}    raise RuntimeError()\n    return x.cuda()\nprint(1)",
    "class A:\n    def f(self):\n        assert torch.cuda.is_available()\nprint(A())",
    # Only who asks for CUDA.
    f"if args.device == 'cuda':\n    {MISSING}    raise RuntimeError()",
    f"if args.device in {{'cuda', 'both'}}:\n    {MISSING}    raise RuntimeError()",
    # Not torch's.
    "assert disk.is_available()",
    "from numba import cuda\nassert cuda.is_available()",
    # A test that is skipped, a program for kernels.
    f"import unittest\n{MISSING}raise unittest.SkipTest('no CUDA')",
    "import triton\nassert torch.cuda.is_available()",
    "from flash_attn import flash_attn_func\nassert torch.cuda.is_available()",
]
SCRIPT = "x = torch.ones(2)\nprint(x)\n"


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"import torch\n{text}\n{SCRIPT}") == ()


def test_a_module_that_is_imported() -> None:
    assert found(CODE, "import torch\n\n\ndef main():\n    assert torch.cuda.is_available()\n    return 1\n") == ()


STOPS = [
    "assert torch.cuda.is_available()",
    "assert torch.cuda.is_available(), 'CUDA is needed'",
    f"{MISSING}raise RuntimeError('CUDA is needed')",
    f"import sys\n{MISSING}print('CUDA is needed')\n    sys.exit(1)",
    f"{MISSING}exit()",
    "if not torch.cuda.is_available(): raise SystemExit",
    "def main():\n    assert torch.cuda.is_available()\nif __name__ == '__main__':\n    main()",
    "def check():\n    assert torch.cuda.is_available()\ncheck()",
    "assert torch.cuda.device_count() > 0",
    "assert torch.cuda.is_available() and len(names) > 0",
    f"{MISSING}print('CUDA is needed')\n    os._exit(1)",
    "if names is None or not torch.cuda.is_available():\n    raise RuntimeError('CUDA is needed')",
    "if torch.cuda.is_available():\n    n = 1\nelse:\n    raise RuntimeError('CUDA is needed')",
    "if torch.cuda.device_count() == 0:\n    raise RuntimeError('CUDA is needed')",
    "if torch.cuda.device_count() >= 2:\n    n = 2\nelif torch.cuda.device_count() == 1:\n    n = 1\n"
    "else:\n    raise ValueError('CUDA only')",
]


@pytest.mark.parametrize("text", STOPS)
def test_a_script_that_stops(text: str) -> None:
    assert [kind for _, kind in places(CODE, f"import torch\n{text}\n{SCRIPT}")] == ["none"]


def test_one_finding_in_a_program() -> None:
    text = f"import torch\nassert torch.cuda.is_available()\n{MISSING}raise RuntimeError()\n{SCRIPT}"
    assert places(CODE, text) == [(2, "none")]
