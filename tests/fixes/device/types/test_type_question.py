"""What a test for CUDA by a device's type decides, and what it becomes where any accelerator is meant."""

from __future__ import annotations

import libcst as cst
import pytest

from devlint.analysis.devices.type_questions import type_question
from devlint.core.diagnostic import Fix
from devlint.core.target import Target
from devlint.engine.fixpoint import splice
from devlint.fixes.device.types.type_question import choice_of_type, decision, question_fix, type_fix
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext

ACCELERATOR = Target("accelerator", torch_min_version=(2, 6))
HEAD = "import torch\n"
CASES = [
    (
        "if device.type == 'cuda':\n    torch.cuda.synchronize()",
        'if device.type != "cpu":\n    torch.accelerator.synchronize()',
    ),
    (
        "if device.type == 'cuda':\n    torch.cuda.synchronize()\nelse:\n    x.cpu()",
        'if device.type != "cpu":\n    torch.accelerator.synchronize()\nelse:\n    x.cpu()',
    ),
    ("if device.type == 'cuda':\n    print('cuda')", "unknown"),
    ("if device.type == 'cuda':\n    model = flash_attn(x)", "unknown"),
    ("if device.type == 'cuda':\n    x = x.to(device)", "cuda"),
    ("if device.type == 'cuda':\n    x = x.cpu()", 'if device.type != "cpu":\n    x = x.cpu()'),
    ("if device.type == 'cuda':\n    x = 1", "unknown"),
    ("if device.type == 'cuda':\n    f(device)", "cuda"),
    ("if device.type == 'cuda':\n    f(device)\nelse:\n    g()", "unknown"),
    (
        "if device.type == 'cuda':\n    f(device.type)\nelse:\n    g()",
        'if device.type != "cpu":\n    f(device.type)\nelse:\n    g()',
    ),
    ("if device.type == 'cuda':\n    dtype = torch.float16\nelse:\n    dtype = torch.float32", "cuda"),
    ("if device.type == 'cuda':\n    dtype = torch.float16\nelse:\n    dtype = f()", "unknown"),
    ("if device.type == 'cuda':\n    torch.cuda.synchronize()\nelif a:\n    pass", "unknown"),
    ("if a:\n    pass\nelif device.type == 'cuda':\n    torch.cuda.synchronize()", "unknown"),
    (
        "if device.type != 'cuda':\n    x = x.cpu()\nelse:\n    torch.cuda.synchronize()",
        'if device.type == "cpu":\n    x = x.cpu()\nelse:\n    torch.accelerator.synchronize()',
    ),
    ("if device.type != 'cuda':\n    torch.cuda.synchronize()", "unknown"),
    (
        "if not device.type == 'cuda':\n    pass\nelse:\n    torch.cuda.synchronize()",
        'if not device.type != "cpu":\n    pass\nelse:\n    torch.accelerator.synchronize()',
    ),
    (
        "if not device.type != 'cuda':\n    torch.cuda.synchronize()",
        'if not device.type == "cpu":\n    torch.accelerator.synchronize()',
    ),
    (
        "if device.type == 'cuda' and a:\n    torch.cuda.synchronize()",
        'if device.type != "cpu" and a:\n    torch.accelerator.synchronize()',
    ),
    ("if device.type == 'cuda' or a:\n    torch.cuda.synchronize()", "unknown"),
    (
        "if device.type != 'cuda' or a:\n    pass\nelse:\n    torch.cuda.synchronize()",
        'if device.type == "cpu" or a:\n    pass\nelse:\n    torch.accelerator.synchronize()',
    ),
    (
        "torch.cuda.synchronize() if device.type == 'cuda' else None",
        'torch.accelerator.synchronize() if device.type != "cpu" else None',
    ),
    ("y = x.cuda() if device.type == 'cuda' else x", "unknown"),
    (
        "with torch.autocast(device.type) if device.type == 'cuda' else nullcontext():\n    pass",
        'with torch.autocast(device.type) if device.type != "cpu" else nullcontext():\n    pass',
    ),
    ("with torch.autocast(device.type) if device.type == 'cuda' else other():\n    pass", "unknown"),
    ("f(pin_memory=device.type == 'cuda')", 'f(pin_memory=device.type != "cpu")'),
    ("f(pin_memory=device.type != 'cuda')", "unknown"),
    ("f(other=device.type == 'cuda')", "unknown"),
    ("f(enabled=device.type == 'cuda')", 'f(enabled=device.type != "cpu")'),
    (
        "torch.cuda.amp.GradScaler(enabled=device.type == 'cuda')",
        'torch.cuda.amp.GradScaler(enabled=device.type != "cpu")',
    ),
    ("f('cuda', enabled=device.type == 'cuda')", "unknown"),
    ("f(device.type == 'cuda')", "unknown"),
    ("pin = device.type == 'cuda'", 'pin = device.type != "cpu"'),
    ("pin_memory = device.type == 'cuda'", 'pin_memory = device.type != "cpu"'),
    ("self.pin_memory = device.type == 'cuda'", 'self.pin_memory = device.type != "cpu"'),
    ("use_cuda = device.type == 'cuda'", "unknown"),
    ("pin = other = device.type == 'cuda'", "unknown"),
    ("return_ = device.type != 'cuda'", "unknown"),
    ("d = 'cuda' if device.type == 'cuda' else 'cpu'", "d = device.type"),
    ("d = 'cpu' if device.type != 'cuda' else 'cuda'", "d = device.type"),
    ("d = 'cuda' if device == 'cuda' else 'cpu'", "d = torch.device(device).type"),
    ("d = 'cuda' if str(device) == 'cuda' else 'cpu'", "d = torch.device(device).type"),
    ("d = 'cpu' if device.type == 'cuda' else 'cuda'", "unknown"),
    ("d = 'cuda' if 'cuda' in device.type else 'cpu'", "d = device.type"),
    ("d = 'cuda' if x.is_cuda else 'cpu'", "d = x.device.type"),
    ("if device == 'cuda':\n    torch.cuda.synchronize()", 'if device != "cpu":\n    torch.accelerator.synchronize()'),
    ("if device == 'cuda':\n    x = torch.ones(2, device='cuda:1')", "unknown"),
    (
        "if device.startswith('cuda'):\n    torch.cuda.synchronize()",
        'if not device.startswith("cpu"):\n    torch.accelerator.synchronize()',
    ),
    ("if not device.startswith('cuda'):\n    pass\nelse:\n    torch.cuda.synchronize()", "none"),
    (
        "if device.type in ('cuda', 'hip'):\n    torch.cuda.synchronize()",
        'if device.type != "cpu":\n    torch.accelerator.synchronize()',
    ),
    (
        "if 'cuda' in str(device):\n    torch.cuda.synchronize()",
        'if "cpu" not in str(device):\n    torch.accelerator.synchronize()',
    ),
    ("if x.is_cuda:\n    torch.cuda.synchronize()", 'if x.device.type != "cpu":\n    torch.accelerator.synchronize()'),
    ("if x.is_cuda:\n    y = y.cuda()", "unknown"),
    ("if x.is_cuda:\n    y = y.cuda()\nelse:\n    y = y.mps()", "unknown"),
    ("import torch_xla\nxla = 1\nif device.type == 'cuda':\n    torch.cuda.synchronize()", "unknown"),
    ("if device.type == 'cuda':\n    torch.cuda.ipc_collect()", "unknown"),
    ("if device.type == 'cuda':\n    torch.cuda.manual_seed_all(1)", "unknown"),
    ("if device.type == 'cuda':\n    torch.cuda.reset_peak_memory_stats()", "unknown"),
    ("if device.type == 'cuda':\n    n = torch.cuda.max_memory_allocated()", "unknown"),
    ("if device.type == 'cuda':\n    n = torch.cuda.max_memory_allocated(device)", "unknown"),
    ("if device.type == 'cuda':\n    torch.backends.cudnn.benchmark = True", "unknown"),
    (
        "if device.type == 'cuda':\n    x = torch.ones(2, device='cuda')",
        'if device.type != "cpu":\n    x = torch.ones(2, device=torch.accelerator.current_accelerator())',
    ),
    ("if device.type == 'cuda':\n    x = 'mps'", "unknown"),
    (
        "if device.type == 'cuda':\n    torch.accelerator.synchronize()",
        'if device.type != "cpu":\n    torch.accelerator.synchronize()',
    ),
    (
        "if device.type == 'cuda':\n    kernel_size = 1\n    torch.cuda.synchronize()",
        'if device.type != "cpu":\n    kernel_size = 1\n    torch.accelerator.synchronize()',
    ),
    ("if device.type == 'cuda':\n    kernel = 1\n    torch.cuda.synchronize()", "unknown"),
    ("while device.type == 'cuda':\n    torch.cuda.synchronize()", "unknown"),
    ("if device.type == 'cuda':\n    e = torch.cuda.synchronize", "unknown"),
    (
        "from torch.cuda import synchronize\nif device.type == 'cuda':\n    synchronize()",
        'from torch.cuda import synchronize\nif device.type != "cpu":\n    torch.accelerator.synchronize()',
    ),
]
"""Programs, and what they become; ``cuda`` where CUDA alone is meant, ``unknown`` where nobody can tell."""


def fixed(ctx: FileContext, fix: Fix | None) -> str:
    if fix is None:
        return "none"
    assert fix.message and not fix.is_safe
    return splice(ctx.source.text, fix.edits).removeprefix(HEAD).rstrip()


def said(text: str) -> str:
    ctx = FileContext(Source.from_text("case.py", f"{HEAD}{text}\n"), ACCELERATOR)
    nodes = ctx.tree.of_types((cst.Comparison, cst.Call, cst.Attribute))
    asked = (type_question(ctx, one) for one in nodes if isinstance(one, cst.BaseExpression))
    question = next(one for one in asked if one is not None)
    choice = choice_of_type(ctx, question)
    if choice is not None:
        return fixed(ctx, type_fix(ctx, choice, question))
    decided = decision(ctx, question)
    if decided is None or not decided.is_for_any:
        return "unknown" if decided is None else "cuda"
    return fixed(ctx, question_fix(ctx, question, decided))


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_what_a_question_decides(text: str, expected: str) -> None:
    assert said(text) == expected
