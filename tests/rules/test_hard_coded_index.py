from __future__ import annotations

from pathlib import Path

import pytest

from devlint.core.target import Target
from tests.support.projects import fix_files, write_files
from tests.support.rule_cases import check, fixed, found, places

CODE = "DEV106"
HEAD = 'import torch\ndevice = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")\n'
IF = "if torch.cuda.is_available() else"

FIRST = [
    ("x = x.cuda(0)", "x = x.to(device)"),
    ("x = x.cuda(device=0)", "x = x.to(device)"),
    ("x = x.cuda(0, non_blocking=True)", "x = x.to(device, non_blocking=True)"),
    ("x = x.cuda(0, True)", "x = x.to(device, non_blocking=True)"),
    ("x = x.to('cuda:0')", "x = x.to(device)"),
    ("x = x.to(torch.device('cuda:0'))", "x = x.to(device)"),
    ("x = x.to(torch.device('cuda', 0))", "x = x.to(device)"),
    ("x = torch.load(f, map_location='cuda:0')", "x = torch.load(f, map_location=device)"),
    ("x = torch.load(f, map_location=lambda s, l: s.cuda(0))", "x = torch.load(f, map_location=device)"),
    ("x = x.cuda(torch.cuda.current_device())", "x = x.to(device)"),
    ("x = x.to(torch.device('cuda', torch.cuda.current_device()))", "x = x.to(device)"),
    ("x = x.cuda(y.get_device())", "x = x.to(y.device)"),
    ("x = x.cuda(y.data.get_device(), True)", "x = x.to(y.device, non_blocking=True)"),
    ("x = torch.ones(3, device=f'cuda:{y.get_device()}')", "x = torch.ones(3, device=y.device)"),
    ("d = torch.device('cuda', y.get_device())", "d = y.device"),
    ("d = torch.device('cuda:%d' % y.get_device())", "d = y.device"),
    ("d = torch.device(y.get_device())", "d = y.device"),
    ("with torch.device('cuda:0'):\n    x = net()", "with device:\n    x = net()"),
    ("x = net(x.cuda(0)).cuda(0)", "x = net(x.to(device)).to(device)"),
    ("if x: x = x.cuda(0)", "if x: x = x.to(device)"),
    ("x = [one.cuda(0) for one in x]", "x = [one.to(device) for one in x]"),
    ("if torch.cuda.is_available():\n    x = x.cuda(0)", "if torch.cuda.is_available():\n    x = x.to(device)"),
]


@pytest.mark.parametrize(("before", "after"), FIRST)
def test_first_card(before: str, after: str) -> None:
    check(CODE, HEAD + before + "\n", HEAD + after + "\n")
    assert {kind for _, kind in places(CODE, HEAD + before + "\n")} == {"safe"}


OF_ANY_ACCELERATOR = [
    ("x = x.to(0)", "x = x.to(device)"),
    ("x = x.to(0, torch.half)", "x = x.to(device, torch.half)"),
    ("x = x.to(device=0)", "x = x.to(device=device)"),
    ("x = x.to(torch.device(0))", "x = x.to(device)"),
    ("x = torch.zeros(3, device=0)", "x = torch.zeros(3, device=device)"),
]


@pytest.mark.parametrize(("before", "after"), OF_ANY_ACCELERATOR)
def test_a_number_alone_is_a_card_of_any_accelerator(before: str, after: str) -> None:
    check(CODE, HEAD + before + "\n", HEAD + after + "\n", "unsafe")
    (finding,) = found(CODE, HEAD + before + "\n")
    assert finding.message.endswith("needs the first card of an accelerator")
    assert places(CODE, f"{HEAD}if torch.cuda.is_available():\n    {before}\n") == [(4, "safe")]
    accelerator = Target("accelerator", torch_min_version=(2, 6))
    assert places(CODE, HEAD + before + "\n", target=accelerator) == [(3, "safe")]


def test_first_card_is_kept_in_a_new_device() -> None:
    before = """
        import torch

        for x in torch.ones(3):
            print(x.cuda(0))
    """
    after = """
        import torch

        device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")

        for x in torch.ones(3):
            print(x.to(device))
    """
    check(CODE, before, after, "safe")


HERE = f'{IF} torch.device("cpu")'
OTHERS = [
    ("x = x.cuda(1)", f'torch.device("cuda:1" {IF} "cpu")', "x = x.to(device)"),
    ("x = x.cuda(device=1)", f'torch.device("cuda:1" {IF} "cpu")', "x = x.to(device)"),
    ("x = x.to('cuda:1')", f'torch.device("cuda:1" {IF} "cpu")', "x = x.to(device)"),
    ("x = x.to(torch.device('cuda', 1))", f'torch.device("cuda:1" {IF} "cpu")', "x = x.to(device)"),
    ("x = torch.zeros(3, device='cuda:1')", f'torch.device("cuda:1" {IF} "cpu")', "x = torch.zeros(3, device=device)"),
    ("x = x.to(f'cuda:{i}')", f"torch.device(f'cuda:{{i}}' {IF} 'cpu')", "x = x.to(device)"),
    ('x = x.to("cuda:%d" % i)', f'torch.device("cuda:%d" % i {IF} "cpu")', "x = x.to(device)"),
    ('x = x.to("cuda:%d" % (i,))', f'torch.device("cuda:%d" % (i,) {IF} "cpu")', "x = x.to(device)"),
    ('x = x.to("cuda:" + str(i))', f'torch.device("cuda:" + str(i) {IF} "cpu")', "x = x.to(device)"),
    ('x = x.to("cuda:{}".format(i))', f'torch.device("cuda:{{}}".format(i) {IF} "cpu")', "x = x.to(device)"),
    ('x = x.to("cuda:{:d}".format(i))', f'torch.device("cuda:{{:d}}".format(i) {IF} "cpu")', "x = x.to(device)"),
    ("x = x.to(torch.device('cuda', i))", f"torch.device('cuda', i) {IF} torch.device('cpu')", "x = x.to(device)"),
    ("x = x.cuda(gpu)", f'torch.device("cuda", gpu) {HERE}', "x = x.to(device)"),
    ("x = x.cuda(gpu, True)", f'torch.device("cuda", gpu) {HERE}', "x = x.to(device, non_blocking=True)"),
    ("x = x.cuda(gpu % 2)", f'torch.device("cuda", gpu % 2) {HERE}', "x = x.to(device)"),
    ("x = torch.load(f, lambda s, l: s.cuda(gpu))", f'torch.device("cuda", gpu) {HERE}', "x = torch.load(f, device)"),
    ("with torch.device('cuda:1'):\n    x = 1", f'torch.device("cuda:1" {IF} "cpu")', "with device:\n    x = 1"),
]


def _in_function(code: str) -> str:
    body = code.replace("\n", "\n    ")
    return f"import torch  # cuda\ndef f(x, i, rank, local_rank, gpus, args):\n    gpu = len(gpus)\n    {body}\n"


@pytest.mark.parametrize(("before", "device", "after"), OTHERS)
def test_the_device_of_another_card_is_defined_once(before: str, device: str, after: str) -> None:
    check(CODE, _in_function(before), _in_function(f"device = {device}\n{after}"), "safe")


