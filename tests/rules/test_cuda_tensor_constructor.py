from __future__ import annotations

import warnings
from typing import Any

import pytest

from devlint.analysis.legacy_types.tensor_types import DTYPES
from devlint.core.target import Target
from tests.support.rule_cases import check, fixed, found, places

CODE = "DEV201"
HEAD = "import numpy as np\nimport torch\ndevice = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
F32 = "dtype=torch.float32, device=device"
IF = "if torch.cuda.is_available():\n"

SIZES = [
    ("y = torch.cuda.FloatTensor()", f"y = torch.empty(0, {F32})"),
    ("y = torch.cuda.FloatTensor(3)", f"y = torch.empty(3, {F32})"),
    ("y = torch.cuda.FloatTensor(2, 3)", f"y = torch.empty(2, 3, {F32})"),
    ("y = torch.cuda.FloatTensor(a, b)", f"y = torch.empty(a, b, {F32})"),
    ("y = torch.cuda.FloatTensor(x.size(0), 1).fill_(0.0)", f"y = torch.empty(x.size(0), 1, {F32}).fill_(0.0)"),
    ("y = torch.cuda.FloatTensor(x.size())", f"y = torch.empty(x.size(), {F32})"),
    ("y = torch.cuda.FloatTensor(x.size(0)).normal_()", f"y = torch.empty(x.size(0), {F32}).normal_()"),
    ("y = torch.cuda.FloatTensor(x.size()[1:])", f"y = torch.empty(x.size()[1:], {F32})"),
    ("y = torch.cuda.FloatTensor(x.shape).zero_()", f"y = torch.empty(x.shape, {F32}).zero_()"),
    ("y = torch.cuda.FloatTensor(x.shape[0])", f"y = torch.empty(x.shape[0], {F32})"),
    ("y = torch.cuda.FloatTensor(torch.Size([2]))", f"y = torch.empty(torch.Size([2]), {F32})"),
    ("y = torch.cuda.FloatTensor(len(x) * 2 + 1)", f"y = torch.empty(len(x) * 2 + 1, {F32})"),
    ("y = torch.cuda.FloatTensor(int(x))", f"y = torch.empty(int(x), {F32})"),
    ("y = torch.cuda.FloatTensor(max(2, len(x)))", f"y = torch.empty(max(2, len(x)), {F32})"),
    ("y = torch.cuda.FloatTensor(4 ** 2)", f"y = torch.empty(4 ** 2, {F32})"),
    ("y = torch.cuda.FloatTensor(-(-5 // 2))", f"y = torch.empty(-(-5 // 2), {F32})"),
    ("y = torch.cuda.FloatTensor(2 if x else 3)", f"y = torch.empty(2 if x else 3, {F32})"),
    ("y = torch.cuda.FloatTensor(x.dim())", f"y = torch.empty(x.dim(), {F32})"),
    ("y = torch.cuda.FloatTensor(*x.shape)", f"y = torch.empty(*x.shape, {F32})"),
    ("y = torch.cuda.FloatTensor(*sizes)", f"y = torch.empty(*sizes, {F32})"),
    ("y = torch.cuda.FloatTensor(size=(2, n))", f"y = torch.empty(size=(2, n), {F32})"),
    ("y = torch.cuda.FloatTensor(n, *rest)", f"y = torch.empty(n, *rest, {F32})"),
    ("n = 5\ny = torch.cuda.FloatTensor(n)", f"n = 5\ny = torch.empty(n, {F32})"),
    ("n, m = x.size()\ny = torch.cuda.FloatTensor(m)", f"n, m = x.size()\ny = torch.empty(m, {F32})"),
    ("n = 5\nn += 1\ny = torch.cuda.FloatTensor(n)", f"n = 5\nn += 1\ny = torch.empty(n, {F32})"),
    ("y = [torch.cuda.FloatTensor(i) for i in range(3)]", f"y = [torch.empty(i, {F32}) for i in range(3)]"),
    (
        "def f(n: int):\n    return torch.cuda.FloatTensor(n)",
        f"def f(n: int):\n    return torch.empty(n, {F32})",
    ),
]
DATA = [
    ("y = torch.cuda.FloatTensor([1, 2])", f"y = torch.tensor([1, 2], {F32})"),
    ("y = torch.cuda.FloatTensor((1, 2))", f"y = torch.tensor((1, 2), {F32})"),
    ("y = torch.cuda.FloatTensor([])", f"y = torch.tensor([], {F32})"),
    ("y = torch.cuda.FloatTensor([[x[0], x[1]]])", f"y = torch.tensor([[x[0], x[1]]], {F32})"),
    ("y = torch.cuda.FloatTensor([i for i in x])", f"y = torch.tensor([i for i in x], {F32})"),
    ("y = torch.cuda.FloatTensor(range(3))", f"y = torch.tensor(range(3), {F32})"),
    ("y = torch.cuda.FloatTensor(list(x))", f"y = torch.tensor(list(x), {F32})"),
    ("y = torch.cuda.FloatTensor([0] * n)", f"y = torch.tensor([0] * n, {F32})"),
    ("y = torch.cuda.FloatTensor([n] + rest)", f"y = torch.tensor([n] + rest, {F32})"),
    ("y = torch.cuda.FloatTensor(np.ones((2, 3)))", f"y = torch.tensor(np.ones((2, 3)), {F32})"),
    (
        "y = torch.cuda.FloatTensor(np.random.normal(0, 1, (2, n)))",
        f"y = torch.tensor(np.random.normal(0, 1, (2, n)), {F32})",
    ),
    (
        "y = torch.cuda.FloatTensor(0.75 * np.random.rand(3))",
        f"y = torch.tensor(0.75 * np.random.rand(3), {F32})",
    ),
    (
        "y = torch.cuda.FloatTensor(np.random.randint(0, 9, n))",
        f"y = torch.tensor(np.random.randint(0, 9, n), {F32})",
    ),
    (
        "y = torch.cuda.FloatTensor(np.array([1, 2]).astype(np.float32))",
        f"y = torch.tensor(np.array([1, 2]).astype(np.float32), {F32})",
    ),
    ("a = [1, 2]\ny = torch.cuda.FloatTensor(a)", f"a = [1, 2]\ny = torch.tensor(a, {F32})"),
    ("a = [1]\na = torch.cuda.FloatTensor(a)", f"a = [1]\na = torch.tensor(a, {F32})"),
]
BRANCHES = [
    (
        f"{IF}    y = torch.cuda.FloatTensor([1])\nelse:\n    y = torch.FloatTensor([1])",
        f"y = torch.tensor([1], {F32})",
    ),
    (
        f"{IF}    y = torch.cuda.FloatTensor([1])\nelse:\n    y = torch.FloatTensor([2])",
        f"{IF}    y = torch.tensor([1], {F32})\nelse:\n    y = torch.FloatTensor([2])",
    ),
]
EITHER = [
    "x.shape",
    "np.array(n)",
    "np.prod(x)",
    "np.random.randint(5)",
    "x.tolist()",
    "x.cpu().numpy()",
    "args.count",
    "3.0 if x else None",
]
UNKNOWN = ["x", "f(x)", "x[0]", "self.mean", "*x", "x * 2", "2 * x", "lists.pop()"]
LEFT = [
    "FLOATS = (torch.FloatTensor, torch.cuda.FloatTensor)\ny = [x.type(one) for one in FLOATS]",
    "y = torch.cuda.FloatTensor(data=[2])",
    "y = torch.cuda.sparse.FloatTensor(size=(2, 3))",
    "y = torch.cuda.FloatTensor(**k)",
    "y = torch.cuda.FloatTensor(x, device='cuda:1')",
    "y = map(torch.cuda.FloatTensor, x)",
    "y = {torch.cuda.FloatTensor: 1}",
    "def f(kind=torch.cuda.FloatTensor): pass",
    "y = torch.cuda.sparse.FloatTensor(n, m)",
    "y = torch.cuda.sparse.FloatTensor()",
    "y = torch.cuda.sparse.FloatTensor(i, v)",
    "y = torch.cuda.sparse.FloatTensor(a, b, c)",
    "y = (torch.cuda.FloatTensor if use_cuda else torch.DoubleTensor)(3)",
    "def take(n):\n    x = torch.cuda.FloatTensor(256, n)",
    "def take(n):\n    x = torch.cuda.FloatTensor(256, n)\n    del x",
]
SILENT = [
    "FLOATS = (torch.FloatTensor, torch.cuda.FloatTensor)\ny = isinstance(x, FLOATS)",
    "T = {'f': (torch.FloatTensor, torch.cuda.FloatTensor)}\ny = isinstance(x, (int, *T['f'])) or isinstance(x, T['f'])",
    "y = torch.FloatTensor(2, 3)",
    "y = 'torch.cuda.FloatTensor(2, 3)'",
    "# torch.cuda.FloatTensor(2, 3)",
    "def f(x: torch.cuda.FloatTensor) -> torch.cuda.FloatTensor: pass",
    "y: torch.cuda.FloatTensor = x",
    "from typing import Union\nFloats = Union[torch.FloatTensor, torch.cuda.FloatTensor]",
    "torch.cuda.FloatTensor = torch.xpu.FloatTensor",
    "import cupy as torch\ny = torch.cuda.FloatTensor(2)",
    "from numba import cuda\ny = cuda.FloatTensor(2)",
    "import chainer\ny = chainer.cuda.FloatTensor(2)",
    "def f(torch):\n    return torch.cuda.FloatTensor(2)",
    "y = torch.cuda.FloatStorage(3)",
    "y = torch.cuda.is_available()",
]
HAZARDS = [
    (
        "y = torch.cuda.FloatTensor(\n    2,  # two\n    3,\n)  # end",
        "y = torch.empty(\n    2,  # two\n    3,\n    dtype=torch.float32,\n    device=device,\n)  # end",
    ),
    ("y = torch.cuda.FloatTensor(  # nothing\n)", f"y = torch.empty(0, {F32}  # nothing\n)"),
    ("y = (torch.cuda.FloatTensor)(2)", f"y = torch.empty(2, {F32})"),
    ("y = ((torch.cuda.FloatTensor(2)))", f"y = ((torch.empty(2, {F32})))"),
    ("y = torch.cuda.FloatTensor((2))", f"y = torch.empty((2), {F32})"),
    ("y = torch . cuda . FloatTensor (2)", f"y = torch.empty (2, {F32})"),
    (
        "y = torch.cuda.FloatTensor([torch.cuda.FloatTensor(1).item()])",
        f"y = torch.tensor([torch.empty(1, {F32}).item()], {F32})",
    ),
    ("if x: y = torch.cuda.FloatTensor(2)", f"if x: y = torch.empty(2, {F32})"),
    (
        "a = 1; y = torch.cuda.FloatTensor(2); b = torch.cuda.LongTensor(2);",
        f"a = 1; y = torch.empty(2, {F32}); b = torch.empty(2, dtype=torch.int64, device=device);",
    ),
    ("f = lambda n=2: torch.cuda.FloatTensor(3)", f"f = lambda n=2: torch.empty(3, {F32})"),
    ("def f(y=torch.cuda.FloatTensor(2)): pass", f"def f(y=torch.empty(2, {F32})): pass"),
    ("y = f'{torch.cuda.FloatTensor(2)}'", f"y = f'{{torch.empty(2, {F32})}}'"),
    ("y = g(*a, torch.cuda.FloatTensor(2), **k)", f"y = g(*a, torch.empty(2, {F32}), **k)"),
    ("y = -torch.cuda.FloatTensor(2) ** 2", f"y = -torch.empty(2, {F32}) ** 2"),
]


