from __future__ import annotations

from pathlib import Path

import pytest

import devlint
from devlint.core.target import Target
from devlint.sources.source import Source
from tests.support import engine
from tests.support.projects import fix_files, write_files
from tests.support.rule_cases import check, fixed, found, places, rule

CODE = "DEV501"
ACCELERATOR = Target("accelerator", torch_min_version=(2, 6))
NEW_ACCELERATOR = Target("accelerator", torch_min_version=(2, 10))
PROJECT = Target("project", "get_device()", "from lib import get_device")
TEST = "torch.cuda.is_available()"

SILENT = [
    "class A:\n    def replay_cuda(self):\n        torch.cuda.synchronize()\n    def run(self):\n"
    "        if self.replays_cuda_graph:\n            self.replay_cuda()",
    "match device.type:\n    case 'cuda':\n        torch.cuda.synchronize()",
    "try:\n    f()\nexcept torch.cuda.OutOfMemoryError:\n    torch.cuda.synchronize()",
    "try:\n    import transformer_engine as te\nexcept ImportError:\n    raise ImportError('x')\ntorch.cuda.synchronize()",
    "def ok():\n    return torch.cuda.is_available() and x\ndef f():\n    if ok():\n        torch.cuda.synchronize()",
    "torch.cuda.empty_cache()",
    "n = torch.cuda.device_count()",
    "torch.cuda.manual_seed_all(0); torch.cuda.manual_seed(0)",
    "torch.cuda.reset_peak_memory_stats",
    "torch.cuda.set_stream(s)",
    "torch.cpu.synchronize()",
    "synchronize()",
    "if torch.cuda.is_available():\n    torch.cuda.synchronize()",
    "if use_cuda:\n    torch.cuda.synchronize()",
    "if x.is_cuda:\n    torch.cuda.synchronize()",
    "if device.type == 'cuda':\n    torch.cuda.synchronize(device)",
    "if args.gpu is not None:\n    torch.cuda.set_device(args.gpu)",
    "if len(args.gpu_ids) > 0:\n    torch.cuda.set_device(args.gpu_ids[0])",
    "torch.cuda.is_available() and torch.cuda.synchronize()",
    "i = torch.cuda.current_device() if torch.cuda.is_available() else -1",
    "def f():\n    if not torch.cuda.is_available():\n        return\n    torch.cuda.synchronize()",
    "def f(x):\n    assert x.is_cuda\n    torch.cuda.synchronize()",
    "try:\n    torch.cuda.synchronize()\nexcept Exception:\n    pass",
    "try:\n    name = torch.cuda.get_device_name()\nexcept (RuntimeError, AssertionError):\n    name = 'cpu'",
    "try:\n    torch.cuda.synchronize()\nexcept:\n    pass",
    "try:\n    x = x.cuda()\n    torch.cuda.synchronize()\nexcept RuntimeError:\n    x = x.cpu()",
    "try:\n    x = x.cuda()\n    torch.cuda.synchronize()\nexcept RuntimeError as e:\n    if big:\n        print(e)",
    "try:\n    torch.cuda.synchronize()\n    x = f(x)\nexcept RuntimeError as e:\n    print(e)",
    "with contextlib.suppress(RuntimeError):\n    torch.cuda.synchronize()",
    "with torch.cuda.device(1):\n    torch.cuda.synchronize()",
    "with torch.cuda.stream(side):\n    work()\n    torch.cuda.synchronize()",
    "def sync_cuda():\n    torch.cuda.synchronize()",
    "class Batch:\n    def cuda(self, device=None):\n        return self.to(torch.cuda.current_device())",
    "def _move(self):\n    torch.cuda.synchronize()\nBatch.cuda = _move",
    "if torch.cuda.is_available():\n    n = 1\nelse:\n    raise RuntimeError\ntorch.cuda.synchronize()",
    "def f():\n    if torch.cuda.is_available():\n        n = 1\n    elif mps:\n        return\n    else:\n"
    "        raise RuntimeError\n    torch.cuda.synchronize()",
    "n = torch.cuda.device_count()\nif n > 1:\n    torch.cuda.set_device(1)",
    "n = get_num_gpus()\nif n == 1:\n    torch.cuda.set_device(0)",
    "class Base(TestCase):\n    def setUp(self):\n        if not torch.cuda.is_available():\n            self.skipTest('x')\n"
    "class T(Base):\n    def test(self):\n        torch.cuda.synchronize()",
    "@unittest.skipUnless(torch.cuda.is_available(), 'x')\nclass Base(TestCase): pass\n"
    "class T(Base):\n    def test(self):\n        torch.cuda.synchronize()",
    "class T:\n    @pytest.fixture(autouse=True)\n    def cards(self):\n        if not torch.cuda.is_available():\n"
    "            pytest.skip('x')\n    def test(self):\n        torch.cuda.synchronize()",
    "needs = pytest.mark.skipif(not torch.cuda.is_available(), reason='x')\n@needs\ndef test():\n"
    "    torch.cuda.synchronize()",
    "@RunIf(min_cuda_gpus=1)\ndef test():\n    torch.cuda.synchronize()",
    "@pytest.mark.parametrize('a', [pytest.param(1, marks=RunIf(min_cuda_gpus=1)),\n"
    "    pytest.param(2, marks=[RunIf(min_cuda_gpus=2)])])\ndef test(a):\n    torch.cuda.synchronize()",
    "@pytest.fixture\ndef cuda_count_1(monkeypatch):\n    monkeypatch.setattr('a.b', 1)\n"
    "def test(cuda_count_1):\n    torch.cuda.synchronize()",
    "@pytest.fixture\ndef cuda_count_1(monkeypatch):\n    monkeypatch.setattr('a.b', 1)\n"
    "@pytest.mark.usefixtures('cuda_count_1')\ndef test():\n    torch.cuda.synchronize()",
    "def cuda_time():\n    torch.cuda.synchronize()",
    "class CUDATimer:\n    def start(self):\n        torch.cuda.synchronize()",
    "class CUDAStats:\n    def name(self):\n        return torch.cuda.get_device_name()",
    "class CUDATimer:\n    def start(self):\n        torch.cuda.synchronize()\nif use_cuda:\n    CUDATimer().start()",
    "class CUDATimer:\n    def start(self):\n        torch.cuda.synchronize()\ndef time_cuda():\n    CUDATimer().start()",
    "if self.cuda_device is not None:\n    torch.cuda.set_device(self.cuda_device)",
    "if cuda_device is None:\n    pass\nelse:\n    torch.cuda.set_device(cuda_device)",
    "if backend == 'nccl':\n    torch.cuda.set_device(rank)",
    "barrier([torch.cuda.current_device()]) if dist.get_backend() == 'nccl' else barrier()",
    "i = -1 if dist.get_backend() != 'nccl' else torch.cuda.current_device()",
    "ids = dist.get_backend() == 'nccl'\nif ids:\n    torch.cuda.synchronize()",
    "if is_xpu:\n    i = torch.xpu.current_device()\nelse:\n    i = torch.cuda.current_device()",
    "if device == 'mps':\n    sync_mps()\nelse:\n    torch.cuda.synchronize()",
    "if args.prof:\n    torch.cuda.nvtx.range_push('a')",
    "if args.profile: torch.cuda.cudart().cudaProfilerStart()",
    "def _wait():\n    torch.cuda.synchronize()\nif torch.cuda.is_available():\n    _wait()",
    "class A:\n    def _wait(self):\n        torch.cuda.synchronize()\n    def run(self):\n        if self.use_cuda:\n"
    "            self._wait()",
    "class T(unittest.TestCase):\n    def setUp(self):\n        if not torch.cuda.is_available():\n"
    "            self.skipTest('needs CUDA')\n    def test(self):\n        torch.cuda.synchronize()",
    "@unittest.skipIf(not torch.cuda.is_available(), 'needs CUDA')\ndef test():\n    torch.cuda.synchronize()",
    "@require_cuda\ndef test():\n    torch.cuda.synchronize()",
    "pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason='x')\ndef test():\n    torch.cuda.synchronize()",
    "import triton\ntorch.cuda.synchronize()",
    "import cutlass.cute as cute\ntorch.cuda.synchronize()",
    "import cuda.tile as ct\ntorch.cuda.synchronize()",
    "from cuda.bindings import driver\ntorch.cuda.synchronize()",
    "from tilelang import language\ntorch.cuda.synchronize()",
    "import roi_pool_cuda\ntorch.cuda.synchronize()",
    "from apex import amp\ntorch.cuda.synchronize()",
    "ext = load(name='x', sources=['x.cu'])\ntorch.cuda.synchronize()",
    "s = torch.cuda.Stream()\ne = torch.cuda.Event()\ntorch.cuda.current_stream().wait_stream(s)",
    "with torch.cuda.device(rank): pass",
    "def place():\n    import pynvml\n    pynvml.nvmlInit()\n    i = torch.cuda.current_device()",
    "try:\n    import triton\nexcept ImportError:\n    triton = None\ndef f():\n    triton.cdiv(1, 2)\n    torch.cuda.synchronize()",
    "ok = torch.cuda.is_available()\nlarge = ok and torch.cuda.get_device_capability() == (10, 0)",
    "ok = torch.cuda.is_available()\nlarge = ok and f()\npytestmark = pytest.mark.skipif(not large, reason='x')\n"
    "def test():\n    torch.cuda.synchronize()",
    "absent = not torch.cuda.is_available()\ndef f():\n    if absent:\n        return\n    torch.cuda.synchronize()",
    "cards = [f'cuda:{i}' for i in range(torch.cuda.device_count())]\nfor one in cards:\n"
    "    torch.cuda.reset_peak_memory_stats(one)",
    "def _work(rank):\n    torch.cuda.set_device(rank)\n@require_cuda\ndef test():\n    spawn(_work, nprocs=2)",
    "if dist.get_backend() != dist.Backend.NCCL:\n    pass\nelse:\n    torch.cuda.set_device(rank)",
]