IN_PLACE = [
    ("device = torch.device('cuda:1')", f"device = torch.device('cuda:1' {IF} 'cpu')"),
    ("device = torch.device('cuda', 1)", f'device = torch.device("cuda:1" {IF} "cpu")'),
    ("device = torch.device('cuda', i)", f"device = torch.device('cuda', i) {IF} torch.device(\"cpu\")"),
    ("device = torch.device(f'cuda:{i}')", f"device = torch.device(f'cuda:{{i}}' {IF} 'cpu')"),
    ("device = 'cuda:1'", f"device = 'cuda:1' {IF} 'cpu'"),
    ("device = f'cuda:{rank}'", f"device = f'cuda:{{rank}}' {IF} 'cpu'"),
    ("run(torch.device('cuda:1'))", f"run(torch.device('cuda:1' {IF} 'cpu'))"),
    ("x = [x.cuda(one) for one in range(i)]", f'x = [x.to(torch.device("cuda", one) {IF} "cpu") for one in range(i)]'),
    (
        "x = x.to((torch  # the other\n    .device('cuda', i)))",
        f"x = x.to((torch  # the other\n    .device('cuda', i)) {IF} torch.device(\"cpu\"))",
    ),
    (
        "x = x.to(torch.device('cuda',  # the other\n    1))",
        f"x = x.to(torch.device('cuda',  # the other\n    1) {IF} torch.device(\"cpu\"))",
    ),
]


@pytest.mark.parametrize(("before", "after"), IN_PLACE)
def test_other_cards_in_place(before: str, after: str) -> None:
    check(CODE, _in_function(before), _in_function(after), "safe")


MAY_BE_NO_NUMBER = [
    ("x = x.cuda(rank)", f'x = x.to(torch.device("cuda", rank) {IF} "cpu")'),
    ("x = x.cuda(args.gpu, True)", f'x = x.to(torch.device("cuda", args.gpu) {IF} "cpu", non_blocking=True)'),
    ("x = x.cuda(gpus[0])", f'x = x.to(torch.device("cuda", gpus[0]) {IF} "cpu")'),
    ("x = x.to(1)", f'device = torch.device("cuda:1" {IF} "cpu")\nx = x.to(device)'),
    ("device = torch.device(local_rank)", f'device = torch.device(local_rank) {IF} torch.device("cpu")'),
]


@pytest.mark.parametrize(("before", "after"), MAY_BE_NO_NUMBER)
def test_what_may_be_no_number_or_no_card_of_cuda(before: str, after: str) -> None:
    check(CODE, _in_function(before), _in_function(after), "unsafe")
    assert fixed(CODE, _in_function(before), unsafe=False) == _in_function(before)


SPAWN = "import torch.multiprocessing as mp\n"
NUMBERS = [
    "def f(x):\n    i = int(x.size(0))\n    {}",
    "def f(x, i: int):\n    {}",
    "def f(x, i: int = 0):\n    {}",
    "def f(x):\n    for i in range(2):\n        {}",
    "def f(x):\n    for i, _ in enumerate(x):\n        {}",
    "def f(x):\n    i = torch.distributed.get_rank() % 8\n    {}",
    "def f(x):\n    i = j = 0\n    i += j\n    {}",
    "def f(x):\n    i = 1 if x is None else len(x)\n    {}",
    "def f(x):\n    i = x = 3\n    {}",
    f"{SPAWN}def f(i, x):\n    {{}}\nmp.spawn(f, args=(x,), nprocs=2)",
    f"{SPAWN}def f(x, i):\n    {{}}\nfor rank in range(2):\n    mp.Process(target=f, args=(x, rank)).start()",
    "def f(x, i):\n    {}\nf(y, 1)\nf(y, i=int(z))",
]
NO_NUMBERS = [
    "def f(x, i):\n    {}",
    "def f(x, i: str):\n    {}",
    "def f(x, i: int = '0'):\n    {}",
    "def f(x):\n    for i in x:\n        {}",
    "def f(x):\n    i = x\n    {}",
    "def f(x):\n    i = 'a' * 3\n    {}",
    "def f(x):\n    i = 1\n    i /= 2\n    {}",
    f"{SPAWN}def f(i, x):\n    {{}}\nmp.spawn(f, args=(x,), nprocs=2)\nf('0', y)",
    f"{SPAWN}def f(i, x):\n    {{}}\nmp.spawn(f, args=(x,), nprocs=2)\ncall(f)",
    "def f(x, i):\n    {}\nf(y, 1)\nf(*z)",
    "int = str\ndef f(x):\n    i = int(x)\n    {}",
]


@pytest.mark.parametrize(
    ("kind", "code"), [*(("safe", one) for one in NUMBERS), *(("unsafe", one) for one in NO_NUMBERS)]
)
def test_what_is_certainly_a_number(kind: str, code: str) -> None:
    text = f"import torch\n{code.format('gpu = i; y = torch.ones(2).cuda(gpu)')}\n"
    assert {one for _, one in places(CODE, text)} == {kind}


PARSED = """
    import argparse

    import torch

    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", {})
    args = parser.parse_args()
    {}
    x = torch.ones(3).cuda(args.gpu)
"""
OPTIONS = [
    ("type=int, default=0", "", "safe"),
    ("type=int", "", "safe"),
    ("type=int, default=0", "args.gpu = int(args.gpu)", "safe"),
    ("default='0'", "", "unsafe"),
    ("type=int, nargs='+'", "", "unsafe"),
    ("type=int, default=0", "args.gpu = torch.device('cuda', args.gpu)", "unsafe"),
    ("type=int, default=0", "setattr(args, 'gpu', 'x')", "unsafe"),
]


@pytest.mark.parametrize(("option", "line", "kind"), OPTIONS)
def test_an_option_that_is_a_number(option: str, line: str, kind: str) -> None:
    assert places(CODE, PARSED.format(option, line))[-1][1] == kind


def test_one_device_for_all_uses_and_one_for_each_card() -> None:
    before = """
        import torch


        def run(rank: int, other_gpu: int, net):
            torch.cuda.set_device(rank)
            net = net.cuda(rank)
            for x in net.batches():
                x = x.to(f"cuda:{rank}")
                y = x.cuda(other_gpu, non_blocking=True)
                print(net(x), torch.zeros(3, device=torch.device("cuda", rank)), y)
    """
    after = """
        import torch


        def run(rank: int, other_gpu: int, net):
            torch.cuda.set_device(rank)
            rank_device = torch.device("cuda", rank) if torch.cuda.is_available() else torch.device("cpu")
            net = net.to(rank_device)
            other_gpu_device = torch.device("cuda", other_gpu) if torch.cuda.is_available() else torch.device("cpu")
            for x in net.batches():
                x = x.to(rank_device)
                y = x.to(other_gpu_device, non_blocking=True)
                print(net(x), torch.zeros(3, device=rank_device), y)
    """
    check(CODE, before, after, "safe", "safe", "safe", "safe")


def test_a_card_that_a_loop_chooses_is_defined_in_the_loop() -> None:
    before = """
        import torch


        def run(cards: int, rank: int, net):
            while net.goes_on():
                for i in range(cards):
                    net.add(net.part(i).cuda(i))
                for x in net.batches():
                    net.add(x.cuda(rank))
    """
    after = """
        import torch


        def run(cards: int, rank: int, net):
            rank_device = torch.device("cuda", rank) if torch.cuda.is_available() else torch.device("cpu")
            while net.goes_on():
                for i in range(cards):
                    i_device = torch.device("cuda", i) if torch.cuda.is_available() else torch.device("cpu")
                    net.add(net.part(i).to(i_device))
                for x in net.batches():
                    net.add(x.to(rank_device))
    """
    check(CODE, before, after, "safe", "safe")


def test_the_device_of_an_instance() -> None:
    before = """
        import torch


        class Trainer:
            def __init__(self, net, rank: int):
                self.rank = rank
                self.net = net.cuda(self.rank)

            def step(self, x):
                return self.net(x.cuda(self.rank))
    """
    after = """
        import torch


        class Trainer:
            def __init__(self, net, rank: int):
                self.rank = rank
                self.device = torch.device("cuda", self.rank) if torch.cuda.is_available() else torch.device("cpu")
                self.net = net.to(self.device)

            def step(self, x):
                return self.net(x.to(self.device))
    """
    check(CODE, before, after, "safe", "safe")