@pytest.mark.parametrize(("before", "after"), BRANCHES)
def test_a_test_goes_whose_branches_are_the_same(before: str, after: str) -> None:
    check(CODE, HEAD + before + "\n", HEAD + after + "\n", "safe")


@pytest.mark.parametrize(("before", "after"), [*SIZES, *DATA, *HAZARDS])
def test_sizes_and_data(before: str, after: str) -> None:
    check(CODE, HEAD + before + "\n", HEAD + after + "\n")
    assert {kind for _, kind in places(CODE, HEAD + before + "\n")} == {"safe"}


@pytest.mark.parametrize("argument", EITHER)
def test_what_is_no_tensor_keeps_its_overload(argument: str) -> None:
    head = f"import argparse\n{HEAD}args = argparse.ArgumentParser().parse_args()\n"
    before, after = f"torch.cuda.FloatTensor({argument})", f"torch.FloatTensor({argument}).to(device)"
    check(CODE, f"{head}y = {before}.sum()\n", f"{head}y = {after}.sum()\n", "safe")


@pytest.mark.parametrize("argument", UNKNOWN)
def test_what_may_be_a_tensor_is_unsafe(argument: str) -> None:
    before, after = f"torch.cuda.FloatTensor({argument})", f"torch.FloatTensor({argument}).to(device)"
    check(CODE, f"{HEAD}y = {before}\n", f"{HEAD}y = {after}\n", "unsafe")


