"""A file that runs nowhere without CUDA's kernels: no rule asks for what would gain nothing there."""

from __future__ import annotations

from pathlib import Path

import pytest

import devlint
from devlint.core.target import Target
from tests.support.projects import fix_files, write_files
from tests.support.rule_cases import found

PLACED = """import torch
{head}

def f(x, y, use_cuda=torch.cuda.is_available(), device="cuda"):
    if use_cuda:
        y = y.cuda()
    torch.cuda.synchronize()
    return x.cuda() + torch.zeros(3, device="cuda") + torch.cuda.FloatTensor([1.0]) + y.to("cuda:1")
"""
NEEDED = [
    "import triton",
    "import triton.language as tl",
    "from flash_attn.utils.benchmark import benchmark_forward",
    "from flash_attn import flash_attn_func",
    "import pycuda.autoinit",
    "import tensorrt as trt",
    "from cuda import cudart",
    "import tinycudann as tcnn",
    "from diff_gaussian_rasterization import GaussianRasterizer",
    "from simple_knn._C import distCUDA2",
    "from mamba_ssm import Mamba",
    "import awq_ext",
    "import nvdiffrast.torch as dr",
    'import tvm\n\ndef build(s):\n    return tvm.build(s, [], target="cuda", target_host="llvm")',
]
NOT_NEEDED = [
    "try:\n    import triton\nexcept ImportError:\n    triton = None",
    "if torch.cuda.is_available():\n    from flash_attn import flash_attn_func",
    "def g():\n    import triton",
    "import tritonclient",
    "from . import triton",
    "import apex",
    'import tvm\n\ndef build(s):\n    return tvm.build(s, [], target="llvm")',
]


RULES = ["DEV101", "DEV102", "DEV104", "DEV105", "DEV106", "DEV201"]


@pytest.mark.parametrize("head", NEEDED)
def test_what_imports_kernels_is_left_alone(head: str) -> None:
    assert [code for code in RULES if found(code, PLACED.format(head=head))] == []


@pytest.mark.parametrize("head", NOT_NEEDED)
def test_what_does_without_kernels_is_not(head: str) -> None:
    assert [code for code in RULES if found(code, PLACED.format(head=head))] == RULES


LAZY = """import torch


def render(points):
    {}
    zeros = torch.zeros(3, device="cuda")
    return march(points.cuda(), zeros)


def other(points):
    return points.cuda()
"""
LAZILY = [
    ("from flash_attn import march", True),
    ("if 'march' not in globals():\n        from flash_attn import march", True),
    ("with torch.no_grad():\n        from flash_attn import march", True),
    ("if points.is_cuda:\n        from flash_attn import march", False),
    ("try:\n        from flash_attn import march\n    except ImportError:\n        march = None", False),
    ("from elsewhere import march", False),
]


@pytest.mark.parametrize(("line", "alone"), LAZILY)
def test_a_function_that_imports_kernels_itself_is_left_alone(line: str, alone: bool) -> None:
    text = LAZY.format(line)
    kept = [len(found(code, text)) for code in ("DEV101", "DEV102")]
    assert kept == ([1, 0] if alone else [2, 1])
    after = devlint.fix(text, isolated=True).text
    assert ("def get_device" in after) is not alone
    assert "return points.cuda()" not in after


LAUNCHED = """import torch
from elsewhere import HAS_TRITON

if HAS_TRITON:
    import triton


@triton.jit
def _kernel(x):
    pass


def run(rows):
    losses = torch.empty(rows, device="cuda")
    _kernel[(rows,)](losses)
    return losses


def other(rows):
    return table[rows](torch.empty(rows, device="cuda"))
"""


def test_a_function_that_starts_a_kernel_of_triton_is_left_alone() -> None:
    assert [one.location.row for one in found("DEV102", LAUNCHED)] == [20]


OF_NUMBA = """import torch
from numba import cuda


@cuda.jit{}
def add(x, y):
    pass


def run(x, n):
    y = torch.cuda.FloatTensor([n])
    add[32, n](cuda.as_cuda_array(x), cuda.as_cuda_array(y))
    return y


def other(x):
    return torch.cuda.FloatTensor([x])
"""


@pytest.mark.parametrize("mark", ["", "('void(float32[:], float32[:])')"])
def test_a_function_that_starts_a_kernel_of_numba_is_left_alone(mark: str) -> None:
    assert [one.location.row for one in found("DEV201", OF_NUMBA.format(mark))] == [17]