ATTRIBUTES = [
    ("", 1),
    ("    choose(args)\n", 2),
    ("    args.reset()\n", 2),
    ("    train(net)\n", 1),
    ("    args.gpu = 1\n", 2),
]


@pytest.mark.parametrize(("between", "count"), ATTRIBUTES)
def test_an_option_has_one_device_where_nothing_may_set_it(between: str, count: int) -> None:
    head = (
        "import argparse\nimport torch\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--gpu', type=int)\n\ndef main():\n    args = parser.parse_args()\n"
    )
    uses = f"    net = torch.nn.Linear(2, 2).cuda(args.gpu)\n{between}    return net(torch.ones(2).cuda(args.gpu))\nmain()\n"
    assert fixed(CODE, head + uses, unsafe=False).count("is_available()") == count


CHANGES = [
    "    rank = 1\n",
    "    for rank in range(2):\n        pass\n",
    "    rank += 1\n",
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_number_that_changes_has_no_device_that_stays(change: str) -> None:
    before = f"import torch\ndef f(x, rank: int):\n    x.a.to(f'cuda:{{rank}}')\n{change}    x.b.to(f'cuda:{{rank}}')\n"
    after = fixed(CODE, before, unsafe=False)
    assert after.count("is_available()") == 2
    first, second = after.split(change)
    assert "is_available()" in first
    assert "is_available()" in second


def test_a_number_that_a_loop_changes_after_the_use() -> None:
    before = "import torch\ndef f(x, rank: int):\n    x.a.cuda(rank)\n    for y in x:\n        y.cuda(rank)\n        rank += 1\n"
    after = fixed(CODE, before, unsafe=False)
    assert after.count("is_available()") == 2
    assert "    for y in x:\n        device = torch.device(" in after


def test_the_current_card_is_not_taken_for_another() -> None:
    before = "import torch\n\ntorch.ones(1).cuda()\ntorch.ones(1).cuda(1)\n"
    after = fixed(CODE, before, unsafe=False)
    assert 'device1 = torch.device("cuda:1"' in after
    assert places("DEV101", after) == [(5, "safe")]
    assert "device1" not in fixed("DEV101", after, unsafe=False).splitlines()[-2]


@pytest.mark.parametrize("chosen", ["get_device(args)", "get_device(args) if args else 'cuda'"])
def test_a_device_that_a_function_chose_may_be_another_card(chosen: str) -> None:
    head = f"import torch\nfrom util import get_device\ndef f(x, args):\n    device = {chosen}\n    g(device=device)\n"
    assert fixed("DEV101", f"{head}    x.cuda()\n", unsafe=False) == f"{head}    x.to(device)\n"
    check(CODE, f"{head}    x.to('cuda:0')\n", f"{head}    x.to(device)\n", "unsafe")


OWN_CARDS = [
    ("class Net(nn.Module):\n    def f(self, x):\n        return x.cuda({})", "self.get_device()"),
    ("def f(x, net):\n    return net(x.cuda({}))", "net.get_device()"),
    ("import utils\ndef f(x):\n    return x.cuda({})", "utils.get_device()"),
    ("class A:\n    def get_device(self): return 1\ndef f(x, a):\n    return x.cuda({})", "a.get_device()"),
]


@pytest.mark.parametrize(("code", "card"), OWN_CARDS)
def test_a_get_device_of_the_programs_own(code: str, card: str) -> None:
    before = f"import torch\nfrom torch import nn\n{code.format(card)}\n"
    assert fixed(CODE, before, unsafe=False) == before
    assert f'.to(torch.device("cuda", {card}) {IF} "cpu")' in fixed(CODE, before)


def test_current_card() -> None:
    before = "import torch\n\ndef f():\n    return torch.device('cuda', torch.cuda.current_device())\n"
    suffix = f'{IF} torch.device("cpu")'
    check(CODE, before, before.replace("()))\n", "()))\n").replace("())\n", f"()) {suffix}\n"), "safe")


def test_two_cards_stay_two() -> None:
    before = """
        import torch

        x = torch.ones(3).cuda(0)
        y = torch.ones(3).to("cuda:1")
    """
    after = """
        import torch

        device0 = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
        device1 = torch.device("cuda:1" if torch.cuda.is_available() else "cpu")

        x = torch.ones(3).to(device0)
        y = torch.ones(3).to(device1)
    """
    check(CODE, before, after, "safe", "safe")


def test_set_device_names_a_card() -> None:
    assert places(CODE, HEAD + "torch.cuda.set_device(2)\nx = x.cuda(0)\n") == [(4, "safe")]


@pytest.mark.parametrize("ids", ["[0, 1]", "(0,)", "[1]"])
def test_device_ids(ids: str) -> None:
    assert places(CODE, f"import torch\nm = torch.nn.DataParallel(m, device_ids={ids})\n") == [(2, "none")]


NO_FIX = [
    "if torch.cuda.is_available():\n    x = x.cuda(1)\n",
    "x = x.cuda(1, *rest)\n",
    "def main(rank: int):\n    rank %= 8 % torch.cuda.device_count()\n    device = torch.device('cuda', rank)\n",
    "def main(rank: int):\n    device = torch.device('cuda', rank)\n    torch.distributed.init_process_group('nccl')\n",
]


@pytest.mark.parametrize("text", NO_FIX)
def test_reported_only(text: str) -> None:
    assert [kind for _, kind in places(CODE, "import torch\n" + text)] == ["none"]


SILENT = [
    "if torch.cuda.is_available():\n    net = torch.nn.DataParallel(net, device_ids=[0, 0])",
    "def test():\n    with pytest.raises(RuntimeError):\n        torch.zeros(2, device='cuda:99')",
    "class Q(torch.Tensor):\n    def cuda(self, device=0):\n        return self.to(torch.device('cuda', device))",
    "two = pytest.mark.skipif(torch.cuda.device_count() < 2, reason='x')\n@two\ndef test():\n"
    "    torch.zeros(2, device='cuda:1')",
    "x = x.to(torch.device('npu:%d' % rank))",
    "class FakeTensor:\n    device = torch.device('cuda', 1)",
    "count = torch.cuda.device_count()\nother = torch.device('cuda:1') if count > 1 else first",
    "@mark.gpu\n@pytest.mark.skipif(torch.cuda.device_count() < 2, reason='x')\nclass A:\n    def test(self):\n"
    "        other = torch.device('cuda:1')",
    "@require_multi_gpu\ndef test():\n    torch.zeros(2, device='cuda:1')",
    "@pytest.fixture\ndef two():\n    if torch.cuda.device_count() < 2:\n        pytest.skip('x')\ndef test(two):\n"
    "    torch.zeros(2, device='cuda:1')",
    "def _work():\n    torch.zeros(2, device='cuda:1')\n@require_multi_gpu\ndef test():\n    spawn(_work)",
    "if not torch.cuda.is_available():\n    raise RuntimeError\ntorch.set_default_device('cuda:0')\ntorch.cuda.set_device('cuda:0')",
    "x = x.cuda()",
    "x = x.cuda(None)",
    "x = x.cuda(device)",
    "x = x.cuda('cuda:1')",
    "x = x.cuda(non_blocking=True)",
    "device = 'cuda:0'",
    "device = torch.device('cuda')",
    "x = x.to('cuda')",
    "x = x.to(rank)",
    "x = x.to(local_rank)  # cuda",
    "x = x.to(dtype)",
    "x = x.to(torch.float16)",
    "name = 'cuda:1'",
    "print(f'cuda:{i}')",
    "if device == 'cuda:1': pass",
    "m = torch.nn.DataParallel(m, device_ids=ids)",
    "m = torch.nn.parallel.DistributedDataParallel(m, device_ids=[args.gpu])",
    "y = pipeline('text', device=0)",
    "torch.cuda.set_device(1)",
    "torch.cuda.synchronize(device=1)",
    "if torch.cuda.is_available():\n    x = x.cuda(rank)",
    "if args.gpu is not None:\n    x = x.cuda(args.gpu)",
    "if torch.cuda.device_count() > 1:\n    x = x.cuda(1)",
    "if gpus:\n    x = x.to(f'cuda:{gpus[0]}')\nelse:\n    x = x.to('cpu')",
    "device = torch.device(f'cuda:{i}' if ok else 'cpu')",
    "device = torch.device(f'cuda:{i}') if ok else torch.device('cpu')",
    "import numba.cuda\nnumba.cuda(1)",
    "super().cuda(1)",
    "class A:\n    def cuda(self, device):\n        return self.x.cuda(0)",
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"import torch\n{text}\n") == ()


def test_aliases() -> None:
    before = "import torch as th\r\ndef f(x, i):\r\n\treturn x.to(th.device('cuda', i))\r\n"
    device = "device = th.device('cuda', i) if th.cuda.is_available() else th.device('cpu')"
    after = before.replace("return x.to(th.device('cuda', i))", f"{device}\r\n\treturn x.to(device)")
    assert fixed(CODE, before) == after


CARD = "torch.accelerator.current_accelerator().type"
ANY = "if torch.accelerator.is_available() else"
NO_CARD = f'{ANY} torch.device("cpu")'
ON_ACCELERATOR = [
    ("y = x.cuda(1)", f"\ndevice = torch.device({CARD}, 1) {NO_CARD}\n\ny = x.to(device)"),
    ("y = x.cuda(rank)", f'y = x.to(torch.device({CARD}, rank) {ANY} "cpu")'),
    ('y = x.to("cuda:1")', f"\ndevice = torch.device({CARD}, 1) {NO_CARD}\n\ny = x.to(device)"),
    ('y = x.to(f"cuda:{rank}")', f'y = x.to(f"{{{CARD}}}:{{rank}}" {ANY} "cpu")'),
    ("d = torch.device('cuda', i)", f"d = torch.device({CARD}, i) {NO_CARD}"),
    ("d = torch.device(f'cuda:{int(e)}')", f"d = torch.device({CARD}, int(e)) {NO_CARD}"),
    (  # the variable is a text, which no number of a card may be
        "d = torch.device(f\"cuda:{os.environ['RANK']}\")",
        f"d = torch.device(f\"{{{CARD}}}:{{os.environ['RANK']}}\") {NO_CARD}",
    ),
    (
        "a.cuda(0)\nb.cuda(1)",
        f"\ndevice0 = torch.device({CARD}, 0) {NO_CARD}\ndevice1 = torch.device({CARD}, 1) {NO_CARD}\n\n"
        "a.to(device0)\nb.to(device1)",
    ),
]


@pytest.mark.parametrize(("before", "after"), ON_ACCELERATOR)
def test_cards_of_any_accelerator(before: str, after: str) -> None:
    target = Target("accelerator", torch_min_version=(2, 6))
    assert fixed("DEV106", f"import torch\n{before}\n", target=target) == f"import torch\n{after}\n"


def test_what_stands_beside_a_test_for_the_number_goes_to_the_same_device() -> None:
    head = "import argparse\nimport torch\n\np = argparse.ArgumentParser()\np.add_argument('--gpu', type=int)\nargs = p.parse_args()\n\n\n"
    loop = "def f(batches, args):\n    for x, y in batches:\n        if args.gpu is not None:\n            {}\n        {}\n\n\nf([], args)\n"
    program = head + loop
    text = program.format("x = x.cuda(args.gpu, non_blocking=True)", "y = y.cuda(args.gpu)")
    result = fixed(CODE, text, unsafe=False)
    assert "            x = x.to(device, non_blocking=True)\n        y = y.to(device)\n" in result
    alone = program.format("x = x.cuda(args.gpu, non_blocking=True)", "y = y.float()")
    assert found(CODE, alone) == ()


def test_cards_that_a_file_compares_by_their_text_change_together_or_not() -> None:
    text = 'import torch\n\ndef f(self, x, i):\n    self.last_device = "cuda:" + str(max(i))\n    return g() if {} else x\n'
    target = Target("accelerator", torch_min_version=(2, 6))
    assert found(CODE, text.format("i == 0"), target)
    assert not found(CODE, text.format('"cuda:" + str(i) != self.last_device'), target)
    assert found(CODE, text.format('"cuda:" + str(i) != self.last_device'))


@pytest.mark.parametrize(
    ("number", "named"), [("rank", "rank_device"), ("teacher_device", "teacher_card"), ("device_id", "card")]
)
def test_the_name_of_a_card_by_that_of_its_number(number: str, named: str) -> None:
    text = f'import torch\n\nfor {number} in range(2):\n    f({number}).to(f"cuda:{{{number}}}")\nx = f(0).cuda()\n'
    assert f"    f({number}).to({named})\n" in fixed(CODE, text)


def test_a_program_whose_processes_are_forked_asks_for_a_card_in_them() -> None:
    body = 'def run(x):\n    x.cuda(1)\n    return x.to("cuda:1")\n\nif __name__ == "__main__":\n    {start}\n'
    asked = 'device = torch.device("cuda:1" if torch.cuda.is_available() else "cpu")\n'
    forks = "from torch.multiprocessing import Process\nimport torch\n\n" + body.format(
        start="Process(target=run).start()"
    )
    spawns = forks.replace("Process(target=run).start()", 'set_start_method("spawn"), Process(target=run).start()')
    assert f"def run(x):\n    {asked}" in fixed(CODE, forks)
    assert f"\n\n{asked}" in fixed(CODE, spawns)


@pytest.mark.parametrize(("made", "is_changed"), [("nn.MSELoss()", False), ("nn.Linear(2, 2)", True)])
@pytest.mark.parametrize("head", ["", "class Losses:\n    "])
def test_a_loss_without_weights_starts_no_cuda_before_processes_are_forked(
    made: str, is_changed: bool, head: str
) -> None:
    text = (
        f"import torch\nfrom torch import nn\nfrom torch.multiprocessing import Process\n\n{head}kept = {made}.cuda()\n\n\n"
        "def work():\n    print(torch.ones(2).cuda())\n\n\nif __name__ == '__main__':\n    Process(target=work).start()\n"
    )
    after = fixed("DEV101", text, unsafe=False)
    assert (f"{made}.cuda()" not in after) is is_changed
    assert "torch.ones(2).cuda()" not in after


def test_a_function_inside_another_that_a_forked_process_runs_asks_itself() -> None:
    text = (
        "import torch\nfrom multiprocessing import Process\n\n\ndef main(rows):\n    def work(row):\n"
        "        return row.cuda(), row.cuda()\n\n    {start}\n\n\nif __name__ == '__main__':\n    main([])\n"
    )
    inside, outside = "def work(row):\n        device = torch.device(", "import Process\n\ndevice = torch.device("
    forked = fixed("DEV101", text.format(start="Process(target=work, args=(rows,)).start()"))
    assert inside in forked
    assert outside not in forked
    assert outside in fixed("DEV101", text.format(start="work(rows)"))


@pytest.mark.parametrize(
    ("line", "is_inside"),
    [
        ("mp.get_context('fork').Process(target=work).start()", True),
        ("context = mp.get_context('fork'); context.Pool(2).map(work, [])", True),
        ("context = mp.get_context('spawn'); context.Pool(2).map(work, [])", False),
        ("context = make(); context.Pool(2).map(work, [])", False),
        ("DataLoader(rows, collate_fn=work, num_workers=2)", True),
        ("DataLoader(rows, collate_fn=work, num_workers=0)", False),
        ("DataLoader(rows, collate_fn=work)", False),
        ("DataLoader(rows, collate_fn=list, num_workers=2)", False),
    ],
)
def test_processes_that_are_forked_in_other_words(line: str, is_inside: bool) -> None:
    text = (
        "import torch\nimport multiprocessing as mp\nfrom torch.utils.data import DataLoader\n\n\n"
        "def work(row):\n    return row.cuda()\n\n\nif __name__ == '__main__':\n"
        f"    rows = [torch.ones(2)]\n    {line}\n"
    )
    assert ("    device = torch.device(" in fixed("DEV101", text)) is is_inside


@pytest.mark.parametrize(
    ("method", "workers", "is_asked_there"),
    [("__getitem__", 2, True), ("__getitem__", 0, False), ("__init__", 2, False)],
)
def test_a_dataset_that_uses_cuda_in_forked_workers(method: str, workers: int, is_asked_there: bool) -> None:
    text = (
        "import torch\nfrom torch.utils.data import DataLoader, Dataset\n\n\nclass Rows(Dataset):\n"
        f"    def {method}(self, i):\n        self.x = torch.ones(2).cuda()\n\n\ndef finish(x):\n    return x.cuda()\n\n\n"
        f"if __name__ == '__main__':\n    loader = DataLoader(Rows(), num_workers={workers})\n    print(finish(list(loader)[0]))\n"
    )
    assert ("x.to(get_device())" in fixed("DEV101", text)) is is_asked_there


def test_a_card_is_not_made_above_a_test_that_asks_for_its_number() -> None:
    text = (
        "import torch\n\n\ndef load(x, number: int = -1):\n    if {test}:\n        x = 2 * x.to(f'cuda:{{number}}')\n"
        "    if {test}:\n        x = x + x.to(f'cuda:{{number}}')\n    return x\n"
    )
    asked = fixed(CODE, text.format(test="number != -1"))
    assert asked.count("    if number != -1:\n        device = ") == 2
    other = fixed(CODE, text.format(test="len(x)"))  # it may be no card, and set_device(-1) does nothing
    assert other.count("    if len(x):\n        device = ") == 2
    always = text.replace("    return x", "    return x + x.to(f'cuda:{{number}}')")
    other = fixed(CODE, always.format(test="len(x)"))
    assert other.count("device = ") == 1
    assert "number: int = -1):\n    device = " in other


def test_a_card_is_not_made_above_what_may_return() -> None:
    text = (
        "import torch\n\n\ndef load(x, number):\n    y = x.to(f'cuda:{number}') if len(x) else x\n{line}"
        "    return y + x.to(f'cuda:{number}')\n"
    )
    for line, is_above in (("    if not len(x):\n        return x\n", False), ("    print(x)\n", True)):
        other = fixed(CODE, text.replace("{line}", line))
        assert ("number):\n    device = " in other) is is_above


@pytest.mark.parametrize(
    ("init", "load", "is_of_class"),
    [
        ("pass", "if path:\n            self.x = torch.load(path, map_location=f'cuda:{self.args.gpu}')", False),
        ("self.x = torch.ones(2).to(f'cuda:{self.args.gpu}')", "return self.x.to(f'cuda:{self.args.gpu}')", True),
    ],
)
def test_a_card_of_a_class_is_made_where_the_class_uses_it(init: str, load: str, is_of_class: bool) -> None:
    text = (
        "import torch\n\n\nclass Learner:\n    def __init__(self, args):\n        self.args = args\n"
        f"        {init}\n\n    def load(self, path):\n        {load}\n"
    )
    assert ("self.device = " in fixed(CODE, text)) is is_of_class


HELPER = """{}


def parallel(function, rows, start=None):
    for row in rows:
        Process(target=function, args=(row,)).start()
"""


@pytest.mark.parametrize(
    ("imported", "in_lambda"),
    [
        ("from multiprocessing import Process", True),
        ("import multiprocessing as mp\nProcess = mp.Process\nmp.Process()", True),
        ("from multiprocessing import Process, set_start_method\nset_start_method('spawn')", False),
        ("from threading import Thread as Process", False),
    ],
)
def test_a_function_of_another_file_forks_for_a_lambda(tmp_path: Path, imported: str, in_lambda: bool) -> None:
    program = (
        "import torch\nfrom helper import parallel\n\n\ndef main(rows, work):\n"
        "    parallel(work, rows, start=lambda net: net.cuda())\n"
    )
    files = {"pyproject.toml": "", "helper.py": HELPER.format(imported), "main.py": program}
    text = fix_files(write_files(tmp_path / "p", files), unsafe=False)["main.py"]
    assert ('net.to("cuda" if torch.cuda.is_available()' in text) is in_lambda
    assert ("net.to(device)" in text) is not in_lambda


@pytest.mark.parametrize(("line", "kind"), [('device = "cuda:1"', "unsafe"), ('net.to("cuda:1")', "safe")])
def test_a_card_above_processes_that_are_forked(line: str, kind: str) -> None:
    """Where the program itself starts CUDA, they could not use it anyway."""
    head = "import torch\nfrom multiprocessing import Pool\n\nnet = torch.nn.Linear(2, 2)\n"
    text = f'{head}{line}\nif __name__ == "__main__":\n    Pool(2).map(work, [1])\n'
    assert places(CODE, text) == [(5, kind)]


def test_a_test_for_the_number_and_the_line_below_it_share_one_device() -> None:
    text = "import argparse\nimport torch\n\np = argparse.ArgumentParser()\np.add_argument('--gpu', type=int)\n"
    text += "args = p.parse_args()\n\n\ndef main(args):\n    net = make()\n    {}if args.gpu is not None:\n        net = net{}\n"
    text += "    else:\n        net = other(net)\n    criterion = make(){}\n    return net, criterion\n\n\nmain(args)\n"
    device = 'device = torch.device("cuda", args.gpu) if torch.cuda.is_available() else torch.device("cpu")\n    '
    move = ".cuda(args.gpu)"
    check(CODE, text.format("", move, move), text.format(device, ".to(device)", ".to(device)"))


CHAT = """import torch

class Chat:
    def __init__(self, net, device="cpu"):
        self.net = net
        self.device = device

    def ask(self, x):
        return self.net(x.to(self.device))

def main(net, {}):
    {}
"""
KEPT = [
    ("i", 'return Chat(net, "cuda:1")', f'return Chat(net, "cuda:1" {IF} "cpu")'),
    ("i", "return Chat(net, device=f'cuda:{i}')", f"return Chat(net, device=f'cuda:{{i}}' {IF} 'cpu')"),
    (
        "i",
        'net = net.to("cuda:1")\n    return Chat(net, device="cuda:1")',
        f'device = torch.device("cuda:1" {IF} "cpu")\n    net = net.to(device)\n    return Chat(net, device=str(device))',
    ),
    (
        'device=torch.device("cuda:0")',
        'return Chat(net.to(device), "cuda:0"), Chat(net, "cuda:0")',
        "return Chat(net.to(device), str(device)), Chat(net, str(device))",
    ),
]


@pytest.mark.parametrize(("given", "before", "after"), KEPT)
def test_a_card_that_an_object_keeps_as_a_string(given: str, before: str, after: str) -> None:
    check(CODE, CHAT.format(given, before), CHAT.format(given, after))


def test_a_choice_has_the_quotes_of_the_card() -> None:
    text = "import torch\n\ndef f(n, card):\n{}    return torch.eye(n, device={})\n"
    card = "torch.device('cuda', card)"
    own = f"    device = {card} {IF} torch.device('cpu')\n"
    assert fixed(CODE, text.format("", card)) == text.format(own, "device")


SPREAD = """
import torch


class Stack(torch.nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = torch.nn.ModuleList(layers)
        self.{flag} = False

    def parallelize(self, cards):
        self.{flag} = {on}
        self.last = {last}
        for k, indices in cards.items():
            for i in indices:
                self.layers[i] = self.layers[i].to("cuda:" + str(k))

    def deparallelize(self):
        self.{flag} = False
        self.layers = self.layers.cpu()

    def forward(self, x, k):
        if self.{flag}:
            torch.cuda.set_device(x.device)
            x = x.to("cuda:" + str(k + 1))
        return self.layers[0](x)
"""


@pytest.mark.parametrize("last", ['"cuda:" + str(max(cards))', 'f"cuda:{max(cards)}"'])
def test_a_model_that_is_spread_over_cards_needs_them(last: str) -> None:
    text = SPREAD.format(flag="spread", on="True", last=last)
    assert {kind for _, kind in places(CODE, text)} == {"none"}
    assert places("DEV501", text) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("self.spread = True", "self.spread = cards is not None"),
        ("self.spread = False", "self.spread = ask()"),
        ("    def deparallelize(self):\n", "    def other(self):\n        self.spread = True\n\n    def last(self):\n"),
    ],
)
def test_a_flag_that_others_switch_says_nothing_of_cards(before: str, after: str) -> None:
    text = SPREAD.format(flag="spread", on="True", last='"cuda:" + str(max(cards))')
    assert [kind for _, kind in places("DEV501", text.replace(before, after, 1))] == ["safe"]


