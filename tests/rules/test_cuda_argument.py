from __future__ import annotations

import pytest

from devlint.core.target import Target
from tests.support.rule_cases import check, fixed, found, places, source

CODE = "DEV102"
HEAD = "import torch\nimport torch.nn as nn\ndevice = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"

SLOTS = [
    ('y = x.to("cuda")', "y = x.to(device)"),
    ("y = x.to('cuda')", "y = x.to(device)"),
    ('y = x.to(device="cuda")', "y = x.to(device=device)"),
    (
        'y = x.to("cuda", torch.float64, non_blocking=True)',
        "y = x.to(device, torch.float64, non_blocking=True)",
    ),
    ('y = x.to(dtype=torch.float16, device="cuda")', "y = x.to(dtype=torch.float16, device=device)"),
    ('y = x.to(torch.device("cuda"))', "y = x.to(device)"),
    ('y = x.to(torch.device(type="cuda"))', "y = x.to(device)"),
    ('y = x.to(("cuda"))', "y = x.to(device)"),
    ('y = net(x.to("cuda")).to("cuda")', "y = net(x.to(device)).to(device)"),
    ('y = torch.Tensor.to(x, "cuda")', "y = torch.Tensor.to(x, device)"),
    ('y = torch.zeros(2, 3, device="cuda")', "y = torch.zeros(2, 3, device=device)"),
    ('y = torch.ones_like(x, device="cuda")', "y = torch.ones_like(x, device=device)"),
    ('y = x.new_zeros(3, device="cuda")', "y = x.new_zeros(3, device=device)"),
    ('y = nn.Linear(2, 3, device="cuda")', "y = nn.Linear(2, 3, device=device)"),
    ('y = nn.Linear(2, 3, **{"device": "cuda"})', 'y = nn.Linear(2, 3, **{"device": device})'),
    ('y = net.to_empty(device="cuda")', "y = net.to_empty(device=device)"),
    ('y = torch.load(f, map_location="cuda")', "y = torch.load(f, map_location=device)"),
    ('y = torch.load(f, "cuda")', "y = torch.load(f, device)"),
    ('y = torch.jit.load(f, "cuda")', "y = torch.jit.load(f, device)"),
    (
        'y = torch.hub.load_state_dict_from_url(u, map_location=torch.device("cuda"))',
        "y = torch.hub.load_state_dict_from_url(u, map_location=device)",
    ),
    ('y = Net.load_from_checkpoint(f, map_location="cuda")', "y = Net.load_from_checkpoint(f, map_location=device)"),
    ('g = torch.Generator("cuda")', "g = torch.Generator(device)"),
    ('g = torch.Generator(device="cuda").manual_seed(1)', "g = torch.Generator(device=device).manual_seed(1)"),
    ('torch.set_default_device("cuda")', "torch.set_default_device(device)"),
    ('with torch.device("cuda"):\n    y = net()', "with device:\n    y = net()"),
    ('with torch.no_grad(), torch.device("cuda"):\n    y = net()', "with torch.no_grad(), device:\n    y = net()"),
    ('if x: y = x.to("cuda")', "if x: y = x.to(device)"),
    ('a = x.to("cuda"); b = y.to("cuda")', "a = x.to(device); b = y.to(device)"),
    ('y = [one.to("cuda") for one in x]', "y = [one.to(device) for one in x]"),
    ('y = lambda x: x.to("cuda")', "y = lambda x: x.to(device)"),
    ('y = torch.tensor([1],  # data\n    device="cuda",  # place\n)', None),
    ('y = x.to(\n    "cuda"\n    ,\n    torch.half)', "y = x.to(\n    device\n    ,\n    torch.half)"),
    ('y = f(*a, x.to("cuda"), **k)', "y = f(*a, x.to(device), **k)"),
    ("y = f\"{x.to('cuda')}\"", 'y = f"{x.to(device)}"'),
    ('y = x.to("cuda" "")', "y = x.to(device)"),
    ('y = x.to(u"cuda")', "y = x.to(device)"),
    ('y = x.to(f"cuda")', "y = x.to(device)"),
]


@pytest.mark.parametrize(("before", "after"), SLOTS)
def test_device_slots(before: str, after: str | None) -> None:
    wanted = before.replace('"cuda"', "device") if after is None else after
    check(CODE, HEAD + before + "\n", HEAD + wanted + "\n")
    assert {kind for _, kind in places(CODE, HEAD + before + "\n")} == {"safe"}