BRANCH = """import torch


class Backend:
    def __init__(self, weights, engine, device):
        if engine:
            import tensorrt as trt

            if device.type == "cpu":
                device = torch.device("cuda:0")
            self.runtime = trt.Runtime(device)
        else:
            self.net = load(weights).cuda()
"""


def test_a_branch_that_imports_kernels_itself_is_left_alone() -> None:
    assert [len(found(code, BRANCH)) for code in ("DEV103", "DEV101")] == [0, 1]


def test_other_accelerators_have_kernels_too() -> None:
    assert found("DEV102", PLACED.format(head=NEEDED[0]), Target("accelerator"))


SETUP = 'setup(ext_modules=[CUDAExtension(name="pkg.scan_kernel", sources=["scan.cu"])])\n'
WRAPPER = "import torch\nimport scan_kernel\n\ndef scan(x):\n    return scan_kernel.run(x)\n"
USE = "\nimport torch\n\ndef test_scan():\n    x = torch.ones(3).cuda()\n"
CHOSEN = """def extensions():
    extension = CppExtension
    if CUDA_HOME is not None:
        extension = CUDAExtension
    else:
        raise RuntimeError("no CUDA")
    return [extension("scan_kernel", ["scan.cpp"])]
"""
FOREIGN = """from torch.utils.ffi import create_extension

with_cuda = False
if torch.cuda.is_available():
    with_cuda = True
else:
    raise ValueError("no CUDA")
create_extension("_ext.flow_kernel", sources=["scan.c"], with_cuda=with_cuda)
"""
LAYERS = {
    "layers/ops.py": WRAPPER.replace("import scan", "from ._ext import flow").replace("scan_kernel.", "flow_kernel."),
    "layers/layer.py": "from .ops import scan\n\nclass Layer:\n    run = scan\n",
    "layers/build.py": FOREIGN,
}
INSTALLED = {
    "lib/pyproject.toml": "",
    "lib/src/quick/__init__.py": "from .scan import scan\n",
    "lib/src/quick/choice.py": "def get():\n    from .jit import scan\n\n    return scan\n",
    "lib/src/quick/scan.py": "from .jit import run\n\ndef scan(x):\n    return run(x)\n",
    "setup.py": "",
}
BUILT = {
    "own/__init__.py": "",
    "own/ops/__init__.py": "import torch\nimport own.ops._kernels as kernels\n\ndef scan(x):\n    return kernels.scan(x)\n",
    "own/ops/csrc/CMakeLists.txt": "project(_kernels LANGUAGES CUDA CXX)\npybind11_add_module(_kernels MODULE x.cu)\n",
    "own/ops/layout.py": "KINDS = 3\n",
    "own/model.py": "from own.ops import scan\n\ndef run(x):\n    return scan(x)\n",
}
MADE = {"Makefile": "SRC := scan.cu\nOUT := _C.so\n\n$(OUT): $(SRC)\n\tnvcc -shared -o $@ $^\n", "setup.py": ""}
FOR_CPU = "from torch.utils.cpp_extension import CppExtension\n" + SETUP.replace(
    "CUDAExtension", "CppExtension"
).replace("scan_kernel", "plain_scan")
RUN = "\ndef run(x):\n    return x\n"
LOADED = 'from torch.utils.cpp_extension import load\nscan = load(name="scan", sources=["scan.cpp", "scan.cu"])\n'