GIVEN_BACK = [
    ("def f(x: torch.Tensor):\n    return rows[torch.cuda.LongTensor(x.data)]", "rows[x.data]"),
    ("def f(x: torch.Tensor):\n    return table(torch.cuda.LongTensor(x[0])) * 2", "table(x[0]) * 2"),
    ("x = torch.ones(3).cuda()\ny = 2 * torch.cuda.FloatTensor(x)", "y = 2 * x"),
    (
        "def f(n):\n    if n:\n        x = n[0]\n        x = torch.from_numpy(x)\n"
        "    return rows[torch.cuda.LongTensor(x)] if n else n",
        "rows[x] if n else n",
    ),
]
KEPT = [
    ("x", "return torch.cuda.LongTensor(x)"),
    ("x", "y = torch.cuda.LongTensor(x)\n    return y"),
    ("x", "torch.cuda.LongTensor(x).requires_grad_()"),
    ("-x", "return rows[torch.cuda.LongTensor(-x)]"),
]


@pytest.mark.parametrize(("before", "after"), GIVEN_BACK)
def test_a_tensor_stands_for_the_call_that_gives_it_back(before: str, after: str) -> None:
    assert after in fixed(CODE, HEAD + before + "\n")
    assert {kind for _, kind in places(CODE, HEAD + before + "\n")} == {"safe"}