def test_cards_that_are_counted_when_a_model_is_spread() -> None:
    text = SPREAD.format(flag="spread", on="True", last="range(torch.cuda.device_count())")
    moved = text.replace('.to("cuda:" + str(k))', ".to(place(k))")
    assert places("DEV501", moved) == []
    assert len(places("DEV501", moved.replace("range(torch.cuda.device_count())", "2"))) == 1


_OPTIONS = """import argparse


class Options:
    def __init__(self):
        self.parser = argparse.ArgumentParser()
        self.parser.add_argument("--gpu", {})

    def parse(self):
        return self.parser.parse_args()
"""
_NET = """import torch
from torch import nn


class Net(nn.Module):
    def set_gpu(self, gpu):
        self.gpu = gpu
        self.layer.cuda(self.gpu)
"""
_RUN = """import torch
from net import Net
from options import Options

opts = Options().parse()
net = Net()
net.set_gpu({})
x = torch.ones(1).cuda(opts.gpu)
"""
_CARD = 'torch.device("cuda", {}) if torch.cuda.is_available() else torch.device("cpu")'


def test_the_first_card_of_a_list_of_numbers() -> None:
    head = "import torch\n\n\ndef main(net, count):\n    cards = list(range(count))\n"
    before = f"{head}    net = net.cuda(cards[0])\n    for _ in range(3):\n        net(torch.ones(2).cuda(cards[0]))\n"
    device = f"    device = {_CARD.format('cards[0]')}\n"
    after = f"{head}{device}    net = net.to(device)\n    for _ in range(3):\n        net(torch.ones(2).to(device))\n"
    check(CODE, before, after, "safe", "safe")
    other = before.replace("list(range(count))", "made(count)")
    assert "safe" not in {kind for _, kind in places(CODE, other)}


