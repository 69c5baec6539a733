"""Whether another branch names another device."""

from __future__ import annotations

import pytest

from devlint.analysis.cuda.device_alternatives import has_alternative
from tests.support.questions import asked

CASES = [
    ("if n:\n    ask('cuda')\nelse:\n    f('cpu')", True),
    ("if n:\n    ask('cuda')\nelse:\n    f('cuda:1')", False),
    ("if n:\n    ask('cuda')", False),
    ("if n:\n    ask('cuda')\nelif m:\n    f('mps')\nelse:\n    g()", True),
    ("if n:\n    f('cpu')\nelse:\n    ask('cuda')", True),
    ("if n:\n    ask('cuda')\nelse:\n    x.cpu()", True),
    ("if n:\n    ask('cuda')\nelse:\n    y = x.detach().cpu().numpy()", False),
    ("if n:\n    ask('cuda')\nelse:\n    y = x.cpu().view(-1).data.numpy()[0]", False),
    ("if n:\n    y = x.cpu().tolist()\nelse:\n    ask('cuda')", False),
    ("import numpy as np\nif n:\n    y = np.array(x.cpu())\nelse:\n    ask('cuda')", False),
    ("if n:\n    y = x.cpu().numpy()\n    x = x.cpu()\nelse:\n    ask('cuda')", True),
    ("if n:\n    y = f(x.cpu())\nelse:\n    ask('cuda')", True),
    ("if n:\n    y = f(ask('cuda'))\n    y = y.z.cpu()\nelse:\n    y = y.z.cpu()", False),
    ("if n:\n    y = f(ask('cuda'))\n    z = z.cpu()\nelse:\n    y = y.cpu()", True),
    ("if n:\n    y = f(ask('cuda')).cpu()\n    z = z.cpu()\nelse:\n    z = z.cpu()\n    f('cpu')", True),
    ("if n:\n    ask('cuda')\nelse:\n    x.cuda()", False),
    ("if n:\n    ask('cuda')\nelse:\n    x.cpu().cuda()", False),
    ("d = ask('cuda') if n else 'cpu'", True),
    ("d = ask('cuda') if n else 'cuda:1'", False),
    ("d = ask('cuda') if n else None", False),
    ("if n:\n    ask('cuda')\nelse:\n    f('xpu:1')", True),
    ("if n:\n    ask('cuda')\nelse:\n    f(b'cpu')", False),
    ("if n:\n    ask('cuda')\nelif m:\n    f('cuda')\nelse:\n    g('cpu')", True),
    ("if n:\n    return_ = 1\nask('cuda')", False),
    ("def f():\n    if n:\n        return 'cpu'\n    return ask('cuda')", False),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_has_alternative(text: str, expected: bool) -> None:
    assert has_alternative(*asked(f"import torch\n{text}")) is expected
