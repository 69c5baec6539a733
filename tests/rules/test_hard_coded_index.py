from __future__ import annotations

import pytest

from devlint.core.target import Target
from tests.support.rule_cases import check, fixed, found, places, source

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


OTHERS = [
    ("x = x.cuda(1)", f'x = x.to("cuda:1" {IF} "cpu")'),
    ("x = x.cuda(device=1)", f'x = x.to("cuda:1" {IF} "cpu")'),
    ("x = x.to(1)", f'x = x.to("cuda:1" {IF} "cpu")'),
    ("x = x.to('cuda:1')", f"x = x.to('cuda:1' {IF} 'cpu')"),
    ("x = torch.zeros(3, device='cuda:1')", f"x = torch.zeros(3, device='cuda:1' {IF} 'cpu')"),
    ("x = x.to(f'cuda:{i}')", f"x = x.to(f'cuda:{{i}}' {IF} 'cpu')"),
    ('x = x.to("cuda:%d" % i)', f'x = x.to("cuda:%d" % i {IF} "cpu")'),
    ('x = x.to("cuda:%d" % (i,))', f'x = x.to("cuda:%d" % (i,) {IF} "cpu")'),
    ('x = x.to("cuda:" + str(i))', f'x = x.to("cuda:" + str(i) {IF} "cpu")'),
    ('x = x.to("cuda:{}".format(i))', f'x = x.to("cuda:{{}}".format(i) {IF} "cpu")'),
    ("device = torch.device('cuda:1')", f"device = torch.device('cuda:1' {IF} 'cpu')"),
    ("device = torch.device('cuda', 1)", f'device = torch.device("cuda:1" {IF} "cpu")'),
    ("device = torch.device('cuda', i)", f"device = torch.device('cuda', i) {IF} torch.device(\"cpu\")"),
    ("device = torch.device(f'cuda:{i}')", f"device = torch.device(f'cuda:{{i}}' {IF} 'cpu')"),
    ("device = torch.device(local_rank)", f'device = torch.device(local_rank) {IF} torch.device("cpu")'),
    ("device = 'cuda:1'", f"device = 'cuda:1' {IF} 'cpu'"),
    ("device = f'cuda:{rank}'", f"device = f'cuda:{{rank}}' {IF} 'cpu'"),
    ("x = x.cuda(rank)", f'x = x.to(torch.device("cuda", rank) {IF} "cpu")'),
    ("x = x.cuda(args.gpu, True)", f'x = x.to(torch.device("cuda", args.gpu) {IF} "cpu", non_blocking=True)'),
    ("x = x.cuda(gpus[0])", f'x = x.to(torch.device("cuda", gpus[0]) {IF} "cpu")'),
    ("x = x.cuda(rank % 2)", f'x = x.to(torch.device("cuda", rank % 2) {IF} "cpu")'),
    (
        "x = torch.load(f, lambda s, l: s.cuda(rank))",
        f'x = torch.load(f, torch.device("cuda", rank) {IF} "cpu")',
    ),
    ("run(torch.device('cuda:1'))", f"run(torch.device('cuda:1' {IF} 'cpu'))"),
    ("with torch.device('cuda:1'):\n    x = 1", f"with torch.device('cuda:1' {IF} 'cpu'):\n    x = 1"),
]


@pytest.mark.parametrize(("before", "after"), OTHERS)
def test_other_cards(before: str, after: str) -> None:
    text = source(
        f"import torch  # cuda\ndef f(x, i, rank, local_rank, gpus, args):\n    {before.replace(chr(10), chr(10) + '    ')}\n"
    )
    wanted = f"import torch  # cuda\ndef f(x, i, rank, local_rank, gpus, args):\n    {after.replace(chr(10), chr(10) + '    ')}\n"
    check(CODE, text.text, wanted, "unsafe")
    assert fixed(CODE, text.text, unsafe=False) == text.text


@pytest.mark.parametrize("chosen", ["get_device(args)", "get_device(args) if args else 'cuda'"])
def test_a_device_that_a_function_chose_may_be_another_card(chosen: str) -> None:
    head = f"import torch\nfrom util import get_device\ndef f(x, args):\n    device = {chosen}\n"
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

        x = torch.ones(3).to("cuda:0" if torch.cuda.is_available() else "cpu")
        y = torch.ones(3).to("cuda:1" if torch.cuda.is_available() else "cpu")
    """
    check(CODE, before, after, "unsafe", "unsafe")


def test_set_device_names_a_card() -> None:
    assert places(CODE, HEAD + "torch.cuda.set_device(2)\nx = x.cuda(0)\n") == [(4, "unsafe")]


@pytest.mark.parametrize("ids", ["[0, 1]", "(0,)", "[1]"])
def test_device_ids(ids: str) -> None:
    assert places(CODE, f"import torch\nm = torch.nn.DataParallel(m, device_ids={ids})\n") == [(2, "none")]


NO_FIX = [
    "if torch.cuda.is_available():\n    x = x.cuda(1)\n",
    "x = x.cuda(1, *rest)\n",
]


@pytest.mark.parametrize("text", NO_FIX)
def test_reported_only(text: str) -> None:
    assert [kind for _, kind in places(CODE, "import torch\n" + text)] == ["none"]


SILENT = [
    "def test():\n    with pytest.raises(RuntimeError):\n        torch.zeros(2, device='cuda:99')",
    "class Q(torch.Tensor):\n    def cuda(self, device=0):\n        return self.to(torch.device('cuda', device))",
    "two = pytest.mark.skipif(torch.cuda.device_count() < 2, reason='x')\n@two\ndef test():\n"
    "    torch.zeros(2, device='cuda:1')",
    "x = x.to(torch.device('npu:%d' % rank))",
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
    after = before.replace(
        "th.device('cuda', i)", "th.device('cuda', i) if th.cuda.is_available() else th.device(\"cpu\")"
    )
    assert fixed(CODE, before) == after


CARD = "torch.accelerator.current_accelerator().type"
ANY = "if torch.accelerator.is_available() else"
ON_ACCELERATOR = [
    ("y = x.cuda(1)", f'y = x.to(torch.device({CARD}, 1) {ANY} "cpu")'),
    ("y = x.cuda(rank)", f'y = x.to(torch.device({CARD}, rank) {ANY} "cpu")'),
    ('y = x.to("cuda:1")', f'y = x.to(f"{{{CARD}}}:1" {ANY} "cpu")'),
    ('y = x.to(f"cuda:{rank}")', f'y = x.to(f"{{{CARD}}}:{{rank}}" {ANY} "cpu")'),
    ("d = torch.device('cuda', i)", f'd = torch.device({CARD}, i) {ANY} torch.device("cpu")'),
    (
        "a.cuda(0)\nb.cuda(1)",
        f'a.to(torch.device({CARD}, 0) {ANY} "cpu")\nb.to(torch.device({CARD}, 1) {ANY} "cpu")',
    ),
]


@pytest.mark.parametrize(("before", "after"), ON_ACCELERATOR)
def test_cards_of_any_accelerator(before: str, after: str) -> None:
    target = Target("accelerator", torch_min_version=(2, 6))
    assert fixed("DEV106", f"import torch\n{before}\n", target=target) == f"import torch\n{after}\n"