FAKE = "from torch._subclasses.fake_tensor import FakeTensorMode\n"
SILENT = [
    "class Batch:\n    def cuda(self):\n        return Batch(self.x.to('cuda'))",
    "def _cuda(self):\n    return self.to('cuda')\nBatch.cuda = _cuda",
    "def test():\n    with pytest.raises(RuntimeError, match='CUDA'):\n        torch.zeros(2, device='cuda')",
    "def test(self):\n    with self.assertRaises((ValueError, RuntimeError)):\n        torch.zeros(2, device='cuda')",
    'def test():\n    pipe.to("cuda", 1)\n    assert pipe.calls == [(("cuda", 1), {})]',
    'print("cuda")',
    'from torch._subclasses.fake_tensor import FakeTensorMode\nwith FakeTensorMode():\n    x = torch.ones(2, device="cuda")',
    f'{FAKE}with FakeTensorMode() as mode, torch.device("cuda"):\n    x = torch.ones(2)',
    f'{FAKE}mode = FakeTensorMode(shape_env=None)\nwith mode:\n    x = torch.ones(2, device="cuda")',
    f'{FAKE}class A:\n    mode = FakeTensorMode()\n    def f(self):\n        with self.mode:\n            torch.ones(2, device="cuda")',
    f'{FAKE}with x.fake_mode:\n    torch.set_default_device("cuda")',
    'from torch._subclasses.fake_tensor import FakeTensor\ny = FakeTensor(mode, x, device="cuda")',
    'log("moved to", "cuda")',
    'if device == "cuda": pass',
    'if device.type == "cuda": pass',
    'if x.device == torch.device("cuda"): pass',
    'names = {"cuda": 1}',
    'y = names["cuda"]',
    'y = x.to("cuda" if ok else "cpu")',
    'y = x.to("cpu")',
    'y = x.to("cuda:0")',
    'y = x.to(f"cuda:{i}")',
    'y = x.to(*["cuda"])',
    "y = torch.load(f, map_location=lambda s, l: s.cuda())",
    "y = torch.load(f, map_location=lambda s, l: s)",
    'y = torch.load(f, map_location={"cuda:0": "cuda:1"})',
    'with torch.autocast("cuda"): pass',
    'with torch.autocast(device_type="cuda"): pass',
    'y = torch.cuda.get_device_name(device="cuda")',
    'y = torch.amp.GradScaler(device="cuda")',
    'y = pipeline("text", device="cuda")',
    's = torch.Stream(device="cuda")',
    'dtype = "torch.cuda.FloatTensor"',
    '"""x.to("cuda")"""',
    '# x.to("cuda")',
    'y = x.to(b"cuda")',
    'y = "cuda".to("cuda")',
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, HEAD + text + "\n") == ()


@pytest.mark.parametrize(
    "text",
    [
        'def _inputs():\n    return torch.ones(3, device="cuda")\n@require_cuda\ndef test():\n    _inputs()',
        '@require_cuda\ndef test():\n    target = f()\n    g(device=target.device)\n    y = torch.ones(3, device="cuda")',
    ],
)
def test_for_cuda_alone(text: str) -> None:
    assert found(CODE, f"import torch\n{text}\n") == ()


@pytest.mark.parametrize("module", ["jax", "cupy", "tensorflow", "numba", "chainer"])
def test_other_libraries(module: str) -> None:
    text = f'import torch\nimport {module} as lib\ny = lib.zeros(3).to("cuda")\nz = lib.ones(3, device="cuda")\n'
    assert found(CODE, text) == ()


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("import torch as th", "th.zeros(3, device='cuda')"),
        ("from torch import zeros", "zeros(3, device='cuda')"),
        ("from torch import nn", "nn.Linear(2, 2, device='cuda')"),
        ("from torch.nn import Linear as L", "L(2, 2, device='cuda')"),
        ("from torch import load as read", "read(f, 'cuda')"),
        ("import torch.nn.functional as F", "x.to('cuda')"),
    ],
)
def test_aliases(imports: str, call: str) -> None:
    assert [one.code for one in found(CODE, f"{imports}\n\ndef f(x):\n    return {call}\n")] == [CODE]


def test_no_import_of_torch() -> None:
    text = 'from model import net\nnet.to("cuda")\ny = zeros(3, device="cuda")\nz = load(f, map_location="cuda")\n'
    assert [row for row, _ in places(CODE, text)] == [2]


