from __future__ import annotations

import pytest

from devlint.core.target import Target
from tests.support.rule_cases import check, found, places

CODE = "DEV204"
HEAD = "import torch\ndevice = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
FLOAT = "torch.set_default_dtype(torch.float32)"
PLACE = "torch.set_default_device(device)"

DEFAULTS = [
    ("torch.set_default_tensor_type('torch.cuda.FloatTensor')", f"{FLOAT}\n{PLACE}"),
    ("torch.set_default_tensor_type(torch.cuda.FloatTensor)", f"{FLOAT}\n{PLACE}"),
    (
        "torch.set_default_tensor_type(torch.cuda.DoubleTensor)",
        f"torch.set_default_dtype(torch.float64)\n{PLACE}",
    ),
    ("torch.set_default_tensor_type('torch.cuda.FloatTensor')  # gpu", f"{FLOAT}\n{PLACE}  # gpu"),
    ("a = 1; torch.set_default_tensor_type('torch.cuda.FloatTensor'); b = 2", f"a = 1; {FLOAT}; {PLACE}; b = 2"),
    ("if x: torch.set_default_tensor_type('torch.cuda.FloatTensor')", f"if x: {FLOAT}; {PLACE}"),
    (
        "torch.set_default_tensor_type(  # one\n    'torch.cuda.FloatTensor',  # two\n)",
        f"torch.set_default_dtype(  # one\n    torch.float32,  # two\n)\n{PLACE}",
    ),
    (
        "def f():\n\ttorch.set_default_tensor_type('torch.cuda.FloatTensor')",
        f"def f():\n\t{FLOAT}\n\t{PLACE}",
    ),
    (
        "torch.set_default_tensor_type(torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor)",
        f"{FLOAT}\n{PLACE}",
    ),
]
ACCELERATOR = Target("accelerator", torch_min_version=(2, 6))
IF = "if torch.cuda.is_available() else"
CHOICES = [
    ("'torch.cuda.FloatTensor'", f"'torch.cuda.FloatTensor' {IF} 'torch.FloatTensor'"),
    ('"torch.cuda.DoubleTensor"', f'"torch.cuda.DoubleTensor" {IF} "torch.DoubleTensor"'),
    ("torch.cuda.HalfTensor", f"torch.cuda.HalfTensor {IF} torch.HalfTensor"),
    (
        "  # one\n    torch.cuda.FloatTensor,  # two\n",
        f"  # one\n    torch.cuda.FloatTensor {IF} torch.FloatTensor,  # two\n",
    ),
    ("t=torch.cuda.FloatTensor", f"t=torch.cuda.FloatTensor {IF} torch.FloatTensor"),
]
LEFT = [
    "y = torch.set_default_tensor_type('torch.cuda.FloatTensor')",
    "f(torch.set_default_tensor_type(torch.cuda.FloatTensor))",
    "torch.set_default_tensor_type('torch.cuda.LongTensor')",
    "torch.set_default_tensor_type(torch.cuda.sparse.FloatTensor)",
    "torch.set_default_tensor_type(torch.cuda.HalfTensor if x else torch.FloatTensor)",
]
SILENT = [
    "torch.set_default_tensor_type('torch.FloatTensor')",
    "torch.set_default_tensor_type(torch.DoubleTensor)",
    "torch.set_default_tensor_type(kind)",
    "set_default_tensor_type('torch.cuda.FloatTensor')",
]


@pytest.mark.parametrize(("before", "after"), CHOICES)
def test_the_type_is_chosen(before: str, after: str) -> None:
    text = "import torch\n\ndef main():\n    torch.set_default_tensor_type({})\n"
    check(CODE, text.format(before), text.format(after), "safe")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("torch.set_default_tensor_type('torch.cuda.FloatTensor')", "unsafe"),
        ("if __name__ == '__main__':\n    torch.set_default_tensor_type('torch.cuda.FloatTensor')", "safe"),
        ("def f():\n    torch.set_default_tensor_type('torch.cuda.FloatTensor')", "safe"),
    ],
)
def test_what_asks_when_a_library_is_imported(text: str, kind: str) -> None:
    assert [one for _, one in places(CODE, f"import torch\n{text}\n")] == [kind]


@pytest.mark.parametrize(("before", "after"), DEFAULTS)
def test_dtype_and_device_are_set_apart_for_any_accelerator(before: str, after: str) -> None:
    check(CODE, HEAD + before + "\n", HEAD + after + "\n", "unsafe", target=ACCELERATOR)


@pytest.mark.parametrize("text", LEFT)
def test_no_fix(text: str) -> None:
    assert {kind for _, kind in places(CODE, HEAD + text + "\n", ACCELERATOR)} == {"none"}


@pytest.mark.parametrize("kind", ["'torch.cuda.LongTensor'", "torch.cuda.sparse.FloatTensor"])
def test_what_cannot_be_the_default(kind: str) -> None:
    assert places(CODE, f"{HEAD}torch.set_default_tensor_type({kind})\n") == [(3, "none")]


@pytest.mark.parametrize("text", SILENT)
def test_nothing_found(text: str) -> None:
    assert not found(CODE, HEAD + text + "\n")


GUARDED = [
    "if torch.cuda.is_available():\n    torch.set_default_tensor_type('torch.cuda.FloatTensor')",
    "if args.cuda:\n    torch.set_default_tensor_type(torch.cuda.FloatTensor)\nelse:\n    torch.set_default_tensor_type('torch.FloatTensor')",
    "def f():\n    torch.set_default_tensor_type('torch.cuda.FloatTensor')\nif torch.cuda.is_available():\n    f()",
    f"torch.set_default_tensor_type(torch.cuda.FloatTensor {IF} torch.FloatTensor)",
]


@pytest.mark.parametrize("text", GUARDED)
def test_under_a_test_for_cuda_nothing_fails(text: str) -> None:
    assert found(CODE, f"import torch\nargs = parser.parse_args()\n{text}\n") == ()
    assert len(found(CODE, f"import torch\nargs = parser.parse_args()\n{text}\n", ACCELERATOR)) == 1


def test_before_torch_2_there_is_no_default_device() -> None:
    text = f"{HEAD}torch.set_default_tensor_type('torch.cuda.FloatTensor')\n"
    assert places(CODE, text, Target("accelerator", torch_min_version=(1, 13))) == [(3, "none")]