@pytest.mark.parametrize(("argument", "line"), KEPT)
def test_a_tensor_that_is_kept_is_another_one(argument: str, line: str) -> None:
    text = f"{HEAD}def f(x: torch.Tensor):\n    {line}\n"
    before, after = f"torch.cuda.LongTensor({argument})", f"torch.LongTensor({argument}).to(device)"
    check(CODE, text, text.replace(before, after), "unsafe")


def test_what_is_overwritten_at_once_is_no_tensor() -> None:
    before, after = "torch.cuda.FloatTensor(x).fill_(1)", "torch.FloatTensor(x).to(device).fill_(1)"
    check(CODE, f"{HEAD}y = {before}\n", f"{HEAD}y = {after}\n", "safe")


ABOVE = "def f(self):\n    for i in range(4):\n        a = torch.zeros(4, self.m){}\n        b = torch.cuda.FloatTensor(self.{})\n        yield a, b"


@pytest.mark.parametrize(
    ("between", "name", "is_safe"),
    [
        ("", "m", True),
        ("\n        c = torch.cuda.LongTensor(self.n, 3)", "m", True),
        ("\n        c = torch.cuda.LongTensor(self.n, 3)", "n", True),
        ("", "n", False),
        ("\n        self.m = torch.zeros(4, 3)", "m", False),
        ("\n        self = torch.zeros(4, 3)", "m", False),
        ("\n        self.begin()", "m", False),
        (".cuda()", "m", False),
        ("\n        c = torch.cuda.LongTensor(self.next(), 3)", "m", False),
    ],
)
def test_what_is_one_of_several_sizes_right_above(between: str, name: str, is_safe: bool) -> None:
    text = HEAD + ABOVE.format(between, name)
    assert (f"b = torch.empty(self.{name}, {F32})" in fixed(CODE, text)) is is_safe


def test_what_a_function_returns_is_read() -> None:
    before = "def take(n):\n    x = torch.cuda.FloatTensor(2, n)\n    return x"
    check(CODE, HEAD + before, HEAD + before.replace("cuda.FloatTensor(2, n)", f"empty(2, n, {F32})"), "safe")


@pytest.mark.parametrize("before", LEFT)
def test_no_fix(before: str) -> None:
    assert {kind for _, kind in places(CODE, HEAD + before + "\n")} == {"none"}


@pytest.mark.parametrize("text", SILENT)
def test_nothing_found(text: str) -> None:
    assert not found(CODE, HEAD + text + "\n")


@pytest.mark.parametrize(("name", "dtype"), DTYPES.items())
def test_every_type(name: str, dtype: str) -> None:
    before, after = f"torch.cuda.{name}([1])", f"torch.tensor([1], dtype=torch.{dtype}, device=device)"
    check(CODE, f"{HEAD}y = {before}\n", f"{HEAD}y = {after}\n", "safe")


def test_sparse_types_take_device_and_dtype_from_the_values() -> None:
    before = "y = torch.cuda.sparse.FloatTensor(i, v, torch.Size([2, 3]))\nz = torch.cuda.sparse.LongTensor(i, v, y.size())\n"
    after = "y = torch.sparse_coo_tensor(i, v, torch.Size([2, 3]))\nz = torch.sparse_coo_tensor(i, v, y.size())\n"
    check(CODE, "import torch\n" + before, "import torch\n" + after, "safe", "safe")