@pytest.mark.parametrize(
    "text",
    [
        "match device.type:\n    case 'cpu':\n        torch.cuda.synchronize()",
        "try:\n    f()\nexcept (ValueError, torch.cuda.OutOfMemoryError):\n    torch.cuda.synchronize()",
        "try:\n    import transformer_engine as te\nexcept ImportError:\n    te = None\ntorch.cuda.synchronize()",
        "def ok():\n    return x or torch.cuda.is_available()\ndef f():\n    if ok():\n        torch.cuda.synchronize()",
        "def ok():\n    return torch.cuda.is_available()\ndef f():\n    if not ok():\n        torch.cuda.synchronize()",
        "if os.environ.get('CUDA_VISIBLE_DEVICES', '') == '':\n    torch.cuda.set_device(0)",
        "if 'CUDA_VISIBLE_DEVICES' in os.environ:\n    torch.cuda.set_device(0)",
    ],
)
def test_found(text: str) -> None:
    assert len(found(CODE, f"import torch\n{text}\n")) == 1


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"import torch\n{text}\n") == ()


@pytest.mark.parametrize(
    "line", ["from numba import cuda\ncuda.synchronize()", "import cupy\ncupy.cuda.synchronize()", "torch = 1"]
)
def test_other_libraries(line: str) -> None:
    assert found(CODE, f"{line}\n") == ()


def test_a_file_for_cuda() -> None:
    for path, count in (
        ("ops/cuda/sync.py", 0),
        ("a/gpu_utils.py", 0),
        ("cuda/a/sync.py", 1),
        ("sync.py", 1),
        ("a/model_cudagraph.py", 0),
        ("a/train_megatron.py", 0),
    ):
        source = Source.from_text(path, "import torch\ntorch.cuda.synchronize()\n")
        assert len(engine.lint(source, [rule(CODE)], Target()).diagnostics) == count, path
    for path, count in (("a/gpu_utils.py", 1), ("a/train_megatron.py", 1), ("a/train_cuda.py", 0)):
        source = Source.from_text(path, "import torch\ntorch.cuda.synchronize()\n")
        assert len(engine.lint(source, [rule(CODE)], ACCELERATOR).diagnostics) == count, path


def test_a_script_s_own_name_is_no_reason_to_stop_where_the_rest_is_fixed() -> None:
    text = "import torch\n\nnet = torch.nn.Linear(1, 1).cuda()\ntorch.cuda.synchronize()\n"
    for path, count in (("demo_cuda.py", 1), ("cuda/demo.py", 0), ("train_megatron.py", 0)):
        source = Source.from_text(path, text)
        assert len(engine.lint(source, [rule(CODE)], Target()).diagnostics) == count, path


@pytest.mark.parametrize(
    "text",
    [
        "def sync_gpu():\n    torch.cuda.synchronize()",
        "class GPUMemoryMonitor:\n    def peak(self):\n        torch.cuda.reset_peak_memory_stats()",
        "class CUDATimer:\n    def start(self):\n        torch.cuda.synchronize()\ndef run():\n    CUDATimer().start()",
        "def cuda_time():\n    torch.cuda.synchronize()\nprint(cuda_time())",
        "if torch.cuda.is_available():\n    n = 1\nelif mps:\n    n = 2\nelse:\n    raise RuntimeError\n"
        "torch.cuda.synchronize()",
        "if torch.cuda.is_available():\n    n = 1\nelse:\n    n = 2\ntorch.cuda.synchronize()",
        "@RunIf(min_cuda_gpus=0)\ndef test():\n    torch.cuda.synchronize()",
        "@pytest.mark.parametrize('a', [pytest.param(1, marks=RunIf(min_cuda_gpus=1)), 2])\ndef test(a):\n"
        "    torch.cuda.synchronize()",
        "@pytest.fixture\ndef cuda_count_1():\n    return 1\ndef test(cuda_count_1):\n    torch.cuda.synchronize()",
        "ok = f()\nif ok:\n    torch.cuda.synchronize()",
        "ok = torch.cuda.is_available()\nok = f()\nif ok:\n    torch.cuda.synchronize()",
        "ok = torch.cuda.is_available()\nif not ok:\n    torch.cuda.synchronize()",
        "ok = ok or f()\nif ok:\n    torch.cuda.synchronize()",
        "if backend != dist.Backend.NCCL:\n    torch.cuda.set_device(rank)",
        "def _work(rank):\n    torch.cuda.set_device(rank)\ndef test():\n    spawn(_work, nprocs=2)",
    ],
)
def test_other_tests_say_nothing(text: str) -> None:
    assert len(found(CODE, f"import torch\nimport torch.distributed as dist\n{text}\n")) == 1


VALUES = [
    "i = torch.cuda.current_device()",
    "name = torch.cuda.get_device_name(0)",
    "free, total = torch.cuda.mem_get_info()",
    "def f():\n    return torch.cuda.get_device_properties(0).total_memory",
    "f = lambda: torch.cuda.synchronize()",
    "f(torch.cuda.memory_summary())",
    "printer.show(torch.cuda.memory_summary())",
    "parser.error(torch.cuda.get_device_name())",
    "print_all(torch.cuda.current_device())",
    "print(torch.cuda.nccl.version())",
    "with torch.cuda.nvtx.range('a'):\n    pass",
    "print(torch.cuda.current_device()) or f()",
    "try:\n    torch.cuda.get_device_name().x()\nexcept KeyError:\n    pass\nelse:\n    y = torch.cuda.current_device()",
]


@pytest.mark.parametrize("text", VALUES)
def test_no_fix_where_the_value_is_used(text: str) -> None:
    kinds = {kind for _, kind in places(CODE, f"import torch\n{text}\n")}
    assert "none" in kinds and len(found(CODE, f"import torch\n{text}\n")) == text.count("torch.cuda.")


EVENT = "torch.cuda.Event(enable_timing=True)"


