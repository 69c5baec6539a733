"""Options that are numbers are cards, whatever they are called, and no devices."""

from __future__ import annotations

import pytest

from devlint import fix

HEAD = "import argparse\nimport torch\n\nparser = argparse.ArgumentParser()\n{}\nargs = parser.parse_args()\n{}\n"
LIST = 'parser.add_argument("--device", type=int, nargs="+", default={})'
ONE = 'parser.add_argument("--device", type=int, default=0)'
FIRST = "d = args.device[0] if {} else args.device\nx = y.cuda(d)"
CARD = 'torch.device("cuda", {}) if torch.cuda.is_available() else'
TESTS = ["type(args.device) is list", "isinstance(args.device, list)", "isinstance(args.device, (list, tuple))"]


def fixed(option: str, use: str) -> str:
    return fix(HEAD.format(option, use), isolated=True, select=["DEV101", "DEV106"]).text


@pytest.mark.parametrize("default", ["0", "[0]", "None", "[0, 1]"])
@pytest.mark.parametrize("test", TESTS)
def test_the_first_of_several_cards(test: str, default: str) -> None:
    assert CARD.format("d") in fixed(LIST.format(default), FIRST.format(test))
    assert CARD.format("args.device[0]") in fixed(LIST.format(default), "x = y.cuda(args.device[0])")


@pytest.mark.parametrize(
    ("option", "use"),
    [
        (LIST.format('"cuda"'), FIRST.format(TESTS[0])),
        (LIST.format("0").replace("type=int, ", ""), FIRST.format(TESTS[0])),
        (LIST.format("0"), FIRST.format("args.several")),
        (LIST.format("0"), FIRST.format(TESTS[0]).replace("else args.device", "else args.other")),
        (LIST.format("0"), f"args.device = find()\n{FIRST.format(TESTS[0])}"),
    ],
)
def test_what_may_be_no_number(option: str, use: str) -> None:
    text = fixed(option, use)
    assert CARD.format("d") not in text
    assert "y.cuda(d)" in text


def test_a_number_is_no_device() -> None:
    use = "device = args.device\nx = y.cuda() + torch.ones(2, device=device)"
    assert "x = y.to(torch_device)" in fixed(ONE, use)
    assert "x = y.to(device)" in fixed(ONE.replace("int", "str").replace("0", "'cuda'"), use)
    assert "y.to(device)" not in fixed(LIST.format("0"), f"device = 1\n{FIRST.format(TESTS[0])}\nx = y.cuda()")


def test_a_name_that_is_a_number() -> None:
    assert CARD.format("where") in fixed("", "def f(x, where: int):\n    return x.cuda(where)")
    assert "x.cuda(where)" in fixed("", "def f(x, where):\n    return x.cuda(where)")
    assert 'device("cuda", where)' not in fixed("", "where = None\nx = y.cuda(where)")