@pytest.mark.parametrize("option", ["type=int, default=0", "type=int"])
@pytest.mark.parametrize("given", ["opts.gpu", "1"])
def test_the_number_of_a_card_that_another_file_says(tmp_path: Path, option: str, given: str) -> None:
    files = {"options.py": _OPTIONS.format(option), "net.py": _NET, "run.py": _RUN.format(given)}
    after = fix_files(write_files(tmp_path, files))
    assert f"        device = {_CARD.format('self.gpu')}\n        self.layer.to(device)\n" in after["net.py"]
    assert _CARD.format("opts.gpu") in after["run.py"]


@pytest.mark.parametrize(
    ("option", "given", "more"),
    [
        ("default='0'", "opts.gpu", ""),
        ("type=int, nargs='+'", "opts.gpu", ""),
        ("type=int, default=0", "opts.gpu", "opts.gpu = 'cuda:1'\n"),
        ("type=int, default=0", "name", ""),
        ("type=int, default=0", "*names", ""),
        ("type=int, default=0", "opts.gpu", "Net().set_gpu('0')\n"),
    ],
)
def test_what_another_file_gives_may_be_no_number(tmp_path: Path, option: str, given: str, more: str) -> None:
    run = _RUN.format(given).replace("x = ", f"{more}x = ")
    files = {"options.py": _OPTIONS.format(option), "net.py": _NET, "run.py": run}
    assert "net.py" not in fix_files(write_files(tmp_path, files))


