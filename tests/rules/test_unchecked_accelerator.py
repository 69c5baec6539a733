from __future__ import annotations

import pytest

from devlint.core.target import Target
from tests.support.rule_cases import check, fixed, found, places

CODE = "DEV702"
CALL = "torch.accelerator.current_accelerator()"
TEST = "torch.accelerator.is_available()"
TYPE = f'{CALL}.type if {TEST} else "cpu"'
DEVICE = f'{CALL} if {TEST} else torch.device("cpu")'

SILENT = [
    f"if {TEST}:\n    n = 1\nelse:\n    raise RuntimeError\n{CALL}.type",
    f"if not {TEST}:\n    raise RuntimeError\nelse:\n    n = 1\n{CALL}.type",
    CALL,
    f"acc = {CALL}",
    f"acc = {CALL}\nprint(acc)",
    f"print(f'device: {{{CALL}}}')",
    f"f({CALL})",
    f"{CALL} == other",
    f"{CALL} is None",
    f"device = {DEVICE}\ndevice.type",
    f"device = {CALL} or torch.device('cpu')\ndevice.type",
    f"if {TEST}:\n    device = {CALL}\n    device.type",
    f"if hasattr(torch, 'accelerator') and {TEST}:\n    x.to({CALL})",
    f"use = args.accel and {TEST}\nif use:\n    x.to({CALL})",
    f"acc = {CALL}\nif acc is not None:\n    x.to(acc)",
    f"acc = {CALL}\nkind = acc.type if acc else 'cpu'",
    f"acc = {CALL}\nassert acc is not None\nacc.type",
    f"acc = {CALL}\nif acc is None or acc.type == 'mps':\n    f()",
    f"acc = {CALL}\nif not {TEST}:\n    acc = torch.device('cpu')\nacc.type",
    f"acc = {CALL}\nif {TEST}:\n    acc.type",
    f"kind = acc.type if (acc := {CALL}) else 'cpu'",
    f"def f():\n    if not {TEST}:\n        return\n    return {CALL}.type",
    f"try:\n    kind = {CALL}.type\nexcept AttributeError:\n    kind = 'cpu'",
    f"@pytest.mark.skipif(not {TEST}, reason='x')\ndef test():\n    x.to({CALL})",
    f"def f() -> Optional[torch.device]:\n    return {CALL}",
    f"def f():\n    return {CALL}",
    "accelerator.current_accelerator().type",
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"import torch\n{text}\n") == ()


FIXED = [
    (f"kind = {CALL}.type", f"kind = {TYPE}"),
    (f"f({CALL}.type, 1)", f"f({TYPE}, 1)"),
    (f"device = torch.device({CALL}.type)", f"device = torch.device({TYPE})"),
    (f"kind = {CALL}.type if new else 'cuda'", f"kind = ({TYPE}) if new else 'cuda'"),
    (f"module = getattr(torch, {CALL}.type)", f"module = getattr(torch, {TYPE})"),
    (f"index = {CALL}.index", f"index = ({DEVICE}).index"),
    (f"x = x.to({CALL})", f"x = x.to({DEVICE})"),
    (f"x = torch.ones(2, device={CALL})", f"x = torch.ones(2, device={DEVICE})"),
    (f"d = torch.device({CALL})", f"d = torch.device({DEVICE})"),
    (f'd = f"{{{CALL}}}:{{rank}}"', f"d = f\"{{{DEVICE}}}:{{rank}}\"".replace('device("cpu")', "device('cpu')")),
    (f"acc = {CALL}\nd = torch.device(f'{{acc}}:{{rank}}')", f"acc = {DEVICE}\nd = torch.device(f'{{acc}}:{{rank}}')"),
    (f"device = {CALL}\nx.to(device)\ny.to(device)", f"device = {DEVICE}\nx.to(device)\ny.to(device)"),
    (f"class A:\n    def __init__(self):\n        self.acc = {CALL}\n        self.kind = self.acc.type", f"class A:\n    def __init__(self):\n        self.acc = {DEVICE}\n        self.kind = self.acc.type"),
    ("kind = (\n    torch.accelerator  # which\n    .current_accelerator()\n    .type\n)", f'kind = (\n    torch.accelerator  # which\n    .current_accelerator()\n    .type if {TEST} else "cpu"\n)'),
    (f"x = [*({CALL}.type)]", f"x = [*({TYPE})]"),
    ("kind = torch.accelerator.current_accelerator(check_available=True).type", 'kind = torch.accelerator.current_accelerator(check_available=True).type if torch.accelerator.is_available() else "cpu"'),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), FIXED)
@pytest.mark.parametrize(
    "target", [Target(), Target("accelerator", torch_min_version=(2, 6)), Target("project", "get()")]
)
def test_fixed(before: str, after: str, target: Target) -> None:
    check(CODE, f"import torch\nprint()\n{before}\n", f"import torch\nprint()\n{after}\n", "safe", target=target)


UNSAFE = [
    (
        f"print()\ndevice = {CALL}\nx.to(device)\nsend(device)",
        f"print()\ndevice = {DEVICE}\nx.to(device)\nsend(device)",
    ),
    (f"def f() -> torch.device:\n    return {CALL}", f"def f() -> torch.device:\n    return {DEVICE}"),
    (f"KIND = {CALL}.type\ndef f(): pass", f"KIND = {TYPE}\ndef f(): pass"),
]


@pytest.mark.parametrize(("before", "after"), UNSAFE)
def test_unsafe(before: str, after: str) -> None:
    check(CODE, f"import torch\n{before}\n", f"import torch\n{after}\n", "unsafe")


def test_no_fix_where_the_statement_needs_an_accelerator_anyway() -> None:
    text = f"import torch\nd = torch.device({CALL}.type, torch.accelerator.current_device_index())\n"
    assert places(CODE, text) == [(2, "none")]


def test_other_names() -> None:
    head = "from torch import accelerator as ta\nprint()\n"
    after = 'kind = ta.current_accelerator().type if ta.is_available() else "cpu"\n'
    assert fixed(CODE, f"{head}kind = ta.current_accelerator().type\n") == f"{head}{after}"
    head = "import torch as th\nprint()\n"
    after = 'x.to(th.accelerator.current_accelerator() if th.accelerator.is_available() else th.device("cpu"))\n'
    assert fixed(CODE, f"{head}x.to(th.accelerator.current_accelerator())\n") == f"{head}{after}"


def test_what_it_says() -> None:
    (finding,) = found(CODE, f"import torch\nprint({CALL}.type)\n")
    assert finding.message == f"`{CALL}` may be None: nothing asks for an accelerator"
    assert (finding.location.column, finding.end_location.column) == (7, 7 + len(CALL))


def test_a_test_for_an_old_torch_goes_where_no_old_torch_is_supported() -> None:
    before = f'device = {CALL}.type if hasattr(torch, "accelerator") else "cuda"'
    target = Target("accelerator", torch_min_version=(2, 6))
    assert fixed(CODE, f"import torch\n{before}\n", target=target) == f"import torch\ndevice = {TYPE}\n"
    for kept in (Target(), Target("accelerator", torch_min_version=(2, 6), torch_min_is_guess=True)):
        after = f'device = ({TYPE}) if hasattr(torch, "accelerator") else "cuda"'
        assert fixed(CODE, f"import torch\n{before}\n", target=kept) == f"import torch\n{after}\n"
