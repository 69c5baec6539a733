"""A parameter of a test that pytest gives several devices is not the device that ``x.cuda()`` means."""

from __future__ import annotations

import pytest

from tests.support.rule_cases import fixed

HEAD = "import pytest\nimport torch\n\n"
BODY = "    x = torch.ones(2)\n    net(torch.ones(2, device=device))\n    assert x.cuda().sum() == 2\n"
ANOTHER = [
    '@pytest.mark.parametrize("device", ["cpu", "cuda"])\ndef test_a(device):\n',
    '@pytest.mark.parametrize("device", devices())\ndef test_a(device):\n',
    '@pytest.mark.parametrize("device", [pytest.param("cpu"), pytest.param("cuda", marks=[])])\ndef test_a(device):\n',
    '@pytest.mark.parametrize("n, device", [(1, "cpu"), (2, "cuda")])\ndef test_a(n, device):\n',
    '@pytest.mark.parametrize("n,device", CASES)\ndef test_a(n, device):\n',
    '@pytest.mark.parametrize("device", ["cuda", "cuda:1"])\ndef test_a(device):\n',
    '@pytest.fixture(params=["cpu", "cuda"])\ndef device(request):\n    return request.param\n\n\ndef test_a(device):\n',
]
SAME = [
    '@pytest.mark.parametrize("device", ["cuda"])\ndef test_a(device):\n',
    '@pytest.mark.parametrize("n, device", [(1, "cuda"), (2, "cuda:0")])\ndef test_a(n, device):\n',
    '@pytest.mark.parametrize("n", [1, 2])\ndef test_a(n, device):\n',
    '@pytest.mark.parametrize("device", ["cpu", "cuda"])\ndef check(device):\n',
]


@pytest.mark.parametrize("head", ANOTHER)
def test_another_device(head: str) -> None:
    result = fixed("DEV101", HEAD + head + BODY)
    assert "x.to(torch_device).sum()" in result or "x.to(get_device()).sum()" in result


@pytest.mark.parametrize("head", SAME)
def test_the_same_device(head: str) -> None:
    assert "x.to(device).sum()" in fixed("DEV101", HEAD + head + BODY)


def test_a_class_of_tests() -> None:
    mark = '@pytest.mark.parametrize("device", ["cpu", "cuda"])\nclass TestA:\n    def test_a(self, device):\n'
    body = "".join(f"    {line}\n" for line in BODY.splitlines())
    assert "x.to(device)" not in fixed("DEV101", HEAD + mark + body)