@pytest.mark.parametrize(
    ("head", "files"),
    [
        ("import scan_kernel", {}),
        ("from pkg.scan_kernel import run", {}),
        ("if True:\n    import scan_kernel\nelse:\n    scan_kernel = None", {}),
        ("from pkg.ops import scan", {"pkg/__init__.py": "", "pkg/ops.py": WRAPPER}),
        ("from pkg import scan, scan_reference", {"pkg/__init__.py": "from .ops import *", "pkg/ops.py": WRAPPER}),
        (
            "from pkg import ops\nops.scan(1)",
            {
                "pkg/__init__.py": "",
                "pkg/ops/__init__.py": "from pkg.ops.scan import scan\nfrom pkg.ops.plain import plain",
                "pkg/ops/scan.py": WRAPPER,
                "pkg/ops/plain.py": "def plain(x):\n    return x\n",
            },
        ),
        ("from ops import scan", {"ops.py": "import triton\nscan = triton.jit(None)\n", "setup.py": ""}),
        ("from _C import scan", MADE),
        ("import _C as kernels", MADE),
        ("from ops import scan", {**MADE, "ops.py": "from _C import scan\n"}),
        ("import plain_scan", {"lib/setup.py": FOR_CPU}),
        ("from ops import scan", {"ops.py": LOADED}),
        (LOADED, {"setup.py": ""}),
        (
            "from pkg.ops import scan",
            {
                "pkg/ops.py": "try:\n    import scan_kernel\nexcept ImportError:\n    from .backend import scan\n",
                "pkg/backend.py": LOADED,
            },
        ),
        ("from ops import scan", {"ops.py": WRAPPER, "setup.py": CHOSEN}),
        ("import quick", {**INSTALLED, "lib/src/quick/jit.py": LOADED + RUN}),
        (
            "from quick.scan import scan\nfrom quick.choice import get",
            {**INSTALLED, "lib/src/quick/jit.py": LOADED + RUN},
        ),
        (
            "from quick import scan",
            {**INSTALLED, "lib/setup.py": SETUP, "lib/src/quick/scan.py": WRAPPER},
        ),
        ("from own.ops import scan", BUILT),
        ("import own.ops", BUILT),
        ("from own.ops.layout import KINDS", BUILT),
        ("from own.model import run\nfrom own.ops import scan", BUILT),
        (
            "from own.ops import scan",
            {**BUILT, "own/ops/__init__.py": "from . import _kernels\nscan = _kernels.scan\n"},
        ),
        ("from layers.layer import Layer", LAYERS),
        ("from layers.ops import scan", {**LAYERS, "layers/build.py": FOREIGN.replace("cuda=with_cuda", "cuda=True")}),
        (
            "from layers.ops import scan",
            {**LAYERS, "layers/build.py": "with_cuda = True\n" + "\n".join(FOREIGN.splitlines()[-1:])},
        ),
        ("import fast_hadamard_transform", {}),
    ],
)
def test_what_runs_on_kernels_of_its_project_is_left_alone(tmp_path: Path, head: str, files: dict[str, str]) -> None:
    project = write_files(tmp_path / "p", {"setup.py": SETUP, "use.py": head + USE, **files})
    assert "use.py" not in fix_files(project)


@pytest.mark.parametrize(
    ("head", "files"),
    [
        ("import scan_kernel", {"setup.py": SETUP.replace("CUDAExtension", "CppExtension").replace(".cu", ".cpp")}),
        ("import plain_scan", {"lib/setup.py": FOR_CPU.replace(".cu", ".cpp")}),
        ("from _C import scan", {**MADE, "_C.py": "def scan(x):\n    return x\n"}),
        ("from _C import scan", {**MADE, "Makefile": MADE["Makefile"].replace(".cu", ".cpp")}),
        ("from _C import scan", {**MADE, "Makefile": MADE["Makefile"].replace("_C", "scan")}),
        ("try:\n    from _C import scan\nexcept ImportError:\n    scan = len", MADE),
        ("import scan_kernel", {"scan_kernel.py": "def run(x):\n    return x\n"}),
        ("import other_kernel", {}),
        ("try:\n    import scan_kernel\nexcept ImportError:\n    scan_kernel = None", {}),
        ("import torch.version\nif torch.version.cuda:\n    import scan_kernel", {}),
        ("from ops import scan", {"ops.py": "def scan(x):\n    import scan_kernel\n"}),
        ("from ops import scan", {"ops.py": LOADED.replace("scan.cu", "scan.c")}),
        (
            "from ops import scan",
            {"ops.py": WRAPPER, "setup.py": CHOSEN.replace('raise RuntimeError("no CUDA")', "pass")},
        ),
        (
            "import scan_kernel",
            {"setup.py": SETUP + SETUP.replace("CUDAExtension", "CppExtension").replace(".cu", ".cpp")},
        ),
        ("import quick", {**INSTALLED, "lib/src/quick/jit.py": RUN}),
        ("import quick", {**INSTALLED, "lib/src/quick/jit.py": LOADED + RUN.replace("return x", 'return x.to("cpu")')}),
        (
            "from quick.choice import get",
            {**INSTALLED, "lib/src/quick/jit.py": LOADED + RUN, "lib/src/quick/__init__.py": ""},
        ),
        ("from own.ops import scan", {**BUILT, "own/ops/_kernels.py": "def scan(x):\n    return x\n"}),
        ("from own.ops import scan", {**BUILT, "own/ops/csrc/CMakeLists.txt": "project(_kernels LANGUAGES CXX)\n"}),
        ("from own.ops import scan", {**BUILT, "own/ops/csrc/CMakeLists.txt": "project(others LANGUAGES CUDA)\n"}),
        ("import sys\nif sys.argv:\n    from own.ops import scan\nelse:\n    scan = len", BUILT),
        (
            "from layers.layer import Layer",
            {**LAYERS, "layers/build.py": FOREIGN.replace('raise ValueError("no CUDA")', 'print("no CUDA")')},
        ),
        (
            "from layers.layer import Layer",
            {**LAYERS, "layers/build.py": FOREIGN.replace("cuda=with_cuda", "cuda=False")},
        ),
        ("from flow_kernel import flow_kernel", {**LAYERS, "flow_kernel.py": "def flow_kernel(x):\n    return x\n"}),
    ],
)
def test_what_does_without_kernels_of_its_project_is_not(tmp_path: Path, head: str, files: dict[str, str]) -> None:
    project = write_files(tmp_path / "p", {"setup.py": SETUP, "use.py": head + USE, **files})
    assert "torch.ones(3).to(device)" in fix_files(project)["use.py"]


