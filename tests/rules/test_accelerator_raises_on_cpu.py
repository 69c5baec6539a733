from __future__ import annotations

import pytest

from devlint.core.target import Target
from tests.support.rule_cases import check, fixed, found, places

CODE = "DEV703"

SILENT = [
    "torch.accelerator.is_available()",
    "n = torch.accelerator.device_count()",
    "d = torch.accelerator.current_accelerator()",
    "torch.cuda.synchronize()",
    "accelerator = Accelerator()\naccelerator.synchronize()",
    "f = torch.accelerator.synchronize",
    "torch.accelerator.manual_seed(1)",
    "if torch.accelerator.is_available():\n    torch.accelerator.synchronize()",
    "if torch.cuda.is_available():\n    torch.accelerator.synchronize()",
    "if device.type != 'cpu':\n    torch.accelerator.synchronize()",
    "if torch.accelerator.current_accelerator() is not None:\n    torch.accelerator.synchronize()",
    "def f():\n    if not torch.accelerator.is_available():\n        return\n    torch.accelerator.synchronize()",
    "n = torch.accelerator.memory_allocated() if torch.accelerator.is_available() else 0",
    "@pytest.mark.skipif(not torch.accelerator.is_available(), reason='x')\ndef test():\n    torch.accelerator.synchronize()",
    "@require_torch_accelerator\ndef test():\n    torch.accelerator.synchronize()",
    "try:\n    torch.accelerator.empty_cache()\nexcept RuntimeError:\n    pass",
    "with contextlib.suppress(Exception):\n    torch.accelerator.empty_cache()",
    "torch.accelerator.device_index(1)",
    "with torch.accelerator.device_index(None):\n    pass",
    "if torch.accelerator.is_available():\n    with torch.accelerator.device_index(1):\n        pass",
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"import torch\n{text}\n") == ()


USED = [
    "peak = torch.accelerator.max_memory_allocated()",
    "print(torch.accelerator.memory_allocated() / 1e9)",
    "def f():\n    return torch.accelerator.current_device_index()",
    "wait = lambda: torch.accelerator.synchronize()",
    "torch.accelerator.current_stream().synchronize()",
    "with torch.accelerator.device_index(rank):\n    pass",
    "free, total = torch.accelerator.get_memory_info(0)",
    "ready and torch.accelerator.synchronize()",
    "torch.accelerator.set_device_index(rank := 1)",
    "if x: \\\n  torch.accelerator.synchronize()",
]


@pytest.mark.parametrize("text", USED)
def test_no_fix_where_the_value_is_used(text: str) -> None:
    assert [kind for _, kind in places(CODE, f"import torch\n{text}\n")] == ["none"]


IF = "if torch.accelerator.is_available():"
FIXED = [
    ("torch.accelerator.synchronize()", f"{IF}\n    torch.accelerator.synchronize()"),
    ("torch.accelerator.synchronize(device)  # wait", f"{IF}\n    torch.accelerator.synchronize(device)  # wait"),
    ("torch.accelerator.set_device_index(\n    rank\n)", f"{IF}\n    torch.accelerator.set_device_index(\n        rank\n    )"),
    ("torch.accelerator.memory.empty_cache()", f"{IF}\n    torch.accelerator.memory.empty_cache()"),
    ("x = 1; torch.accelerator.synchronize(); y = 2", f"x = 1\n{IF}\n    torch.accelerator.synchronize()\ny = 2"),
    ("if x: torch.accelerator.empty_cache()", f"if x:\n    {IF}\n        torch.accelerator.empty_cache()"),
    ("def f():\n\ttorch.accelerator.synchronize()", f"def f():\n\t{IF}\n\t\ttorch.accelerator.synchronize()"),
    ("with x:\n    torch.accelerator.synchronize()", f"with x:\n    {IF}\n        torch.accelerator.synchronize()"),
    ("torch.accelerator.set_stream(s)\ny = 2", f"{IF}\n    torch.accelerator.set_stream(s)\ny = 2"),
    ("if hasattr(torch, 'accelerator'):\n    torch.accelerator.empty_cache()", f"if hasattr(torch, 'accelerator') and {IF.removeprefix('if ')}\n    torch.accelerator.empty_cache()"),
    ("try:\n    torch.accelerator.empty_cache()\nexcept AttributeError:\n    pass", f"try:\n    {IF}\n        torch.accelerator.empty_cache()\nexcept AttributeError:\n    pass"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), FIXED)
@pytest.mark.parametrize(
    "target", [Target(), Target("accelerator", torch_min_version=(2, 6)), Target("project", "get()")]
)
def test_a_statement_goes_under_a_test(before: str, after: str, target: Target) -> None:
    check(CODE, f"import torch\n{before}\n", f"import torch\n{after}\n", "safe", target=target)


def test_neighbours_share_the_test() -> None:
    before = """
        import torch

        def clean():
            gc.collect()
            torch.accelerator.synchronize()
            # give it back
            torch.accelerator.empty_cache()
            gc.collect()
    """
    after = """
        import torch

        def clean():
            gc.collect()
            if torch.accelerator.is_available():
                torch.accelerator.synchronize()
                # give it back
                torch.accelerator.empty_cache()
            gc.collect()
    """
    check(CODE, before, after, "safe", "safe")


OTHER_NAMES = [
    ("import torch as th", "th.accelerator.synchronize()", "if th.accelerator.is_available():"),
    ("from torch import accelerator as ta", "ta.synchronize()", "if ta.is_available():"),
    ("import torch\nfrom torch.accelerator import synchronize", "synchronize()", IF),
]


@pytest.mark.parametrize(("line", "call", "test"), OTHER_NAMES)
def test_other_names(line: str, call: str, test: str) -> None:
    check(CODE, f"{line}\n{call}\n", f"{line}\n{test}\n    {call}\n", "safe")


def test_torch_is_imported_where_it_has_no_name() -> None:
    before = "from torch.accelerator import synchronize as wait\nwait()\n"
    assert fixed(CODE, before) == f"import torch\nfrom torch.accelerator import synchronize as wait\n{IF}\n    wait()\n"


def test_what_it_says() -> None:
    (finding,) = found(CODE, "import torch\ntorch.accelerator.synchronize(0)\n")
    assert finding.message == "`torch.accelerator.synchronize` raises RuntimeError where there is no accelerator"
    assert finding.fix is not None
    assert finding.fix.message == "Put it under `if torch.accelerator.is_available():`"


def test_crlf() -> None:
    before = "import torch\r\ntorch.accelerator.synchronize()\r\n"
    assert fixed(CODE, before) == f"import torch\r\n{IF}\r\n    torch.accelerator.synchronize()\r\n"


def test_a_suppressed_neighbour_stays_where_it_is() -> None:
    text = "import torch\ntorch.accelerator.synchronize()\ntorch.accelerator.empty_cache()  # noqa: DEV703\n"
    assert fixed(CODE, text) == text