def test_sparse_types_of_sizes_alone() -> None:
    before, after = "torch.cuda.sparse.FloatTensor(2, 3)", f"torch.sparse_coo_tensor((2, 3), {F32})"
    check(CODE, f"{HEAD}y = {before}\n", f"{HEAD}y = {after}\n", "safe")
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch says to use the new form
        old = torch.sparse.FloatTensor(2, 3)
        new = torch.sparse_coo_tensor((2, 3), dtype=torch.float32, device="cpu")
    assert (old.shape, old.dtype, old.layout) == (new.shape, new.dtype, new.layout)


@pytest.mark.parametrize(("before", "after"), [*SIZES, *DATA])
def test_the_new_form_means_the_same_on_the_cpu(before: str, after: str) -> None:
    torch = pytest.importorskip("torch")
    old = run(before.replace("torch.cuda.", "torch."))
    new = run(after)
    assert [(one.dtype, one.shape, one.device) for one in old] == [(one.dtype, one.shape, one.device) for one in new]
    if "torch.tensor(" in after and "random" not in after:
        assert all(torch.equal(one, other) for one, other in zip(old, new))


def run(text: str) -> list[Any]:
    """What ``y`` is, or the function returns, with the first ``x`` that suits."""
    import numpy as np
    import torch

    for x in (torch.arange(6.0).reshape(2, 3), torch.tensor([3.0, 4.0]), torch.tensor(3), True):
        names = {
            "np": np,
            "torch": torch,
            "x": x,
            "n": 4,
            "a": 2,
            "b": 3,
            "rest": [1],
            "sizes": [2, 3],
            "device": "cpu",
        }
        try:
            exec(text, names)
        except (TypeError, ValueError, IndexError, AttributeError, RuntimeError):
            continue
        made = names["y"] if "y" in names else names["f"](2) if "f" in names else names["a"]
        return made if isinstance(made, list) else [made]
    pytest.fail(f"nothing suits {text}")


def test_a_device_of_its_own_stays() -> None:
    before = "y = torch.cuda.FloatTensor([1.0], device=x.device)\n"
    after = "y = torch.tensor([1.0], device=x.device, dtype=torch.float32)\n"
    check(CODE, "import torch\n" + before, "import torch\n" + after, "safe")


@pytest.mark.parametrize(
    ("imports", "torch", "written"),
    [
        ("import torch as t", "t", "t.cuda.FloatTensor"),
        ("import torch\nfrom torch import cuda", "torch", "cuda.FloatTensor"),
        ("import torch\nimport torch.cuda as tc", "torch", "tc.FloatTensor"),
        ("import torch.cuda", "torch", "torch.cuda.FloatTensor"),
    ],
)
def test_imports(imports: str, torch: str, written: str) -> None:
    head = f"{imports}\n\ndevice = {torch}.device('cuda' if {torch}.cuda.is_available() else 'cpu')\n"
    after = f"{torch}.empty(2, dtype={torch}.float32, device=device)"
    check(CODE, f"{head}y = {written}(2)\n", f"{head}y = {after}\n", "safe")


def test_torch_is_imported_where_it_has_no_name() -> None:
    check(
        CODE,
        "from torch import cuda\n\n\ndef f():\n    return cuda.FloatTensor(2)\n",
        """
        import torch
        from torch import cuda


        def f():
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            return torch.empty(2, dtype=torch.float32, device=device)
        """,
    )


def test_a_choice_in_place_keeps_its_condition() -> None:
    before = "y = (torch.cuda.FloatTensor if gpu_ids else torch.FloatTensor)(3)\n"
    after = 'y = torch.empty(3, dtype=torch.float32, device=device if gpu_ids else "cpu")\n'
    check(CODE, HEAD + before, HEAD + after, "safe")


def test_a_choice_by_a_tensor_takes_its_device() -> None:
    before = "def f(x):\n    return (torch.cuda.FloatTensor if x.is_cuda else torch.FloatTensor)(3)\n"
    after = "def f(x):\n    return torch.empty(3, dtype=torch.float32, device=x.device)\n"
    check(CODE, "import torch\n" + before, "import torch\n" + after, "safe")


