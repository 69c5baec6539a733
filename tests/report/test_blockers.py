"""What needs CUDA itself, and what only looks so."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from devlint.report.blockers import blockers_in, may_block
from devlint.report.model import BlockerKind


def found(text: str, path: str = "a.py") -> list[tuple[int, str, bool]]:
    blockers = blockers_in(path, ast.parse(text))
    assert not blockers or may_block(text)
    return [(one.row, one.detail, one.is_optional) for one in blockers]


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("import flash_attn", "imports `flash_attn`"),
        ("from flash_attn.flash_attn_interface import f", "imports `flash_attn`"),
        ("import apex.amp as amp", "imports `apex`"),
        ("from numba import cuda", "imports `numba.cuda`"),
        ("import quant_cuda", "imports `quant_cuda`"),
        ("import cupy\nf = cupy.RawKernel('', 'f')", "compiles a kernel by `cupy.RawKernel`"),
        (
            "from torch.utils.cpp_extension import load as l\nl(name='ops', sources=['a.cpp', 'b.cu'])",
            "compiles `ops` when it runs",
        ),
        (
            "import torch.utils.cpp_extension as e\ne.load_inline('ops', '', cuda_sources='')",
            "compiles `ops` when it runs",
        ),
        ("import triton\n@triton.jit\ndef f(): pass", "kernel `f`"),
        ("import triton as t\n@t.jit(x=1)\ndef f(): pass", "kernel `f`"),
        ("from numba import cuda\n@cuda.jit\ndef f(): pass", "kernel `f`"),
    ],
)
def test_what_needs_cuda(text: str, detail: str) -> None:
    assert (detail, False) in [one[1:] for one in found(text)]


@pytest.mark.parametrize(
    "text",
    [
        "import numba",
        "import tritonclient",
        "from .apex import x",
        "from torch.utils.cpp_extension import load, CppExtension\nload('a', ['a.cpp'])\nCppExtension('a', ['a.cpp'])",
        "def load(*a): pass\nload('a', ['a.cu'])",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import triton",
        "x = 'import triton'",
        "import jax\n@jax.jit\ndef f(): pass",
    ],
)
def test_what_does_not(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "is_optional"),
    [
        ("try:\n    import apex\nexcept ImportError:\n    apex = None", True),
        ("def f():\n    import apex", True),
        ("if fast:\n    import apex", True),
        ("if __name__ == '__main__':\n    import apex", False),
        ("class A:\n    import apex", False),
    ],
)
def test_what_a_file_does_without_is_optional(text: str, is_optional: bool) -> None:
    ((_, _, optional),) = found(text)
    assert optional is is_optional


def test_a_build_in_a_function_is_none_that_may_be_left_out() -> None:
    build = "from torch.utils.cpp_extension import CUDAExtension\n\n\ndef extensions():\n    return [CUDAExtension('a', ['a.cu', 'b.cu'])]\n"
    assert found(build) == [(5, "builds `a` from 2 CUDA files", False)]


def test_a_module_of_the_project_is_no_library(tmp_path: Path) -> None:
    tmp_path.joinpath("setup.py").write_text("")
    tmp_path.joinpath("gather_cuda.py").write_text("x = 1\n")
    assert found("import gather_cuda\nimport scatter_cuda", str(tmp_path / "a.py")) == [
        (2, "imports `scatter_cuda`", False)
    ]


def test_kernels_are_to_be_written_again_and_libraries_to_be_replaced() -> None:
    ported = {kind for kind in BlockerKind if kind.is_code_to_port}
    assert ported == {BlockerKind.KERNEL, BlockerKind.EXTENSION, BlockerKind.TRITON}