@pytest.mark.parametrize(
    "text",
    [
        f"def f():\n    torch.cuda.synchronize()\n    for _ in range(3):\n        start = {EVENT}",
        f"def f(timed):\n    if timed:\n        start = {EVENT}\n    g()\n    if timed:\n        torch.cuda.synchronize()",
        f"class Timer:\n    def __enter__(self):\n        self.start = {EVENT}\n    def __exit__(self, *_):\n"
        "        torch.cuda.synchronize()\n        print(self.start.elapsed_time(self.end))",
        "def f(rank):\n    torch.cuda.set_device(card := rank())\n    return card",
    ],
)
def test_no_fix_beside_an_event(text: str) -> None:
    assert [kind for _, kind in places(CODE, f"import torch\n{text}\n")] == ["none"]


@pytest.mark.parametrize(
    "text",
    [
        f"def f(timed):\n    if timed:\n        start = {EVENT}\n    torch.cuda.synchronize()",
        f"def f(timed):\n    if timed:\n        start = {EVENT}\n    else:\n        torch.cuda.synchronize()",
        f"def f():\n    start = {EVENT}\ndef g():\n    torch.cuda.synchronize()",
        f"def f():\n    return {EVENT}\ndef g(a, b, timed):\n    torch.cuda.synchronize()\n    if timed:\n        a.elapsed_time(b)",
        f"def f():\n    start = {EVENT} if use_cuda else None\n    torch.cuda.synchronize()",
        f"def f():\n    match g():\n        case 1:\n            start = {EVENT}\n    torch.cuda.synchronize()",
        "def f():\n    side = torch.cuda.Stream()\n    torch.cuda.synchronize()",
    ],
)
def test_a_fix_where_the_event_need_not_be_made(text: str) -> None:
    assert [kind for _, kind in places(CODE, f"import torch\n{text}\n")] == ["safe"]


MOVE = "    return net.cuda(card)\n"


@pytest.mark.parametrize(
    "text",
    [
        f"def f(net, card):\n    torch.cuda.set_device(card)\n{MOVE}",
        f"def f(net, card):\n    torch.cuda.set_device(card)\n    if net.big:\n    {MOVE}",
        f"def f(net, card):\n    net.start()\n    torch.cuda.synchronize()\n{MOVE}",
        f"def f(net, card):\n    if net.timed:\n        torch.cuda.synchronize()\n{MOVE}",
        "def f(net, args):\n    torch.cuda.set_device(args['gpu'])\n    return net.cuda(args['gpu'])",
        f"torch.cuda.set_device(F.gpu)\ndef main(net):\n    card = F.gpu\n{MOVE}if __name__ == '__main__':\n    main(Net())",
        f"torch.cuda.set_device(F.gpu)\ndef main(_):\n    card = F.gpu\n{MOVE}app.run(main)",
        "def f(x, card: int):\n    torch.cuda.set_device(card)\n    device = torch.device(card)\n    return x.to(device)",
    ],
)
def test_nothing_is_gained_beside_a_card_that_stays(text: str) -> None:
    assert [kind for _, kind in places(CODE, f"import torch\n{text}\n")] == ["unsafe"]


@pytest.mark.parametrize(
    "text",
    [
        f"def f(net, card):\n    torch.cuda.synchronize()\n    if net.big:\n    {MOVE}",
        f"def f(net, card):\n{MOVE}def g():\n    torch.cuda.synchronize()",
        f"def f(net, card: int):\n    torch.cuda.synchronize()\n{MOVE}",
        "def f(x, card: int):\n    torch.cuda.synchronize()\n    device = torch.device(card)\n    return x.to(device)",
        "def f(x, card: int):\n    torch.cuda.set_device(card)\n    return x.to(torch.device('cuda', card))",
        f"def f(net, card):\n    torch.cuda.synchronize()\n    if torch.cuda.is_available():\n    {MOVE}",
        "def f(net, card):\n    torch.cuda.synchronize()\n    return lambda: net.cuda(card)",
        f"torch.cuda.synchronize()\ndef main(net, card):\n{MOVE}if big:\n    main(Net(), choose())",
        f"torch.cuda.synchronize()\ndef main(net, card):\n{MOVE}",
        "def f(net):\n    torch.cuda.synchronize()\n    return net.cuda()",
        "def f(net, device: torch.device):\n    torch.cuda.synchronize()\n    return net.cuda(device)",
        "class Net(nn.Module):\n    def cuda(self, card): pass\ndef f(card):\n    torch.cuda.synchronize()\n"
        "    return Net().cuda(card)",
    ],
)
def test_a_fix_where_the_card_need_not_be_there(text: str) -> None:
    assert [kind for _, kind in places(CODE, f"import torch\nfrom torch import nn\n{text}\n")] == ["safe"]


STATEMENTS = [
    ("torch.cuda.synchronize()", f"if {TEST}:\n    torch.cuda.synchronize()"),
    ("torch.cuda.set_device(args.local_rank)", f"if {TEST}:\n    torch.cuda.set_device(args.local_rank)"),
    ("def f():\n    torch.cuda.synchronize()", f"def f():\n    if {TEST}:\n        torch.cuda.synchronize()"),
    ("torch.cuda.ipc_collect()  # why", f"if {TEST}:\n    torch.cuda.ipc_collect()  # why"),
    ("torch.cuda.synchronize(); t = time.time()", f"if {TEST}:\n    torch.cuda.synchronize()\nt = time.time()"),
    ("t = time.time(); torch.cuda.synchronize()", f"t = time.time()\nif {TEST}:\n    torch.cuda.synchronize()"),
    ("if timing: torch.cuda.synchronize()", f"if timing:\n    if {TEST}:\n        torch.cuda.synchronize()"),
    (
        "torch.cuda.reset_peak_memory_stats()\ntorch.cuda.synchronize()\nt = 0\ntorch.cuda.synchronize()",
        f"if {TEST}:\n    torch.cuda.reset_peak_memory_stats()\n    torch.cuda.synchronize()\nt = 0\n"
        f"if {TEST}:\n    torch.cuda.synchronize()",
    ),
    (
        "torch.cuda.set_device(\n    rank,  # mine\n)",
        f"if {TEST}:\n    torch.cuda.set_device(\n        rank,  # mine\n    )",
    ),
    ("class A:\n    torch.cuda.set_device(0)", f"class A:\n    if {TEST}:\n        torch.cuda.set_device(0)"),
    ("torch.cuda.nvtx.range_push('a')", f"if {TEST}:\n    torch.cuda.nvtx.range_push('a')"),
    ("torch.cuda.cudart().cudaProfilerStart()", f"if {TEST}:\n    torch.cuda.cudart().cudaProfilerStart()"),
    ("print(torch.cuda.get_device_name(0))", f"if {TEST}:\n    print(torch.cuda.get_device_name(0))"),
    (
        "logger.info(f'on {torch.cuda.get_device_name()}')",
        f"if {TEST}:\n    logger.info(f'on {{torch.cuda.get_device_name()}}')",
    ),
    ("self.log.debug(torch.cuda.mem_get_info())", f"if {TEST}:\n    self.log.debug(torch.cuda.mem_get_info())"),
    ("LOGGER.info(torch.cuda.current_device())", f"if {TEST}:\n    LOGGER.info(torch.cuda.current_device())"),
    (
        f"if rank == -1:\n    d = 'cuda' if {TEST} else 'cpu'\nelse:\n    torch.cuda.set_device(rank)",
        f"if rank == -1:\n    d = 'cuda' if {TEST} else 'cpu'\nelif {TEST}:\n    torch.cuda.set_device(rank)",
    ),
    (
        "try:\n    import triton\nexcept ImportError:\n    triton = None\ndef f(fast):\n    if fast:\n"
        "        triton.cdiv(1, 2)\n    torch.cuda.set_device(0)",
        "try:\n    import triton\nexcept ImportError:\n    triton = None\ndef f(fast):\n    if fast:\n"
        f"        triton.cdiv(1, 2)\n    if {TEST}:\n        torch.cuda.set_device(0)",
    ),
    ("(torch.cuda.synchronize)()", f"if {TEST}:\n    (torch.cuda.synchronize)()"),
    (
        "try:\n    torch.cuda.synchronize()\nexcept KeyError:\n    pass",
        f"try:\n    if {TEST}:\n        torch.cuda.synchronize()\nexcept KeyError:\n    pass",
    ),
]