@pytest.mark.parametrize("card", ['"cuda:" + str(args.n)', 'f"cuda:{args.n}"', '"cuda:{}".format(args.n)'])
@pytest.mark.parametrize("name", ["cudaid", "gpu", "where"])
@pytest.mark.parametrize("use", ["torch.device({})", "torch.ones(1).to({})", "torch.ones(1, device={})"])
def test_a_card_of_any_name_that_something_is_put_on(card: str, name: str, use: str) -> None:
    text = "import argparse\nimport torch\n\nparser = argparse.ArgumentParser()\nparser.add_argument('--n', type=int)\n"
    text += f"args = parser.parse_args()\n{name} = {{}}\nx = {use.format(name)}\nprint({name})\n"
    after = f'{card} if torch.cuda.is_available() else "cpu"'
    assert fixed("DEV106", text.format(card)) == text.format(after)
    assert places("DEV106", text.format(after)) == []


@pytest.mark.parametrize(
    "text",
    [
        'name = f"cuda:{i}"\nprint(name)',
        'name = f"cuda:{i}"\nif x:\n    name = "cpu"\ny = torch.ones(1).to(name)',
        'class A:\n    name = f"cuda:{i}"\ny = torch.ones(1).to(A.name)',
        'name = other = f"cuda:{i}"\ny = torch.ones(1).to(name)',
        'name = f"cuda:{i}"\ny = run(name, torch.float64)',
    ],
)
def test_a_card_of_any_name_that_is_only_a_text(text: str) -> None:
    assert places("DEV106", f"import torch\n{text}\n") == []


_WORKER = """import argparse
import torch.multiprocessing as mp
from engine import train

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", {option})


def main_worker(gpu, count, args):
    args.gpu = gpu
    train(args)


def main():
    args = parser.parse_args()
    if args.many:
        mp.spawn(main_worker, nprocs=2, args=(2, args))
    else:
        {call}


main()
"""
_ENGINE = "import torch\n\n\ndef train(args):\n    x = torch.ones(1).cuda(args.gpu)\n    print(x)\n"


@pytest.mark.parametrize(
    "call", ["main_worker(args.gpu, 1, args)", "main_worker(0, 1, args)", "main_worker(None, 1, args)"]
)
def test_the_number_of_a_process_that_another_file_keeps(tmp_path: Path, call: str) -> None:
    files = {"main.py": _WORKER.format(option="type=int", call=call), "engine.py": _ENGINE}
    after = fix_files(write_files(tmp_path, files))["engine.py"]
    assert f"    device = {_CARD.format('args.gpu')}\n    x = torch.ones(1).to(device)\n" in after


