"""What mocks are given, and what tests pretend by them."""

from __future__ import annotations

import pytest

from devlint.analysis.names.mocks import is_mock, pretends_cuda
from tests.support.questions import asked

MOCKS = [
    ("Mock(ask('cuda'))", True),
    ("MagicMock(device=ask('cuda'))", True),
    ("mock.Mock(device=ask('cuda'))", True),
    ("mocker.patch('a', ask('cuda'))", True),
    ("monkeypatch.setattr(a, 'b', ask('cuda'))", True),
    ("patch.object(a, 'b', ask('cuda'))", True),
    ("Model(ask('cuda'))", False),
    ("patches(ask('cuda'))", False),
    ("fake_tensor.device = ask('cuda')", True),
    ("mock_x = ask('cuda')", True),
    ("stubs = ask('cuda')", True),
    ("x.fakes.device = ask('cuda')", True),
    ("tensor.device = ask('cuda')", False),
    ("fakery = ask('cuda')", False),
    ("x.return_value = ask('cuda')", True),
    ("x.value.side_effect = ask('cuda')", True),
    ("x.value = ask('cuda')", False),
    ("x = Mock()\nx.device = ask('cuda')", True),
    ("x = Mock()\nx.a.device = ask('cuda')", True),
    ("x = Model()\nx.device = ask('cuda')", False),
    ("x = Mock()\nx = Model()\nx.device = ask('cuda')", False),
    ("f().device = ask('cuda')", False),
    ("a = mocked = ask('cuda')", True),
    ("assert ask('cuda')", False),
]
PRETENDS = [
    ("def f():\n    patch('torch.cuda.is_available')\n    ask(x)", True),
    ("def f():\n    with patch('a.gpu_count'):\n        ask(x)", True),
    ("def f():\n    patch('os.path')\n    ask(x)", False),
    ("def f():\n    g('torch.cuda.is_available')\n    ask(x)", False),
    ("def f(monkeypatch):\n    monkeypatch.setattr(torch.cuda, 'is_available', g)\n    ask(x)", True),
    ("patch('torch.cuda.is_available')\nask(x)", False),
    ("def g():\n    patch('torch.cuda.is_available')\ndef f():\n    ask(x)", False),
]


@pytest.mark.parametrize(("text", "expected"), MOCKS)
def test_is_mock(text: str, expected: bool) -> None:
    ctx, inner = asked(text)
    call = ctx.tree.parent(ctx.tree.parent(inner))  # type: ignore[arg-type]
    assert is_mock(ctx, call) is expected  # type: ignore[arg-type]


@pytest.mark.parametrize(("text", "expected"), PRETENDS)
def test_pretends_cuda(text: str, expected: bool) -> None:
    assert pretends_cuda(*asked(text)) is expected