@pytest.mark.parametrize(("before", "after"), STATEMENTS)
def test_statements(before: str, after: str) -> None:
    check(CODE, f"import torch\n{before}\n", f"import torch\n{after}\n")
    assert {kind for _, kind in places(CODE, f"import torch\n{before}\n")} == {"safe"}


IMPORTS = [
    (
        "import torch as th\nth.cuda.synchronize()",
        "import torch as th\nif th.cuda.is_available():\n    th.cuda.synchronize()",
    ),
    (
        "from torch import cuda\ncuda.synchronize()",
        "from torch import cuda\nif cuda.is_available():\n    cuda.synchronize()",
    ),
    (
        "import torch.cuda as tc\ntc.synchronize()",
        "import torch.cuda as tc\nif tc.is_available():\n    tc.synchronize()",
    ),
    (
        "import torch\nfrom torch.cuda import synchronize\nsynchronize()",
        "import torch\nfrom torch.cuda import synchronize\nif torch.cuda.is_available():\n    synchronize()",
    ),
    (
        "import torch\nfrom torch.cuda import nvtx\nnvtx.range_pop()",
        "import torch\nfrom torch.cuda import nvtx\nif torch.cuda.is_available():\n    nvtx.range_pop()",
    ),
    (
        "def f():\n    import torch\n    torch.cuda.synchronize()",
        "def f():\n    import torch\n    if torch.cuda.is_available():\n        torch.cuda.synchronize()",
    ),
    (
        "from torch.cuda import synchronize\ndef f():\n    synchronize()",
        "import torch\nfrom torch.cuda import synchronize\ndef f():\n    if torch.cuda.is_available():\n        synchronize()",
    ),
]


@pytest.mark.parametrize(("before", "after"), IMPORTS)
def test_names_of_torch(before: str, after: str) -> None:
    check(CODE, f"{before}\n", f"{after}\n")


CHOSEN = 'import torch\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
DEVICES = [
    (CHOSEN + "torch.cuda.synchronize()", CHOSEN + 'if device.type == "cuda":\n    torch.cuda.synchronize()'),
    (
        CHOSEN + "torch.cuda.synchronize(device)",
        CHOSEN + 'if device.type == "cuda":\n    torch.cuda.synchronize(device)',
    ),
    (
        CHOSEN + "torch.cuda.reset_peak_memory_stats()\ntorch.cuda.synchronize()",
        CHOSEN + 'if device.type == "cuda":\n    torch.cuda.reset_peak_memory_stats()\n    torch.cuda.synchronize()',
    ),
    (CHOSEN + "torch.cuda.set_device(0)", CHOSEN + 'if device.type == "cuda":\n    torch.cuda.set_device(0)'),
    (
        "import torch\nx = load()\ntorch.cuda.synchronize()\nx = x.cuda()",
        CHOSEN.replace("device =", "\ndevice =")
        + '\nx = load()\nif device.type == "cuda":\n    torch.cuda.synchronize()\nx = x.cuda()',
    ),
    (
        CHOSEN + "print(device, torch.cuda.get_device_name(0))",
        CHOSEN + 'if device.type == "cuda":\n    print(device, torch.cuda.get_device_name(0))',
    ),
    (
        CHOSEN.replace("if torch", "if use_gpu and torch") + "torch.cuda.set_device(0)",
        CHOSEN.replace("if torch", "if use_gpu and torch") + f"if {TEST}:\n    torch.cuda.set_device(0)",
    ),
    (
        "import torch\ndevice = torch.device('cuda', rank)\ntorch.cuda.set_device(device)",
        "import torch\ndevice = torch.device('cuda', rank)\nif device.type == \"cuda\":\n    torch.cuda.set_device(device)",
    ),
    (
        "import torch\ndef f(device):\n    torch.cuda.synchronize(device)",
        f"import torch\ndef f(device):\n    if {TEST}:\n        torch.cuda.synchronize(device)",
    ),
    (
        'import torch\ndevice = "cuda" if torch.cuda.is_available() else "cpu"\ntorch.cuda.synchronize()',
        f'import torch\ndevice = "cuda" if torch.cuda.is_available() else "cpu"\nif {TEST}:\n    torch.cuda.synchronize()',
    ),
]


@pytest.mark.parametrize(("before", "after"), DEVICES)
def test_a_device_of_the_program(before: str, after: str) -> None:
    check(CODE, f"{before}\n", f"{after}\n")
    assert {kind for _, kind in places(CODE, f"{before}\n")} == {"safe"}


AVAILABLE = "if torch.accelerator.is_available():\n    "
ON_ACCELERATOR = [
    ("torch.cuda.synchronize()", "torch.accelerator.synchronize()"),
    ("torch.cuda.synchronize(device)", "torch.accelerator.synchronize(device)"),
    ("torch.cuda.synchronize(device=d)", "torch.accelerator.synchronize(d)"),
    ("torch.cuda.synchronize('cuda')", "torch.accelerator.synchronize()"),
    ("torch.cuda.synchronize('cuda:1')", "torch.accelerator.synchronize(1)"),
    ("torch.cuda.set_device(rank)", "torch.accelerator.set_device_index(rank)"),
    ("torch.cuda.reset_peak_memory_stats()", "torch.accelerator.reset_peak_memory_stats()"),
    ("torch.cuda.reset_max_memory_allocated()", "torch.accelerator.reset_peak_memory_stats()"),
    ("print(torch.cuda.mem_get_info())", "print(torch.accelerator.get_memory_info())"),
]


@pytest.mark.parametrize(("before", "after"), ON_ACCELERATOR)
def test_accelerator(before: str, after: str) -> None:
    check(CODE, f"import torch\n{before}\n", f"import torch\n{AVAILABLE}{after}\n", "safe", target=NEW_ACCELERATOR)


NOT_ON_ACCELERATOR = [
    "torch.cuda.ipc_collect()",
    "torch.cuda.nvtx.range_pop()",
    "torch.cuda.synchronize(*a)",
    "print(torch.cuda.get_device_name())",
]


@pytest.mark.parametrize("text", NOT_ON_ACCELERATOR)
def test_nothing_of_the_accelerator_does_the_same(text: str) -> None:
    assert [kind for _, kind in places(CODE, f"import torch\n{text}\n", NEW_ACCELERATOR)] == ["none"]


def test_names_that_are_too_new() -> None:
    text = "import torch\ntorch.cuda.reset_peak_memory_stats()\n"
    assert [kind for _, kind in places(CODE, text, ACCELERATOR)] == ["none"]
    assert "accelerator.reset_peak" in fixed(CODE, text, target=NEW_ACCELERATOR)


def test_accelerator_with_a_device() -> None:
    before = "import torch\ndevice = torch.device('cuda:0')\nprint(torch.cuda.get_device_name(device))\n"
    after = before.replace("print", 'if device.type == "cuda":\n    print')
    check(CODE, before, after, "safe", target=ACCELERATOR)


def test_neighbours_go_under_one_test_each_with_its_own_name() -> None:
    check(
        CODE,
        "import torch\ntorch.cuda.set_device(0)\ntorch.cuda.synchronize()\n",
        f"import torch\n{AVAILABLE}torch.accelerator.set_device_index(0)\n    torch.accelerator.synchronize()\n",
        "safe",
        "safe",
        target=ACCELERATOR,
    )


def test_project() -> None:
    check(
        CODE,
        "import torch\ntorch.cuda.synchronize()\n",
        f"import torch\nif {TEST}:\n    torch.cuda.synchronize()\n",
        "safe",
        target=PROJECT,
    )


def test_no_fix_below_a_question_that_fails_without_cuda() -> None:
    text = "import torch\ndef f(x, here):\n    if {}torch.cuda.current_device() != here:\n{}\n    return x\n"
    call = "        torch.cuda.set_device(here)"
    assert [kind for _, kind in places(CODE, text.format("", call))] == ["none", "none"]
    above = "import torch\ndef f(x, here):\n    if x != here:\n{}\n    return torch.cuda.current_device()\n"
    assert f"    if x != here and {TEST}:\n{call}\n" in fixed(CODE, above.format(call))