@pytest.mark.parametrize(
    ("option", "call", "old", "new"),
    [
        ("type=str", "main_worker(args.gpu, 1, args)", "", ""),
        ("type=int", "main_worker(name, 1, args)", "", ""),
        ("type=int", "main_worker('0', 1, args)", "", ""),
        ("type=int", "main_worker(*given)", "", ""),
        ("type=int", "run(main_worker)", "", ""),
        ("type=int", "main_worker(0, 1, args)", "    args.gpu = gpu\n", "    gpu = str(gpu)\n    args.gpu = gpu\n"),
        ("type=int", "main_worker(0, 1, args)", "    args.gpu = gpu\n", "    args.gpu = count\n"),
        ("type=int", "main_worker(0, 1, args)", "def main_worker", "@started\ndef main_worker"),
    ],
)
def test_what_another_file_keeps_may_be_no_number(tmp_path: Path, option: str, call: str, old: str, new: str) -> None:
    main = _WORKER.format(option=option, call=call)
    assert "engine.py" not in fix_files(
        write_files(tmp_path, {"main.py": main.replace(old, new, 1), "engine.py": _ENGINE})
    )


@pytest.mark.parametrize(
    ("call", "is_safe"), [("main_worker(args.gpu, 1, args)", True), ("main_worker('cuda', 1, args)", False)]
)
def test_programs_of_one_project_keep_the_numbers_of_their_processes(tmp_path: Path, call: str, is_safe: bool) -> None:
    worker = "    model = torch.nn.Linear(2, 2).cuda(args.gpu)\n    train(model)\n"
    texts = [
        _WORKER.format(option="default=None, type=int", call=one).replace("    train(args)\n", worker)
        for one in ("main_worker(args.gpu, 1, args)", call)
    ]
    names = "digits/main.py", "pictures/main.py"
    files = {"README.md": "# Both\n", **{name: f"import torch\n{text}" for name, text in zip(names, texts)}}
    after = fix_files(write_files(tmp_path, files))
    assert (".to(device)" in after.get(names[0], "")) is is_safe


_CURRENT = """import argparse
import os
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", default=0, type=int)
parser.add_argument("--cards", default="0")


def main():
    args = parser.parse_args()
    os.environ["CUDA_VISIBLE_DEVICES"] = args.cards
    work(args)


def work(args):
    torch.cuda.set_device(args.gpu)
    net = torch.nn.Linear(2, 2).cuda(args.gpu)
    first = torch.nn.MSELoss().cuda(args.gpu)
    run(net, first, torch.ones(1).cuda())


main()
"""


def test_moves_to_the_current_card_share_its_device() -> None:
    after = fixed(CODE, _CURRENT)
    assert after.count("device = ") == 1
    assert after.count(".to(device)") == 2


@pytest.mark.parametrize(
    "place", ["'cuda:{}'.format(args.gpu)", "f'cuda:{args.gpu}'", "torch.device('cuda', args.gpu)"]
)
def test_the_current_card_by_its_name_shares_its_device(place: str) -> None:
    head = _CURRENT.replace("    run(net", f"    state = torch.load('state.pt', map_location={place})\n    run(net")
    after = fixed(CODE, head)
    assert after.count("is_available()") == 1
    assert "map_location=device)" in after
    early = head.replace("    torch.cuda.set_device(args.gpu)\n", "").replace(
        "    run(", "    torch.cuda.set_device(1)\n    run("
    )
    assert "map_location=device)" not in fixed(CODE, early, unsafe=False)


_CHOSEN = """\
import torch
from launcher import run
from model import Net


def sample(x):
    torch.cuda.set_device({chosen})
    net = {made}
    net.cuda(0)
    return net(x.cuda())


run(sample)
"""


def test_a_card_chosen_above_by_its_number_shares_the_device_of_the_current_one() -> None:
    after = fixed(CODE, _CHOSEN.format(chosen=0, made="Net()"))
    assert 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")' in after
    assert "net.to(device)" in after
    assert 'torch.device("cuda:0" if' in fixed(CODE, _CHOSEN.format(chosen=1, made="Net()"))


@pytest.mark.parametrize(("made", "is_shared"), [("Net()", True), ("run(Net())", False)])
def test_what_another_file_may_choose_in_between_is_not_the_card_chosen_above(
    tmp_path: Path, made: str, is_shared: bool
) -> None:
    files = {
        "app.py": _CHOSEN.format(chosen=0, made=made),
        "launcher.py": "import torch\ndef run(f):\n    torch.cuda.set_device(rank())\n    return f\n",
        "model.py": "import torch\nclass Net(torch.nn.Module):\n    pass\n",
    }
    after = fix_files(write_files(tmp_path, files))["app.py"]
    assert ('torch.device("cuda" if' in after) is is_shared


@pytest.mark.parametrize(("number", "is_outside"), [("k", True), ("n", False), ("options.card", False)])
def test_a_card_that_may_be_no_number_is_named_where_it_is_used(number: str, is_outside: bool) -> None:
    """The loop may run for nothing, and ``"cuda:cuda:0"`` is an error only where it is used."""
    text = (
        f"import torch\n\n\ndef f(xs, n, k: int, options):\n    for x in xs:\n        use(x.to(f'cuda:{{{number}}}'))\n"
    )
    lines = fixed(CODE, text).splitlines()
    defined = next(index for index, line in enumerate(lines) if "torch.device(" in line)
    assert (defined < next(index for index, line in enumerate(lines) if "for x in xs" in line)) is is_outside


def test_a_string_that_is_given_the_name_of_a_map_is_the_device_of_all() -> None:
    text = (
        "import torch\n\n\nclass Model:\n    def __init__(self, accelerator, device):\n"
        "        if accelerator.num_processes > 1:\n"
        "            self._device = torch.device(f'cuda:{accelerator.index}')\n"
        "            self.device_map = f'cuda:{accelerator.index}'\n"
        "        else:\n            self._device = torch.device(device)\n            self.device_map = device\n"
    )
    asked = " if torch.cuda.is_available() else 'cpu'"
    after = text.replace("index}'", f"index}}'{asked}")
    assert fixed(CODE, text, unsafe=False) == after
    assert not found(CODE, "import torch\ndevice_map = {'a': 'cuda:1'}\ndevice_map['b'] = f'cuda:{i}'\n")


@pytest.mark.parametrize(
    ("parameters", "line", "name"),
    [
        ("net, device_id", "", "device"),
        ("net, options", "", "device"),
        ("net, device_id, device", "", "card"),
        ("net, device_id", "    net.moved = net.device\n", "card"),
        ("net, device_id", "    net = net.cuda()\n", "card"),
        ("net, device_id, device_id_2", "    net = net.to(f'cuda:{device_id_2}')\n", "card"),
    ],
)
def test_the_device_of_the_only_card_that_a_function_names(parameters: str, line: str, name: str) -> None:
    number = "options.device_id" if "options" in parameters else "device_id"
    text = (
        f"import torch\n\n\ndef first({parameters}):\n    net = net.to(f'cuda:{{{number}}}')\n{line}    return net\n"
        "\n\ndef second(net):\n    return net.cuda()\n"
    )
    after = fixed(CODE, text)
    assert f"    {name} = torch.device(f'cuda:{{{number}}}' if torch.cuda.is_available() else 'cpu')\n" in after
    assert f"    net = net.to({name})\n" in after


@pytest.mark.parametrize(
    ("name", "expected", "is_fixed"),
    [
        ("test_places.py", "assert place({0: 1}).type == 'cuda'", False),
        ("test_places.py", "assert place({}) is None", True),
        ("use.py", "assert place({0: 1}).type == 'cuda'", True),
    ],
)
def test_a_device_that_a_test_elsewhere_expects_on_cuda(
    name: str, expected: str, is_fixed: bool, tmp_path: Path
) -> None:
    text = "import torch\n\n\ndef place(cards):\n    first = next(iter(cards))\n    if isinstance(first, int):\n"
    text += '        return torch.device("cuda", first)\n    return None\n'
    test = f"from places import place\n\n\ndef test_place():\n    {expected}\n"
    project = write_files(tmp_path / "p", {"setup.py": "", "places.py": text, name: test})
    assert ("places.py" in fix_files(project)) is is_fixed