@pytest.mark.parametrize(
    ("head", "files"),
    [
        ("from ops import scan\nfrom tools import log", {"ops.py": WRAPPER, "tools.py": "def log():\n    pass\n"}),
        ("from own.model import run\nfrom tools import log", {**BUILT, "tools.py": "def log():\n    pass\n"}),
        ("from layers.layer import Layer\nfrom tools import log", {**LAYERS, "tools.py": "def log():\n    pass\n"}),
    ],
)
def test_what_also_imports_other_files_is_found_and_gets_no_safe_fix(
    tmp_path: Path, head: str, files: dict[str, str]
) -> None:
    project = write_files(tmp_path / "p", {"setup.py": SETUP, "use.py": head + USE, **files})
    assert "use.py" not in fix_files(project)
    assert "torch.ones(3).to(device)" in fix_files(project, unsafe=True)["use.py"]


def test_a_file_of_tests_that_one_of_its_imports_needs_a_kernel_for_is_left_alone(tmp_path: Path) -> None:
    files = {"ops.py": WRAPPER, "tools.py": "def log():\n    pass\n", "other.py": "from ops import scan\n"}
    tests = {
        "test_ops.py": "from tools import log\nfrom ops import scan",
        "test_other.py": "from tools import log\nfrom other import scan",
        "test_tools.py": "from tools import log",
        "test_tried.py": "from tools import log\ntry:\n    from ops import scan\nexcept ImportError:\n    scan = None",
    }
    written = {name: head + USE for name, head in tests.items()}
    project = write_files(tmp_path / "p", {"setup.py": SETUP, **files, **written})
    assert sorted(fix_files(project)) == ["test_tools.py", "test_tried.py"]


def test_a_file_whose_tests_import_nothing_but_kernels_themselves_is_left_alone(tmp_path: Path) -> None:
    files = {"ops.py": WRAPPER, "tools.py": "def log():\n    pass\n"}
    text = "import torch\ndef test_it():\n    from {} import {}\n    assert {}(torch.ones(3).cuda())\n"
    written = {"test_ops.py": text.format("ops", *["scan"] * 2), "test_tools.py": text.format("tools", *["log"] * 2)}
    project = write_files(tmp_path / "p", {"setup.py": SETUP, **files, **written})
    assert sorted(fix_files(project)) == ["test_tools.py"]


GATED = """import unittest, torch
try:
    import scan_kernel
    disabled = False
except ImportError:
    disabled = True

class TestScan(unittest.TestCase):
    def setUp(self):
        self.x = torch.ones(3).cuda()

    @unittest.skipIf(disabled, "no kernel")
    def test_scan(self):
        scan_kernel.run(self.x)
"""


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        (GATED, False),
        (GATED + "\n    def test_size(self):\n        self.x.size()\n", True),
        (GATED.replace("import scan_kernel", "import other_kernel"), True),
        (GATED.replace("skipIf(disabled", "skipIf(not unittest"), True),
    ],
)
def test_tests_that_are_all_skipped_without_a_kernel_are_left_alone(tmp_path: Path, text: str, fixed: bool) -> None:
    project = write_files(tmp_path / "p", {"setup.py": SETUP, "use.py": text})
    assert ("use.py" in fix_files(project)) is fixed