@pytest.mark.parametrize(
    ("head", "below", "expected"),
    [
        ("if x.timed:", "", f"if x.timed and {TEST}:\n        torch.cuda.synchronize()"),
        ("if x.timed:", "        x.stop()\n", f"if x.timed:\n        if {TEST}:\n            torch.cuda.synchronize()"),
        ("if x.timed:", "    else:\n        x.stop()\n", f"if x.timed:\n        if {TEST}:\n            torch"),
        ("if x.a or x.b:", "", f"if x.a or x.b:\n        if {TEST}:\n            torch.cuda.synchronize()"),
        ("while x.timed:", "", f"while x.timed:\n        if {TEST}:\n            torch.cuda.synchronize()"),
        ("if x:\n        x.a()\n    elif x.b:", "", f"elif x.b and {TEST}:\n        torch.cuda.synchronize()"),
    ],
)
def test_an_if_that_has_nothing_else_asks_for_both(head: str, below: str, expected: str) -> None:
    text = f"import torch\ndef f(x):\n    {head}\n        torch.cuda.synchronize()\n{below}"
    assert expected in fixed(CODE, text)


def test_message() -> None:
    assert [one.message for one in found(CODE, "import torch\ntorch.cuda.synchronize()\n")] == [
        "`torch.cuda.synchronize()` fails where there is no CUDA"
    ]


def _found_in(path: Path, text: str) -> int:
    """How much the rule finds in a file of a project."""
    path.write_text(text)
    return len(engine.lint(Source.from_text(str(path), text), [rule(CODE)], Target()).diagnostics)


def test_names_from_a_file_that_needs_triton(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "__init__.py").touch()
    (tmp_path / "kernels.py").write_text("import triton\n\n\ndef add(x): ...\n")
    (tmp_path / "plain.py").write_text("def add(x): ...\n")
    for module, count in (("kernels", 0), ("plain", 1)):
        text = (
            f"import torch\nfrom .{module} import add\n\n\ndef run(x):\n    add[1](x)\n    torch.cuda.synchronize()\n"
        )
        assert _found_in(tmp_path / "run.py", text) == count, module
        inside = f"import torch\n\n\ndef run(x):\n    from .{module} import add\n\n    add[1](x)\n    torch.cuda.synchronize()\n"
        assert _found_in(tmp_path / "run.py", inside) == count, module


def test_fixture_of_the_nearest_conftest(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "unit").mkdir()
    fixture = "import pytest\n\n\n@pytest.fixture\ndef cuda_count_1(monkeypatch):\n    monkeypatch.setattr('a.b', 1)\n"
    (tmp_path / "conftest.py").write_text(fixture)
    text = "import torch\n\n\ndef test_one({}):\n    torch.cuda.synchronize()\n"
    path = tmp_path / "unit" / "test_one.py"
    assert _found_in(path, text.format("cuda_count_1")) == 0
    assert _found_in(path, text.format("cuda_count_2")) == 1


CURRENT = [
    ("i = {}\n    return x.cuda(i)", "0"),
    ("i = {}\n    return x.to(f'cuda:{{i}}')", "0"),
    ("i = {}\n    print('card', i)\n    return torch.device('cuda', i)", "0"),
    ("i = {}\n    logger.info(f'card {{i}}')", "0"),
    ("device = {}\n    return x.to(device), torch.ones(2, device=device)", '"cpu"'),
]


@pytest.mark.parametrize("body", ["x.to({}, non_blocking=True)", "torch.ones(2, device={})", "x.to({}), x.to({})"])
def test_the_current_card_as_a_device(body: str) -> None:
    card = "torch.cuda.current_device()"
    before = f"import torch\n\ndef f(x):\n    return {body.replace('{}', card)}\n"
    device = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
    after = f"import torch\n\ndef f(x):\n    {device}\n    return {body.replace('{}', 'device')}\n"
    check(CODE, before, after)


def test_functions_that_ask_for_the_current_card_share_one_device() -> None:
    text = "import torch\n\n\ndef f(x):\n    return x.to(torch.cuda.current_device())\n\n\n"
    text += "def g(x):\n    y = x.cuda(torch.cuda.current_device())\n"
    text += "    return y + torch.ones(3, device=torch.cuda.current_device())\n"
    after = devlint.fix(text, isolated=True).text
    assert after.count("is_available") == 1
    assert after.count("device = get_device()") == 1


def test_the_current_card_in_a_device_that_gets_a_test_itself() -> None:
    text = 'import torch\n\ndevice = torch.device(f"cuda:{torch.cuda.current_device()}")\n'
    assert places(CODE, text) == [(3, "none")]
    assert places(CODE, text.replace('}")', '}" if torch.cuda.is_available() else "cpu")')) == []


@pytest.mark.parametrize(("body", "other"), CURRENT)
def test_the_current_card_as_a_value(body: str, other: str) -> None:
    before = f"import torch\n\ndef f(x, logger):\n    {body.format('torch.cuda.current_device()')}\n"
    value = f"torch.cuda.current_device() if torch.cuda.is_available() else {other}"
    after = f"import torch\n\ndef f(x, logger):\n    {body.format(value)}\n"
    check(CODE, before, after, "safe")


FSDP = "from torch.distributed.fsdp import FullyShardedDataParallel as FSDP"
OF_ANY = [
    ("return FSDP(x, device_id={})", "None", "safe"),
    ("i = {}\n    print('card', i)", "0", "safe"),
    ("device = {}\n    return load_file(x, device=device)", '"cpu"', "unsafe"),
    ("return load(x, device_id={})", '"cpu"', "unsafe"),
]


@pytest.mark.parametrize(("body", "other", "kind"), OF_ANY)
def test_the_current_card_of_any_accelerator(body: str, other: str, kind: str) -> None:
    before = f"import torch\n{FSDP}\n\ndef f(x, logger):\n    {body.format('torch.cuda.current_device()')}\n"
    value = f"torch.accelerator.current_device_index() if torch.accelerator.is_available() else {other}"
    after = f"import torch\n{FSDP}\n\ndef f(x, logger):\n    {body.format(value)}\n"
    check(CODE, before, after, kind, target=ACCELERATOR)


@pytest.mark.parametrize("place", ["x.to({})", "torch.ones(2, device={})"])
def test_the_current_card_in_a_slot_is_the_device(place: str) -> None:
    text = f"import torch\n\n\ndef f(x):\n    return {place.format('torch.cuda.current_device()')}\n"
    assert place.format("device") in fixed(CODE, text, target=ACCELERATOR)
    assert {kind for _, kind in places(CODE, text, ACCELERATOR)} == {"safe"}


def test_the_current_card_twice_is_one_device() -> None:
    card = "torch.cuda.current_device()"
    text = f"import torch\n\n\ndef f(x):\n    x = x.to({card})\n    return x, torch.ones(2, device={card})\n"
    after = fixed(CODE, text, target=ACCELERATOR)
    assert after.count("current_accelerator()") == 1
    assert "x.to(device)" in after and "device=device" in after


@pytest.mark.parametrize(("given", "argument"), [("", ""), ("i", "i"), ("'cuda:1'", "1"), ("device=i", "i")])
def test_the_module_of_the_accelerator(given: str, argument: str) -> None:
    before = f"import torch\n\ndef f(i):\n    return torch.cuda.get_device_name({given})\n"
    after = f"import torch\n\ndef f(i):\n    return torch.get_device_module().get_device_name({argument})\n"
    check(CODE, before, after, "unsafe", target=ACCELERATOR)
    assert places(CODE, before.replace("get_device_name", "clock_rate"), ACCELERATOR) == [(4, "none")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{{'cuda': {0}}}", f"{{{{'cuda': {{0}} if {TEST} else torch.get_rng_state()}}}}"),
        ("{0}", f"{{0}} if {TEST} else torch.get_rng_state()"),
        ("{0}.tolist()", f"({{0}} if {TEST} else torch.get_rng_state()).tolist()"),
        ("f({0}, other)", f"f({{0}} if {TEST} else torch.get_rng_state(), other)"),
    ],
)
def test_a_state_of_random_numbers(before: str, after: str) -> None:
    call = "torch.cuda.get_rng_state()"
    text = "import torch\n\n\ndef f():\n    return {}\n"
    check(CODE, text.format(before.format(call)), text.format(after.format(call)), "unsafe")