def test_device_is_made() -> None:
    before = """
        import torch

        for x in torch.ones(3):
            print(x.to("cuda"))
    """
    after = """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        for x in torch.ones(3):
            print(x.to(device))
    """
    check(CODE, before, after, "safe")


def test_with_a_device_that_may_be_a_string() -> None:
    before = """
        import torch

        device = "cuda" if torch.cuda.is_available() else "cpu"
        with torch.device("cuda"):
            x = torch.ones(3)
    """
    after = """
        import torch

        device = "cuda" if torch.cuda.is_available() else "cpu"
        with torch.device(device):
            x = torch.ones(3)
    """
    check(CODE, before, after, "safe")


def test_under_a_test_for_cuda() -> None:
    text = """
        import torch
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        if torch.cuda.is_available():
            x = torch.ones(3, device="cuda")
            y = y.to("cuda")
    """
    assert places(CODE, text) == []
    assert 'torch.ones(3, device=device)\n    y = y.to("cuda")' in fixed(CODE, text, target=Target("accelerator"))


def test_under_a_test_for_cuda_without_a_device() -> None:
    assert found(CODE, 'import torch\nif torch.cuda.is_available():\n    x = torch.ones(3, device="cuda")\n') == ()


def test_a_module_goes_by_its_tensors_under_a_test_that_is_no_flag() -> None:
    text = """
        import torch
        class Net(torch.nn.Module):
            def forward(self, x: torch.Tensor):
                if mode.device.type == "cuda":
                    return self.fc(x) + torch.ones(2, device="cuda")
    """
    assert found(CODE, text) == ()
    assert "torch.ones(2, device=x.device)" in fixed(CODE, text, target=Target("accelerator"))


def test_no_test_is_written_under_the_same_test() -> None:
    line = 'torch.ones(3, device="cuda") if torch.cuda.is_available() else x'
    assert found(CODE, f"import torch\ndef f(x): return {line}\n") == ()


@pytest.mark.parametrize(
    "text",
    [
        'if ok:\n    m.to("cuda")\nelse:\n    m.to("cpu")\n',
        'if torch.cuda.is_available():\n    m.to("cuda")\nelif mps:\n    m.to("mps")\n',
        'x = torch.ones(3, device="cuda") if ok else torch.ones(3, device="cpu")\n',
        'def f(x):\n    if gpu:\n        return x.to("cuda")\n    return x.to("cpu")\n',
    ],
)
def test_program_has_chosen(text: str) -> None:
    assert found(CODE, "import torch\n" + text) == ()


def test_file_is_otherwise_untouched() -> None:
    before = HEAD + "# cuda\r\nx = (  y\t.to( 'cuda' ,  ) )  # 'cuda'\r\n"
    assert fixed(CODE, before) == source(before).text.replace("'cuda' ,", "device ,")


def test_what_looks_like_a_choice() -> None:
    text = """
        import torch
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        if contiguous:
            x = torch.ones(3, device="cpu").to("cuda")
        else:
            x = torch.ones(9, device="cpu").to("cuda")[::3]
    """
    assert places(CODE, text) == [(4, "safe"), (6, "safe")]


OWN_FUNCTIONS = """
import torch

def build(n, device):
    return torch.ones(n, device=device)

def outer(n, device):
    return build(n, device=device)

def asks(n, device):
    return torch.ones(n) if device == "cpu" else torch.ones(n, device=device)

def given(n, device):
    return device

class Net(torch.nn.Module):
    def __init__(self, device):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2).to(device)

build(1, device="cuda")
outer(1, device="cuda")
Net(device="cuda")

def others():
    asks(1, device="cuda")
    given(1, device="cuda")
    unknown(1, device="cuda")
"""


def test_functions_of_the_file_that_only_put_something_on_a_device() -> None:
    rows = [
        line for line, text in enumerate(OWN_FUNCTIONS.lstrip().splitlines(), 1) if text[:4] in ("buil", "oute", "Net(")
    ]
    assert places(CODE, OWN_FUNCTIONS) == [(row, "safe") for row in rows]


def test_an_error_of_another_kind_is_not_that_of_a_missing_gpu() -> None:
    head = "import torch\nimport pytest\n\n\ndef test():\n"
    for wanted in ("ValueError", "RuntimeError, match='shapes'"):
        text = f"{head}    with pytest.raises({wanted}):\n        torch.zeros(2, device='cuda')\n"
        assert len(found(CODE, text)) == 1, wanted


