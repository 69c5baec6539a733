"""Devices that tests only describe to code whose parts they replaced."""

from __future__ import annotations

import pytest

from devlint.analysis.cuda.described_devices import is_described
from tests.support.questions import asked

CASES = [
    ("def test_a(monkeypatch):\n    f(ask('cuda'))", True),
    ("def test_a(mocker):\n    x.device = ask('cuda')", True),
    ("def test_a():\n    q = SimpleNamespace(device=ask('cuda'))", True),
    ("def test_a():\n    m = Mock()\n    f(m, ask('cuda'))", True),
    ("def test_a():\n    with patch('a.b'):\n        f(ask('cuda'))", True),
    (
        "def make(device=ask('cuda')):\n    x = Recipe.__new__(Recipe)\n    x.d = torch.device(device)\ndef test_a(): make()",
        True,
    ),
    ("def test_a(monkeypatch):\n    f(torch.zeros(3, device='cpu'), ask('cuda'))", True),
    ("def test_a(monkeypatch):\n    f(x.to(torch.float16), ask('cuda'))", True),
    ("def test_a(monkeypatch):\n    f(x.to('cpu'), ask('cuda'))", True),
    ("def test_a(monkeypatch):\n    f(x.to(torch.device('cpu')), ask('cuda'))", True),
    ("def test_a(monkeypatch):\n    f(own(device=d), ask('cuda'))", True),
    ("def make(): return dict(d=ask('cuda'))\ndef test_a(monkeypatch): f(make())", True),
    ("def make(): return dict(d=ask('cuda'))\ndef test_a(monkeypatch): f(make())\ndef test_b(): f(make())", False),
    ("def make(): return dict(d=ask('cuda'))\ndef test_a(monkeypatch): x.to(make())", False),
    ("class T:\n    def test_a(self):\n        d = ask('cuda')\n        self.assertEqual(f(d), 'nccl')", True),
    ("def test_a():\n    d = ask('cuda')\n    assert f(d) == 'nccl'", True),
    (
        "class T:\n    def test_a(self):\n        d = ask('cuda')\n        x = f(d)\n        self.assertNotEqual(x.device, d)",
        True,
    ),
    ("def test_a():\n    d = ask('cuda')\n    assert f(d).device != d", True),
    ("def test_a():\n    d = ask('cuda')\n    assert f(d).device == d", False),
    ("def test_a():\n    d = ask('cuda')\n    assert f(x.to(d)) == 'nccl'", False),
    ("def start():\n    d = ask('cuda')\n    assert f(d) == 'nccl'", False),
    ("def test_a():\n    f(ask('cuda'))", False),
    ("def f(monkeypatch):\n    f(ask('cuda'))", False),
    ("def test_a(monkeypatch):\n    f(x.cuda(), ask('cuda'))", False),
    ("def test_a(monkeypatch):\n    d = ask('cuda')\n    f(x.to(d))", False),
    ("def test_a(monkeypatch):\n    d = ask('cuda')\n    f(torch.zeros(3, device=d))", False),
    ("def test_a(monkeypatch):\n    f(torch.zeros(3, device='cuda'), ask('cuda'))", False),
    ("def test_a(monkeypatch):\n    f(x.to(torch.device('cuda')), ask('cuda'))", False),
    ("def test_a(monkeypatch): pass\nf(ask('cuda'))", False),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_is_described(text: str, expected: bool) -> None:
    assert is_described(*asked(f"import torch\n{text}\n")) is expected