KEPT = [
    ("    s = {0}\n    g()\n{1}", "s"),
    ("    self.s = {0}\n    g()\n{1}", "self.s"),
    ("    save({{'s': {0}}})\n    d = load()\n{1}", "d['s']"),
    ("    d['s'] = {0}\n    d = load() if 's' in d else d\n{1}", "d['s']"),
    ("    s = {0}\n    g()\n{1}", "s.cpu()"),
]


@pytest.mark.parametrize(("body", "kept"), KEPT)
def test_a_state_that_is_only_given_back_is_none_without_cuda(body: str, kept: str) -> None:
    text = f"import torch\n\n\ndef f(self, d):\n{body}"
    before = text.format("torch.cuda.get_rng_state()", f"    torch.cuda.set_rng_state({kept})\n")
    value = f"torch.cuda.get_rng_state() if {TEST} else None"
    after = text.format(value, f"    if {TEST}:\n        torch.cuda.set_rng_state({kept})\n")
    check(CODE, before, after, "safe")


@pytest.mark.parametrize(
    "other", ["g(s)", "torch.set_rng_state(s)", "x = torch.cuda.set_rng_state(s)", "s = s or None", "return s"]
)
def test_a_state_that_something_else_reads_is_no_safe_fix(other: str) -> None:
    text = f"import torch\n\n\ndef f():\n    s = torch.cuda.get_rng_state()\n    torch.cuda.set_rng_state(s)\n    {other}\n"
    assert places(CODE, text) == [(5, "unsafe")]


def test_a_state_that_is_kept_twice_is_given_back_under_one_test() -> None:
    keep = "    self.s = torch.cuda.get_rng_state(){}\n"
    text = f"import torch\n\n\ndef f(self):\n{keep}{{}}    g()\n{keep}"
    give, test = "torch.cuda.set_rng_state(self.s)\n", f" if {TEST} else None"
    after = text.format(test, f"    if {TEST}:\n        {give}", test)
    assert fixed(CODE, text.format("", f"    {give}", "")) == after


def test_a_state_of_random_numbers_by_the_program_s_own_answer() -> None:
    text = "import torch\n\nhas = torch.cuda.is_available()\nkept = [torch.cuda.get_rng_state(0){}]\n"
    check(CODE, text.format(""), text.format(" if has else torch.get_rng_state()"), "unsafe")


def test_a_state_of_cuda_is_given_back_to_cuda() -> None:
    taken = "import torch\nstate = torch.cuda.get_rng_state() if torch.cuda.is_available() else None\n"
    text = f"{taken}if state is not None:\n    torch.cuda.set_rng_state(state)\n"
    assert fixed("DEV507", text, target=ACCELERATOR) == text


def test_the_current_card_for_fsdp() -> None:
    before = f"import torch\n{FSDP}\n\ndef f(x):\n    return FSDP(x, device_id=torch.cuda.current_device())\n"
    value = "torch.cuda.current_device() if torch.cuda.is_available() else None"
    check(CODE, before, before.replace("torch.cuda.current_device()", value), "safe")


UNKNOWN = [
    "return torch.cuda.current_device()",
    "i = torch.cuda.current_device()\n    return i",
    "i = torch.cuda.current_device()\n    x.use(i)\n    return x.cuda(i)",
    "i = torch.cuda.current_device()\n    if x: i = 0\n    return x.cuda(i)",
    "i = torch.cuda.current_device() + 1\n    return x.cuda(i)",
    "self.i = torch.cuda.current_device()",
    "global i\n    i = torch.cuda.current_device()\n    print(i)",
]


@pytest.mark.parametrize("body", UNKNOWN)
def test_the_current_card_for_other_things(body: str) -> None:
    assert [kind for _, kind in places(CODE, f"import torch\n\ndef f(x, self):\n    {body}\n")] == ["none"]


def test_cards_are_counted_as_they_are_chosen() -> None:
    text = "import torch\ntorch.cuda.set_device(rank % torch.cuda.device_count())\n"
    after = fixed(CODE, text, target=Target("accelerator", torch_min_version=(2, 6)))
    assert "    torch.accelerator.set_device_index(rank % torch.accelerator.device_count())\n" in after


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    graph = torch.cuda.CUDAGraph()\n    if g():\n        torch.cuda.synchronize()",
        "def f(step):\n    torch.cuda.synchronize()\n    return torch.cuda.make_graphed_callables(step, ())",
        "def f(graph):\n    with torch.cuda.graph(graph):\n        g()\n    torch.cuda.synchronize()",
        "def f(engine):\n    context = engine.create_execution_context()\n    torch.cuda.synchronize()",
    ],
)
def test_silent_beside_what_only_cuda_has(text: str) -> None:
    assert places(CODE, f"import torch\n{text}\n") == []


def test_another_function_than_that_of_a_graph() -> None:
    text = "import torch\n\ndef f():\n    graph = torch.cuda.CUDAGraph()\n\ndef g():\n    torch.cuda.synchronize()\n"
    assert [row for row, _ in places(CODE, text)] == [7]


_PARSER = "import argparse\nimport torch\nparser = argparse.ArgumentParser()\nparser.add_argument({})\n{}"
_PARSED = "args = parser.parse_args()\n"


@pytest.mark.parametrize(
    ("option", "test"),
    [
        ("'--gpu', type=int, default=0", "args.gpu >= 0"),
        ("'--gpu', type=int, default=1", "args.gpu > -1"),
        ("'--gpu', type=int, default=0", "args.gpu != -1"),
        ("'--gpu', type=int, default=0", "args.gpu is not None"),
        ("'--use_gpu', type=bool, default=True", "args.use_gpu"),
        ("'--use_gpu', type=int, default=1", "args.use_gpu"),
        ("'--ngpu', type=int, default=1", "args.ngpu > 0"),
        ("'--no_gpu', dest='gpu', action='store_false'", "args.gpu"),
    ],
)
def test_an_option_that_is_on_asks_nobody_for_cuda(option: str, test: str) -> None:
    text = _PARSER.format(option, _PARSED) + "on = False\nif {}:\n    on = True\n    torch.cuda.set_device(0)\n"
    assert fixed(CODE, text.format(test)) == text.format(f"{test} and {TEST}")


@pytest.mark.parametrize("flag", ["args.gpu >= 0", "args.gpu != -1", "not args.gpu < 0"])
@pytest.mark.parametrize(("default", "is_on"), [("0", True), ("-1", False)])
def test_a_flag_that_says_whether_an_option_names_a_card(flag: str, default: str, is_on: bool) -> None:
    text = _PARSER.format(f"'--gpu', type=int, default={default}", f"{_PARSED}args.cuda = {flag}\n")
    text += "if args.cuda{}:\n    torch.cuda.set_device(args.gpu)\nelse:\n    print('no GPU')\n"
    assert fixed(CODE, text.format("")) == text.format(f" and {TEST}" if is_on else "")


@pytest.mark.parametrize(
    ("started", "is_on"),
    [
        ("work(args.gpu, args)", True),
        ("work(3, args)", False),
        ("torch.multiprocessing.spawn(work, nprocs=2, args=(args,))", False),
    ],
)
def test_an_option_that_a_function_is_given_beside_all_options(started: str, is_on: bool) -> None:
    text = _PARSER.format(
        "'--gpu', type=int, default=0", "\n\ndef work(gpu, args):\n    args.gpu = gpu\n    if args.gpu is not None{}:\n"
    )
    text += f"        torch.cuda.set_device(args.gpu)\n    else:\n        print('no GPU')\n\n\n{_PARSED}{started}\n"
    assert fixed(CODE, text.format("")) == text.format(f" and {TEST}" if is_on else "")