KEPT = [
    "options = {{'device': {}, 'dtype': torch.half}}\ny = torch.ones(2, **options) + torch.zeros(2, **options)",
    "options = dict(device={}, dtype=torch.half)\ny = nn.Linear(2, 2, **options)",
    "ones = functools.partial(torch.ones, device={})\ny = ones(2)",
    "from functools import partial\ny = partial(torch.ones, 2, device={})()",
]


@pytest.mark.parametrize("text", KEPT)
def test_a_device_that_is_kept_for_calls(text: str) -> None:
    head = (
        "import functools\nimport torch\nfrom torch import nn\n"
        'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
    )
    check(CODE, f"{head}{text.format(chr(34) + 'cuda' + chr(34))}\n", f"{head}{text.format('device')}\n", "safe")


KEPT_FOR_OTHERS = [
    "options = {'device': 'cuda'}\ny = torch.ones(2, **options)\nprint(options)",
    "options = {'device': 'cuda'}\ny = build(2, **options)",
    "options = {'device': 'cuda'}",
    "options = {'device': 'cuda'}\noptions = {}\ny = torch.ones(2, **options)",
    "import functools\nones = functools.partial(build, device='cuda')",
    "def dict(**k): pass\noptions = dict(device='cuda')\ny = torch.ones(2, **options)",
]


@pytest.mark.parametrize("text", KEPT_FOR_OTHERS)
def test_a_device_that_is_kept_for_other_things(text: str) -> None:
    assert found(CODE, f"import torch\n{text}\n") == ()


SAMPLER = """
import torch
class Sampler:
    def keep(self, name, x):
        if type(x) == torch.Tensor:
            {}if x.device != {}:
                x = x.to({})
        setattr(self, name, x)
"""


def test_a_move_that_a_comparison_saves() -> None:
    literal, line = 'torch.device("cuda")', 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
    defined = f"{line}\n            "
    check(CODE, SAMPLER.format("", literal, literal), SAMPLER.format(defined, "device", "device"), "safe")
    assert "!= torch.device('cuda')" in fixed(CODE, SAMPLER.format("", "torch.device('cuda')", literal))


def test_a_line_with_one_kind_of_quotes() -> None:
    names = "names = ['a', 'b', 'c', 'd', 'e']\n"
    text = fixed(CODE, names + SAMPLER.format("", 'torch.device("cuda")', 'torch.device("cuda")'))
    assert '"cuda" if torch.cuda.is_available() else "cpu"' in text
    assert "'cuda' if torch.cuda.is_available() else 'cpu'" in fixed(CODE, names + 'import torch\nx = x.to("cuda")\n')


def test_a_device_that_stays_cuda_is_no_better_than_the_word() -> None:
    text = """
    import torch

    DEVICE = "cuda"


    class Net:
        def run(self, x):
            return x.to("cuda")
    """
    assert [kind for _, kind in places(CODE, text)] == ["unsafe"]
    assert fixed(CODE, text, unsafe=False) == source(text).text
    assert "x.to(DEVICE)" in fixed(CODE, text)
    script = text.rstrip() + "\n\n\n    print(Net().run(torch.ones(2)))\n"
    assert [kind for _, kind in places(CODE, script)] == ["safe"]


@pytest.mark.parametrize(
    ("parameter", "made", "used"),
    [
        ("device=0", "device", False),
        ("device", "f'cuda:{device}'", False),
        ("device", "torch.device(device)", True),
    ],
)
def test_what_a_function_takes_for_the_number_of_a_card_is_no_device(parameter: str, made: str, used: bool) -> None:
    text = (
        f"import torch\nfrom editor import load\n\n\ndef evaluate(net, {parameter}):\n    return net.run({made})\n\n\n"
        "args = load()\nnet = torch.nn.Linear(1, 1).to('cuda')\nevaluate(net, device=args.device)\n"
    )
    assert (".to(args.device)" in fixed(CODE, text)) is used


@pytest.mark.parametrize(
    "test",
    [
        "type(x) == torch.Tensor and x.device != {}",
        "x.device != {} and isinstance(x, torch.Tensor)",
        "isinstance(x, torch.Tensor) and x is not None and (x.device != {})",
    ],
)
def test_a_comparison_with_more_that_must_hold(test: str) -> None:
    text = "import torch\n\ndef f(x):\n{0}    if {1}:\n        x = x.to({2})\n    return x\n"
    cuda, own = 'torch.device("cuda")', '    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
    check(CODE, text.format("", test.format(cuda), cuda), text.format(own, test.format("device"), "device"))