@pytest.mark.parametrize("test", ["torch.cuda.is_available()", "has_cuda"])
def test_no_device_of_options_below_a_test_for_cuda(test: str) -> None:
    text = (
        "import torch\n\n\ndef main(cfg, net):\n    has_cuda = torch.cuda.is_available()\n"
        f"    if {test}:\n        x = torch.ones(1, device='cuda:0')\n    net.to(cfg.device)\n    return net\n"
    )
    assert fixed(CODE, text) == text


FORKS_BELOW = """\
import torch
from multiprocessing import Process


def work(device):
    print(torch.ones(2).to(device))


def run(count):
    {above}
    devices = [torch.device("cuda:%d" % i) for i in range(count)]
    {below}
    print(devices)
"""


@pytest.mark.parametrize(
    ("above", "below", "changed"),
    [
        ("pass", "Process(target=work, args=(devices[0],)).start()", False),
        ("print(torch.cuda.is_available())", "Process(target=work, args=(devices[0],)).start()", True),
        ("Process(target=work, args=('cpu',)).start()", "pass", True),
        ("torch.multiprocessing.set_start_method('spawn')", "Process(target=work).start()", True),
        ("pass", "work(devices[0])", True),
    ],
)
def test_devices_that_a_function_names_above_processes_that_it_forks(above: str, below: str, changed: bool) -> None:
    """Who asks torch for CUDA keeps it from the processes that are forked then; who only names a card does not."""
    text = FORKS_BELOW.format(above=above, below=below)
    assert (fixed(CODE, text, unsafe=False) != text) is changed


UNSET = """\
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--card", default=None, type=int)


def main():
    args = parser.parse_args()
    net = torch.nn.Linear(2, 2)
    {set}
    {unset}
    loss = torch.nn.MSELoss(){loss}
    return net, loss


main()
"""
SET_FIRST = {
    "set": "if args.card is not None:\n        net = net.cuda(args.card)",
    "unset": "else:\n        net = torch.nn.DataParallel(net).cuda()",
}
SET_LAST = {
    "set": "if args.card is None:\n        net = torch.nn.DataParallel(net).cuda()",
    "unset": "else:\n        net = net.cuda(args.card)",
}


@pytest.mark.parametrize("branches", [SET_FIRST, SET_LAST])
@pytest.mark.parametrize("loss", ["", ".cuda(args.card)"])
def test_what_goes_to_the_current_card_where_the_number_is_none_shares_the_device(
    tmp_path: Path, branches: dict[str, str], loss: str
) -> None:
    after = fix_files(write_files(tmp_path, {"main.py": UNSET.format(**branches, loss=loss)}))["main.py"]
    assert after.count("torch.device(") == 2
    assert '    device = torch.device("cuda", args.card) if' in after
    assert after.count(".to(device)") == 2 + bool(loss)
    assert ".cuda(" not in after


@pytest.mark.parametrize(
    "branches",
    [
        {**SET_FIRST, "set": SET_FIRST["set"].replace("is not None", "!= -1")},
        {**SET_FIRST, "set": SET_FIRST["set"].replace("args.card)", "args.other)")},
        {**SET_FIRST, "unset": SET_FIRST["unset"].replace("net = torch", "args.card = 1\n        net = torch")},
        {**SET_FIRST, "set": SET_FIRST["set"].replace("net = net", "if net.bias is None:\n            return net\n        net = net")},
    ],
)  # fmt: skip
def test_a_card_whose_number_is_not_none_or_changes_shares_no_device(tmp_path: Path, branches: dict[str, str]) -> None:
    after = fix_files(write_files(tmp_path, {"main.py": UNSET.format(**branches, loss="")}))["main.py"]
    assert 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")' in after
    assert "net = torch.nn.DataParallel(net).to(device)\n" in after


UNDER_NUMBER = [
    ("n", "if n > -1:", "m.cuda(n)", " and torch.cuda.is_available()"),
    ("n", "if n > -1:", "x = x.to(f'cuda:{n}')\n        m.to(f'cuda:{n}')", " and torch.cuda.is_available()"),
    ("n=-1", "if n > -1:", "m.cuda(n)", None),
    ("n", "if n > -1:", "m.cuda(n)\n        m.train()", None),
    ("n", "if n > -1:", "m.cuda(n)\n    else:\n        m.eval()", None),
]


@pytest.mark.parametrize(("given", "test", "moves", "added"), UNDER_NUMBER)
def test_a_test_of_the_number_around_nothing_but_moves_asks_torch_as_well(
    given: str, test: str, moves: str, added: str | None
) -> None:
    code = f"import torch\ndef place(m, x, {given}):\n    {test}\n        {moves}\n    return m(x)\nplace(net, x{', 0' * (given == 'n')})\n"
    made = fixed(CODE, code)
    assert ("and torch.cuda.is_available()" in made) is (added is not None)
    if added is not None:
        assert made == code.replace(test, f"{test[:-1]}{added}:")


OF_MODULE = """import torch
from torch import nn

device_ids = [1]
loss = nn.MSELoss().cuda(device_ids[0])


def main():
    net = nn.Linear(2, 2).cuda(device_ids[0]).train()
    train(net)


def train(net):
    for step in range(3):
        x = torch.ones(2, 2).cuda(device_ids[0])
        print(loss(net(x), x))


if __name__ == "__main__":
    main()
"""
OF_OPTION = """import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", default="0")
args = parser.parse_args()
net = nn.Linear(2, 2)
net.to("cuda:{}".format(args.gpu))


def val(x{}):
    return net(x.to("cuda:{}".format(args.gpu)))


{}val(torch.ones(2, 2))
"""


def test_functions_use_the_device_of_a_card_that_the_module_defines_for_itself() -> None:
    assert fixed(CODE, OF_MODULE).count("is_available()") == 1
    assert fixed(CODE, OF_OPTION.replace("x{}", "x").replace("{}val", "val")).count("is_available()") == 1


@pytest.mark.parametrize(
    ("parameter", "between"),
    [("", "args.gpu = input()\n"), (", args=args", ""), ("", "args = parser.parse_args()\n")],
)
def test_a_card_of_the_module_that_is_another_one_where_the_function_runs(parameter: str, between: str) -> None:
    text = OF_OPTION.replace("x{}", f"x{parameter}").replace("{}val", f"{between}val")
    assert fixed(CODE, text).count("is_available()") > 1


BESIDE_TEST = """import argparse

import torch


def validate(loader, net, args):
    with torch.no_grad():
        for x, y in loader:
            if args.gpu is not None:
                x = x.cuda(args.gpu, non_blocking=True)
            y = y.cuda(args.gpu, non_blocking=True)
            print(net(x) - y)


def main_worker(gpu, args):
    args.gpu = gpu
    validate(args.loader, args.net, args)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", type=int)
    args = parser.parse_args()
    main_worker(args.gpu, args)


main()
"""
SPAWNED = """import torch.multiprocessing as mp


def main_worker(gpu, args):
    args.gpu = gpu
    args.run(args)


if __name__ == "__main__":
    mp.spawn(main_worker, nprocs=2, args=(None,))
"""


def test_a_card_in_a_loop_that_may_change_has_one_device_for_all_its_uses_there(tmp_path: Path) -> None:
    write_files(tmp_path, {"train.py": BESIDE_TEST, "other.py": SPAWNED})
    after = fix_files(tmp_path)["train.py"]
    assert after.count("is_available()") == 1 and ".to(gpu_device, non" in after.replace(".to(device", ".to(gpu_device")