def test_guarded_code_is_fixed_in_place() -> None:
    before = """
        import torch
        use_cuda = torch.cuda.is_available()
        x = torch.FloatTensor(3)
        if use_cuda:
            x = torch.cuda.FloatTensor(3)
    """
    after = """
        import torch
        use_cuda = torch.cuda.is_available()
        device = torch.device("cuda" if use_cuda else "cpu")
        x = torch.FloatTensor(3)
        if use_cuda:
            x = torch.empty(3, dtype=torch.float32, device=device)
    """
    check(CODE, before, after, "safe")


def test_crlf() -> None:
    before = "import torch\r\n\r\n\r\ndef f():\r\n    return torch.cuda.FloatTensor(2)\r\n"
    assert "\n" not in fixed(CODE, before).replace("\r\n", "")


KERNEL = """import torch
import sampling_cuda
from sampling_cuda import sample


def run(f, points, n):
    {}
    out = torch.cuda.FloatTensor(n, 3)
    {}
    return out
"""
KERNELS = [
    ("assert points.is_contiguous()", "sampling_cuda.sample(points, n, out)"),
    ("assert points.is_cuda", "sample(n, points, out)"),
    ("assert points.is_contiguous() and points.is_cuda", "sample(n, points, out)"),
    ("points = points.contiguous()", "sampling_cuda.sample(points, n, out)"),
    ("pass", "sampling_cuda.sample(points.contiguous(), n, out)"),
]
NO_KERNELS = [
    ("pass", "sampling_cuda.sample(points, n, out)"),
    ("assert points.is_contiguous()", "f(points, n, out)"),
    ("assert points.is_contiguous()", "points.sample(points, n, out)"),
    ("assert points.is_contiguous()", "sampling_cuda.sample(n, out)"),
    ("assert points.is_contiguous()", "if n:\n        sampling_cuda.sample(points, n, out)"),
]


@pytest.mark.parametrize(("above", "call"), KERNELS)
def test_memory_that_a_kernel_reads_beside_it(above: str, call: str) -> None:
    assert "torch.empty(n, 3, dtype=torch.float32, device=points.device)" in fixed(CODE, KERNEL.format(above, call))


@pytest.mark.parametrize(("above", "call"), NO_KERNELS)
def test_what_may_be_elsewhere_than_a_kernels_memory(above: str, call: str) -> None:
    assert "torch.empty(n, 3, dtype=torch.float32, device=device)" in fixed(CODE, KERNEL.format(above, call))


def test_a_branch_for_a_tensor_on_cuda_that_has_another_for_the_cpu_stays() -> None:
    text = """
        import torch

        def pad(x, n):
            if x.is_cuda:
                with torch.cuda.device(x.get_device()):
                    y = torch.cuda.FloatTensor(n, n).fill_(0)
            else:
                y = torch.zeros(n, n)
            return x * y
    """
    check(CODE, text, text, "none")
    assert "device=x.device" in fixed(CODE, text.replace("else:", "if n:"))


SKIPPED = """\
import pytest
import torch


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
def test_kernel():
    LINES
"""


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("DEV201", "x = torch.cuda.LongTensor([1])\n    assert x.sum() == 1"),
        ("DEV202", "x = torch.ones(1).type(torch.cuda.LongTensor)\n    assert x.sum() == 1"),
        ("DEV205", "ids = torch.cuda.LongTensor\n    assert ids([1]).sum() == 1"),
    ],
)
def test_what_is_skipped_without_cuda_gains_nothing(code: str, lines: str) -> None:
    text = SKIPPED.replace("LINES", lines)
    assert fixed(code, text) == text
    assert fixed(code, text.replace("@pytest", "#")) != text
    assert fixed(code, text, target=Target("accelerator")) != text


@pytest.mark.parametrize("given", ["n", "", "0"])
def test_a_range_into_a_new_tensor(given: str) -> None:
    text = "import torch\n\n\ndef mask(x, device: torch.device, n=None):\n    return torch.arange(0, n, {}) < x\n"
    after = text.format("dtype=torch.int64, device=device")
    check(CODE, text.format(f"out=torch.cuda.LongTensor({given})"), after, "safe")


@pytest.mark.parametrize(
    "rest", ["out=torch.cuda.LongTensor(m())", "out=torch.cuda.LongTensor(n), requires_grad=False"]
)
def test_a_range_that_needs_its_tensor(rest: str) -> None:
    text = f"import torch\n\n\ndef mask(x, m, n=None):\n    return torch.arange(0, n, {rest}) < x\n"
    assert "torch.arange(0, n, out=" in fixed(CODE, text)