@pytest.mark.parametrize("test", ["x.device != {} or big", "x.device != {} and y.device != {}", "not x.device == {}"])
def test_a_comparison_that_need_not_hold_stays(test: str) -> None:
    text = 'import torch\n\ndef f(x, y):\n    if {}:\n        x = x.to(torch.device("cuda"))\n    return x\n'
    line = test.replace("{}", 'torch.device("cuda")')
    assert f"if {line}:" in fixed(CODE, text.format(line))


def test_what_a_skipped_test_asserts_of_a_device_names_none() -> None:
    text = (
        "import pytest\nimport torch\n\n{}def test_kept(kept):\n    assert kept.device.type == 'cuda'\n"
        "    kept.extend(torch.arange(8, device='cuda'))\n"
    )
    skip = "@pytest.mark.skipif(not torch.cuda.is_available(), reason='needs CUDA')\n"
    assert found(CODE, text.format(skip)) == ()
    assert "torch.arange(8, device=kept.device)" in fixed(CODE, text.format(""), target=Target("accelerator"))


SKIPPED = [
    "@pytest.mark.skipif(not torch.cuda.is_available(), reason='x')",
    "@unittest.skipUnless(torch.cuda.is_available(), 'x')",
    "@pytest.mark.skipif(not is_extension_available('own_cuda'), reason='x')",
]


@pytest.mark.parametrize("mark", SKIPPED)
def test_a_skipped_test_gains_nothing_by_its_own_device(mark: str) -> None:
    text = """
        import pytest, torch, unittest

        {mark}
        def test_packed(t):
            device = torch.device("cuda")
            packed = pack(t.to(device))
            assert torch.equal(t, packed.cpu().to("cuda"))
            assert torch.ones(2, device="cuda").sum() == t
    """
    assert found(CODE, text.replace("{mark}", mark)) == ()


def test_the_values_of_a_case_that_is_skipped_stay() -> None:
    text = """
        import pytest, torch

        cases = [
            pytest.param(torch.zeros(2, device="cuda"), marks={mark}),
            pytest.param(torch.zeros(3, device="cuda")),
        ]
    """
    skip = "pytest.mark.skipif(not torch.cuda.is_available(), reason='x')"
    for mark in (skip, f"[{skip}, pytest.mark.slow]"):
        assert [line for line, _ in places(CODE, text.replace("{mark}", mark))] == [5]
    assert len(places(CODE, text.replace("{mark}", "pytest.mark.slow"))) == 2


@pytest.mark.parametrize(
    ("handler", "safety"),
    [
        ("except RuntimeError:\n        return False", "unsafe"),
        ("except Exception:\n        pass", "unsafe"),
        ("except:\n        x = x.float()", "unsafe"),
        ("except (ValueError, AssertionError) as e:\n        errors.append(e)", "unsafe"),
        ("except Exception:\n        print('no CUDA')", "unsafe"),
        ("except Exception as e:\n        print(e)", "safe"),
        ("except Exception:\n        text = traceback.format_exc()\n        print(text)", "safe"),
        ("except Exception as e:\n        logger.error(e)\n        sys.exit(1)", "safe"),
        ("except RuntimeError as e:\n        x = None\n        raise", "safe"),
        ("except KeyError:\n        return False", "safe"),
        ("except Exception:\n        return None", "unsafe"),
        ("except RuntimeError:\n        return", "unsafe"),
        ("except RuntimeError as e:\n        print(e)\n        return None", "safe"),
        ("finally:\n        x = None", "safe"),
    ],
)
@pytest.mark.parametrize("move", ['x = x.to("cuda")', 'x = torch.ones(2, device="cuda")'])
def test_what_handles_the_failure_is_what_runs_without_cuda(handler: str, safety: str, move: str) -> None:
    text = f"import torch\n\n\ndef f(x):\n    try:\n        {move}\n    {handler}\n"
    assert [one for _, one in places(CODE, text)] == [safety]


BRANCHES = """\
import torch


class Model:
    def __init__(self, device, places):
        self._device = torch.device(device)
        self.places = places

    @property
    def device(self):
        return self._device

    def forward(self, x):
        if self.places == "auto":
            x = x.to("cuda")
        else:
            x = x.to(self.device)
        return x
"""