def test_a_flag_that_names_a_card_and_asks_torch_is_a_test_for_cuda() -> None:
    text = _PARSER.format("'--gpu', type=int, default=0", f"{_PARSED}args.cuda = args.gpu >= 0 and {TEST}\n")
    assert found(CODE, text + "if args.cuda:\n    torch.cuda.set_device(args.gpu)\n") == ()


@pytest.mark.parametrize(
    ("option", "test", "more"),
    [
        ("'--gpu', type=int, default=-1", "args.gpu >= 0", ""),
        ("'--gpu', type=int", "args.gpu >= 0", ""),
        ("'--gpu', type=int, default=0", "args.gpu > 0", ""),
        ("'--gpu', type=int, default=None", "args.gpu is not None", ""),
        ("'--use_gpu', action='store_true'", "args.use_gpu", ""),
        ("'--use_gpu', default=torch.cuda.is_available()", "args.use_gpu", ""),
        ("'--use_gpu', default=True", "args.use_gpu", "args.use_gpu = args.use_gpu and torch.cuda.is_available()\n"),
        ("'--use_gpu', default=True", "args.use_gpu", "setattr(args, 'use_gpu', ask())\n"),
        ("'--use_gpu', default=True", "other.use_gpu", "other = settings()\n"),
        ("'--gpu', type=int, default=0", "args.use_gpu", ""),
    ],
)
def test_an_option_that_may_be_off_or_asks_is_a_test_for_cuda(option: str, test: str, more: str) -> None:
    text = _PARSER.format(option, _PARSED) + f"{more}if {test}:\n    torch.cuda.set_device(0)\n"
    assert found(CODE, text) == ()


_CARDS = (
    "gpu_ids = []\nfor one in args.gpus.split(','):\n    number = int(one)\n    if number >= 0:\n"
    "        gpu_ids.append(number)\n",
    "gpu_ids = [int(one) for one in args.gpus.split(',')]\n",
    "parts = args.gpus.split(',')\ngpu_ids = list(map(int, parts))\n",
)


@pytest.mark.parametrize("cards", _CARDS)
@pytest.mark.parametrize("test", ["len(gpu_ids) > 0", "gpu_ids", "len(gpu_ids) >= 1", "len(gpu_ids) != 0"])
@pytest.mark.parametrize("default", ["0", "0,1"])
def test_cards_that_an_option_names_by_default_ask_nobody_for_cuda(cards: str, test: str, default: str) -> None:
    text = _PARSER.format(f"'--gpus', default='{default}', type=str", _PARSED + cards)
    text += "if {}:\n    torch.cuda.set_device(gpu_ids[0])\n"
    assert fixed(CODE, text.format(test)) == text.format(f"{test} and {TEST}")


@pytest.mark.parametrize(
    ("option", "more"),
    [
        ("'--gpus', default='', type=str", ""),
        ("'--gpus', default='-1', type=str", ""),
        ("'--gpus', type=str", ""),
        ("'--gpus', default='0', type=str", "gpu_ids = choose(gpu_ids)\n"),
        ("'--gpus', default='0', type=str", "gpu_ids.append(other)\n"),
        ("'--gpus', default='0', type=str", "args.gpus = ask()\n"),
    ],
)
def test_cards_that_the_user_or_others_name_are_a_test_for_cuda(option: str, more: str) -> None:
    text = _PARSER.format(option, _PARSED + _CARDS[0])
    text += f"{more}if len(gpu_ids) > 0:\n    torch.cuda.set_device(gpu_ids[0])\n"
    assert found(CODE, text) == ()


def test_an_option_that_says_nothing_of_cuda_is_not_joined() -> None:
    text = _PARSER.format("'--verbose', type=bool, default=True", _PARSED)
    text += "if args.verbose:\n    print(1)\n    torch.cuda.synchronize()\n"
    assert f"if args.verbose:\n    print(1)\n    if {TEST}:\n" in fixed(CODE, text)