def test_of_two_branches_that_become_the_same_one_stays() -> None:
    after = fixed(CODE, BRANCHES)
    assert after.endswith("    def forward(self, x):\n        x = x.to(self.device)\n        return x\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('self.places == "auto":', 'self.places() == "auto":'),
        ('self.places == "auto":', 'self.places["a"] == "auto":'),
        ('self.places == "auto":', 'self.places == "auto":  # on several cards'),
        ("            x = x.to(self.device)\n", "            # its own\n            x = x.to(self.device)\n"),
        ("x = x.to(self.device)\n", "x = x.to(self._device)\n"),
        ("x = x.to(self.device)\n", "y = x.to(self.device)\n"),
        ("            x = x.to(self.device)\n", "            x = x.to(self.device)\n            print(x)\n"),
        (
            '        if self.places == "auto":\n',
            '        if x is None:\n            pass\n        elif self.places == "auto":\n',
        ),
        ("        else:\n", "        elif self.places:\n"),
    ],
)
def test_branches_that_differ_or_whose_test_matters_stay(before: str, after: str) -> None:
    text = BRANCHES.replace(before, after, 1)
    assert text != BRANCHES
    written = fixed(CODE, text)
    assert written == text.replace('x.to("cuda")', "x.to(self.device)")


def test_what_both_branches_take_to_the_cpu_is_no_choice() -> None:
    text = """\
import torch


def compare(model, other, inputs, device="cuda"):
    if other is not None:
        other.to("cuda")
    for one in inputs:
        one = one.to(device)
        if other is not None:
            found = other(one.to("cuda"))
            found = found.cpu()
        else:
            found = model(one)
            found = found.cpu()
        print(found)
"""
    assert fixed(CODE, text).count('to("cuda")') == 0


@pytest.mark.parametrize(
    ("asserted", "is_left"), [("x.device.type == 'cuda'", True), ("x.is_cuda", True), ("x.shape", False)]
)
def test_what_is_asserted_to_be_on_cuda_gains_nothing(asserted: str, is_left: bool) -> None:
    code = f"import torch\n\n\ndef test():\n    x = torch.ones(2, device='cuda')\n    assert {asserted}\n"
    assert (fixed(CODE, code, unsafe=False) == code) is is_left


CERTAIN = """import torch


class Agent:
    def __init__(self, n, device="cuda"):
        self.device = device
{}

    def load(self, path):
        return read(path, self.device)


agent = Agent(3, device={})
"""


@pytest.mark.parametrize(
    ("body", "is_sure"),
    [
        ("        self.x = torch.zeros(n).to(device)", True),
        ("        self.x = torch.nn.Parameter(torch.zeros(n, device=device))", True),
        (
            "        if n > 3:\n            print(n)\n        with torch.no_grad():\n            self.x = fill(n).to(device)",
            True,
        ),
        ("        if n > 3:\n            self.x = torch.zeros(n).to(device)", False),
        ("        self.x = torch.zeros(n).to(device) if n else None", False),
        ("        if n > 3:\n            return\n        self.x = torch.zeros(n).to(device)", False),
        ("        device = choose(device)\n        self.x = torch.zeros(n).to(device)", False),
        ("        self.make = lambda: torch.zeros(n).to(device)", False),
        ("        self.state = torch.load(n, map_location=device)", False),
        ("        self.where = torch.device(device)", False),
    ],
)
def test_a_name_that_a_function_uses_in_other_ways_but_surely_places_by(body: str, is_sure: bool) -> None:
    text = CERTAIN.format(body, "{}")
    fixed_text = fixed(CODE, text.format("'cuda'"))
    assert ("device=device.type" in fixed_text) is is_sure
    assert is_sure or fixed_text == text.format("'cuda'")


def test_a_base_that_surely_places_what_its_subclass_gives() -> None:
    text = (
        "import torch\n\n\nclass Base:\n    def __init__(self, n, device='cuda'):\n        self.device = device\n"
        "        self.x = torch.zeros(n).to(device)\n\n    def load(self, path):\n        return read(path, self.device)\n\n\n"
        "class Net(Base):\n    def __init__(self, n, device=None, **more):\n        super().__init__(n, device={}, **more)\n"
    )
    here = "'cuda' if torch.cuda.is_available() else 'cpu'"
    check(CODE, text.format("'cuda'"), text.format(here), "safe")