def test_another_script_sets_its_own_options(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    text = _PARSER.format("'--gpu', type=int, default=0", _PARSED)
    inside = "if args.gpu >= 0:\n    torch.cuda.set_device(args.gpu)\n"
    (tmp_path / "other.py").write_text(f"{text}args.gpu = 3\n")
    assert _found_in(tmp_path / "run.py", text + inside) == 1
    (tmp_path / "other.py").write_text("from run import args\nargs.gpu = -1\n")
    assert _found_in(tmp_path / "run.py", text + inside) == 0


@pytest.mark.parametrize("above", ["if torch.cuda.is_available():\n{}", "try:\n{}\nexcept RuntimeError:\n    pass\n"])
def test_an_option_below_a_test_for_cuda_is_left_alone(above: str) -> None:
    text = _PARSER.format("'--gpu', type=int, default=0", _PARSED)
    inside = "    if args.gpu >= 0:\n        torch.cuda.set_device(args.gpu)"
    assert found(CODE, text + above.format(inside)) == ()


def test_an_option_is_not_joined_above_the_choice_of_cards() -> None:
    text = _PARSER.format("'--gpu', type=int, default=0", f"import os\n{_PARSED}")
    text += "if args.gpu >= 0:\n    os.environ['CUDA_VISIBLE_DEVICES'] = str(args.gpu)\n    torch.cuda.set_device(0)\n"
    after = fixed(CODE, text)
    assert "if args.gpu >= 0:\n    os.environ" in after
    assert f"    if {TEST}:\n        torch.cuda.set_device(0)\n" in after


def test_an_option_is_left_alone_for_other_targets() -> None:
    text = _PARSER.format("'--gpu', type=int, default=0", _PARSED) + "if args.gpu >= 0:\n    torch.cuda.set_device(0)\n"
    assert found(CODE, text, target=ACCELERATOR) == ()


@pytest.mark.parametrize(
    "text",
    [
        "    if rank is not None:\n        dist.init_process_group('nccl')\n        torch.cuda.set_device(rank)\n",
        "    torch.cuda.set_device(rank)\n    dist.init_process_group(backend='nccl', rank=rank)\n",
        "    dist.init_process_group('nccl')\n    if rank:\n        torch.cuda.set_device(rank)\n",
        "    torch.cuda.set_device(rank)\n    a.b = 'nccl'\n    dist.init_process_group(backend=a.b)\n",
        "    backend = 'nccl'\n    dist.init_process_group(backend)\n    torch.cuda.set_device(rank)\n",
        "    dist.init_process_group('nccl')\n    dist.new_group(backend='gloo')\n    torch.cuda.set_device(rank)\n",
        "    torch.cuda.set_device(rank)\n    dist.init_process_group('nccl')\n\ndef g():\n"
        "    if dist.get_backend() == 'nccl':\n        return dist.new_group(backend='gloo')\n",
        "    rank = rank % torch.cuda.device_count()\n    torch.cuda.set_device(rank)\n",
        "    cards = torch.cuda.device_count()\n    print(8 // cards)\n    torch.cuda.set_device(rank)\n",
    ],
)
def test_where_nccl_is_started_a_test_for_cuda_would_not_help(text: str) -> None:
    text = f"import torch\nimport torch.distributed as dist\n\n\ndef f(rank):\n{text}"
    assert [one.fix for one in found(CODE, text)] == [None]


@pytest.mark.parametrize(
    "text",
    [
        "    if many:\n        dist.init_process_group('nccl')\n    torch.cuda.set_device(rank)\n",
        "    torch.cuda.set_device(rank)\n    if rank < 0:\n        return\n    dist.init_process_group('nccl')\n",
        "    try:\n        dist.init_process_group('nccl')\n    except Exception:\n        pass\n    torch.cuda.set_device(rank)\n",
        "    dist.init_process_group('nccl' if many else 'gloo')\n    torch.cuda.set_device(rank)\n",
        "    torch.cuda.set_device(rank)\n    if many:\n        a.b = 'nccl'\n    dist.init_process_group(backend=a.b)\n",
        "    torch.cuda.set_device(rank)\n    a.b = 'nccl'\n    a.b = many\n    dist.init_process_group(backend=a.b)\n",
        "    torch.cuda.set_device(rank)\n    dist.init_process_group(backend=a.b)\n    a.b = 'nccl'\n",
        "    size = 8 / torch.cuda.device_count() if many else 8\n    torch.cuda.set_device(rank)\n",
        "    torch.cuda.set_device(rank)\n    torch.cuda.set_device(rank % torch.cuda.device_count())\n",
        "    size = 8 // max(1, torch.cuda.device_count())\n    torch.cuda.set_device(rank)\n",
        "    g()\n    torch.cuda.set_device(rank)\n\ndef g():\n    dist.init_process_group('nccl')\n",
    ],
)
def test_where_nccl_may_not_be_started_there_is_a_test_for_cuda(text: str) -> None:
    text = f"import torch\nimport torch.distributed as dist\n\n\ndef f(rank, many):\n{text}"
    assert f"    if {TEST}:\n        torch.cuda.set_device(rank)\n" in fixed(CODE, text)


_BY_PARAMETER = [
    ("def f(rank, backend='nccl'):", "f(1)\n", True),
    ("def f(rank, backend='nccl'):", "f(1, 'nccl')\n", True),
    ("def f(rank, backend):", "f(1, 'nccl')\n", True),
    ("def f(rank, backend):", "def start(backend='nccl'):\n    f(1, backend)\n\n\nstart()\n", True),
    ("def f(rank, backend='nccl'):", "f(1, backend=args.backend)\n", False),
    ("def f(rank, backend='nccl'):", "f(1, **options)\n", False),
    ("def f(rank, backend):", "print('nccl')\n", False),
    ("def f(rank, backend=None):", "print('nccl')\n", False),
    ("def f(rank, backend):", "f(1, 'nccl')\nf(1, 'mpi')\n", False),
]


@pytest.mark.parametrize(("start", "calls", "starts"), _BY_PARAMETER)
def test_nccl_may_be_what_a_function_is_given(start: str, calls: str, starts: bool) -> None:
    text = f"import torch\nimport torch.distributed as dist\n\n\n{start}\n    torch.cuda.set_device(rank)\n"
    text += f"    dist.init_process_group(backend=backend)\n\n\n{calls}"
    assert [one.fix is None for one in found(CODE, text)] == [starts]


@pytest.mark.parametrize(
    ("call", "starts"),
    [("f(1)", True), ("f(rank=1)", True), ("f(1, backend='mpi')", False), ("f(1, 'mpi')", False), ("f(*all)", False)],
)
def test_other_files_may_choose_another_backend(tmp_path: Path, call: str, starts: bool) -> None:
    text = "import torch\nimport torch.distributed as dist\n\n\ndef f(rank, backend='nccl'):\n"
    text += "    torch.cuda.set_device(rank)\n    dist.init_process_group(backend)\n"
    files = {"pyproject.toml": "", "start.py": text, "main.py": f"from start import f\n\n{call}\n"}
    assert ("start.py" not in fix_files(write_files(tmp_path / "p", files))) is starts


TOGETHER = """import torch
import torch.distributed as dist


def mean(x):
    if dist.get_world_size() > 1:
        x = torch.tensor(x).cuda()
        dist.all_reduce(x)
    return x
"""


@pytest.mark.parametrize(
    ("begun", "is_left"),
    [
        ("dist.init_process_group('nccl')", True),
        ("args.dist_backend = 'nccl'\n    dist.init_process_group(backend=args.dist_backend, rank=args.rank)", True),
        ("dist.init_process_group(backend=args.dist_backend, rank=args.rank)", False),
        ("args.dist_backend = args.other\n    dist.init_process_group(backend=args.dist_backend)", False),
        ("dist.init_process_group('gloo')", False),
        ("pass", False),
    ],
)
def test_processes_that_other_files_begin_with_nccl(tmp_path: Path, begun: str, is_left: bool) -> None:
    start = (
        f"import torch.distributed as dist\nfrom tools import mean\n\n\ndef start(args):\n    {begun}\n    mean(1)\n"
    )
    files = {"pyproject.toml": "", "tools.py": TOGETHER, "start.py": start}
    assert ("tools.py" not in fix_files(write_files(tmp_path / "p", files))) is is_left


def test_what_no_longer_starts_nccl_gets_its_test_for_cuda() -> None:
    text = "import torch\nimport torch.distributed as dist\n\n\ndef f(rank):\n    dist.init_process_group('nccl')\n"
    text += "    torch.cuda.set_device(rank)\n"
    result = engine.fix(Source("a.py", text), [rule(CODE), rule("DEV505")], Target("cuda"), True)
    assert f"    if {TEST}:\n        torch.cuda.set_device(rank)\n" in result.text


def test_what_a_try_only_reports_where_it_moves_something_too() -> None:
    text = "import torch\nfor x in f():\n    try:\n{}        y = net(x.cuda())\n    except RuntimeError as e:\n        print(e)\n"
    call = "        torch.cuda.synchronize()\n"
    assert places(CODE, text.format(call)) == [(4, "safe")]
    after = text.format("        if device.type == 'cuda':\n            torch.cuda.synchronize()\n").replace(
        "'cuda'", '"cuda"'
    )
    own = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
    assert fixed(CODE, text.format(call)) == after.replace("import torch\n", f"import torch\n\n{own}\n\n")


_COUNTED = (
    "if torch.cuda.device_count() >= 2:\n    n = 2\nelif torch.cuda.device_count() == 1:\n    n = 1\nelse:\n    {}\n"
)


@pytest.mark.parametrize(("otherwise", "count"), [("raise ValueError", 0), ("sys.exit(1)", 0), ("n = 0", 1)])
def test_a_script_that_stops_unless_it_has_counted_cards(otherwise: str, count: int) -> None:
    text = f"import sys\nimport torch\n\n{_COUNTED.format(otherwise)}\n\ndef f(x):\n    torch.cuda.set_device(x)\n"
    assert len(found("DEV501", text)) == count


def test_a_script_whose_devices_are_chosen_asks_in_its_calls_too() -> None:
    text = "import torch\nfrom apex import amp\n\n\ndef main(gpu, net):\n    torch.cuda.set_device(gpu)\n    amp.initialize(net)\n"
    assert not found("DEV501", text)
    assert len(found("DEV501", f'{text}\n\nif __name__ == "__main__":\n    main(0, net)\n')) == 1


@pytest.mark.parametrize(
    ("test", "joined"), [("args.cuda or args.gpu", "(args.cuda or args.gpu)"), ("args.cuda", "args.cuda")]
)
def test_a_test_of_several_options_asks_torch_as_a_whole(test: str, joined: str) -> None:
    program = (
        "import argparse\n\nimport torch\n\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--cuda', action='store_true', default=True)\n"
        "parser.add_argument('--gpu', action='store_true', default=True)\nargs = parser.parse_args()\n"
        "if {}:\n    torch.cuda.set_device(0)\nprint(torch.ones(2))\n"
    )
    check(CODE, program.format(test), program.format(f"{joined} and torch.cuda.is_available()"), "safe")


@pytest.mark.parametrize(
    ("above", "kinds"),
    [
        ("net = net.cuda()", ["safe"]),
        ("net = net.cuda(card)", ["unsafe"]),
        ("if card:\n        net = net.cuda()", []),
        ("net = net.cuda() if card else net", []),
        ("if torch.cuda.is_available():\n        net = net.cuda()", []),
        ("for one in net:\n        one.cuda()", []),
        ("later = lambda: net.cuda()", []),
        ("try:\n        net = net.cuda()\n    except RuntimeError:\n        card = None", []),
        ("net = net.train()", []),
    ],
)
def test_what_a_try_catches_below_a_move(above: str, kinds: list[str]) -> None:
    text = (
        f"import torch\n\n\ndef train(net, batches, card, save):\n    {above}\n    try:\n        for one in batches:\n"
        "            {}            net(one).backward()\n    except (RuntimeError, KeyboardInterrupt):\n"
        "        save(net)\n        print('saved')\n"
    )
    assert [kind for _, kind in places(CODE, text.format("torch.cuda.synchronize()\n"))] == kinds
    in_named = text.format("torch.cuda.synchronize()\n").replace("def train", "def train_cuda")
    assert not places(CODE, in_named)
