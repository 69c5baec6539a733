"""A fix is unsafe where its function fails without CUDA in another line, which no safe fix mends."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import engine
from tests.support.projects import fix_files, write_files
from tests.support.rule_cases import CUDA, rule, source

HEAD = "import torch\n\n\n"
LEFT = "    name = torch.cuda.can_device_access_peer(0, 1)\n"


def _changed(tmp_path: Path, text: str) -> str | None:
    """What safe fixes make of a text; None for nothing."""
    return fix_files(write_files(tmp_path, {"main.py": text})).get("main.py")


@pytest.mark.parametrize(
    "moved",
    [
        "    x = torch.ones(2).cuda()\n",
        "    x = torch.cuda.FloatTensor(2)\n",
        "    if n:\n        x = torch.ones(2).cuda()\n",
        "    state = torch.load(n)\n    model.load_state_dict(state)\n",
    ],
)
def test_what_stays_in_a_function_leaves_its_other_fixes_without_gain(tmp_path: Path, moved: str) -> None:
    text = f"{HEAD}def train(n, model):\n{LEFT}{moved}    return name, n\n"
    assert _changed(tmp_path, text) is None


@pytest.mark.parametrize(
    ("line", "is_left"),
    [
        ("pipe.enable_xformers_memory_efficient_attention()", True),
        ("pipe.enable_model_cpu_offload()", True),
        ("pipe.enable_sequential_cpu_offload(gpu_id=0)", True),
        ("pipe.enable_model_cpu_offload(device=place)", False),
        ("if place: pipe.enable_model_cpu_offload()", False),
        ("pipe.enable_vae_slicing()", False),
    ],
)
def test_what_pipelines_only_do_on_a_gpu_leaves_other_fixes_without_gain(
    tmp_path: Path, line: str, is_left: bool
) -> None:
    text = f"{HEAD}def draw(pipe, place):\n    x = torch.ones(2).cuda()\n    {line}\n    return pipe(x)\n"
    assert (_changed(tmp_path, text) is None) is is_left


@pytest.mark.parametrize(
    "left",
    [
        "    if n:\n        name = torch.cuda.get_device_properties(0)\n",
        "    name = torch.cuda.get_device_properties(0) if n else None\n",
        "    name = lambda: torch.cuda.get_device_properties(0)\n",
        "    name = torch.nn.DataParallel(model, device_ids=[0, 1])\n",
        "    try:\n        name = torch.cuda.get_device_properties(0)\n    except RuntimeError:\n        name = None\n",
        "\n    def name():\n        return torch.cuda.get_device_properties(0)\n\n",
    ],
)
def test_what_may_not_run_or_does_no_harm_leaves_them(tmp_path: Path, left: str) -> None:
    text = f"{HEAD}def train(n, model):\n{left}    x = torch.ones(2).cuda()\n    return name, x\n"
    after = _changed(tmp_path, text)
    assert after is not None
    assert "torch.ones(2).to(device)" in after


def test_the_message_names_the_line() -> None:
    text = f"{HEAD}def train():\n{LEFT}    return name, torch.ones(2).cuda()\n"
    report = engine.lint(source(text), [rule("DEV101"), rule("DEV501")], CUDA)
    fix = next(one.fix for one in report.diagnostics if one.code == "DEV101")
    assert fix is not None
    assert not fix.is_safe
    assert fix.message.endswith("(without CUDA, line 5 fails all the same)")


def test_what_another_fix_replaces_does_not_stay(tmp_path: Path) -> None:
    made = 'torch.linspace(0, 1, 3, device=torch.device("cuda", torch.cuda.current_device()))'
    after = _changed(tmp_path, f"{HEAD}def train(x):\n    return {made}, x.cuda()\n")
    assert after is not None
    assert "x.to(device)" in after


def test_a_fix_that_another_function_shares_and_gains_by_stays_safe(tmp_path: Path) -> None:
    text = (
        "import torch\nfrom torch.cuda.amp import autocast\n\n\n"
        "def train(x):\n    name = torch.cuda.get_device_properties(0)\n    with autocast():\n        return name, x * 2\n\n\n"
        "def test(x):\n    with autocast():\n        return x * 2\n"
    )
    after = _changed(tmp_path, text)
    assert after is not None
    assert "with autocast():" not in after


def test_of_many_replaced_lines_only_the_others_stay(tmp_path: Path) -> None:
    made = 'torch.linspace(0, 1, 3, device=torch.device("cuda", torch.cuda.current_device()))'
    head = f"{HEAD}def train(x):\n    y = {made} + {made}\n"
    after = _changed(tmp_path / "a", f"{head}    return y, x.cuda()\n")
    assert after is not None
    assert "x.to(device)" in after
    assert _changed(tmp_path / "b", f"{head}{LEFT}    return y, x.cuda(), name\n") is None


@pytest.mark.parametrize(
    ("left", "moved", "stays"),
    [
        ("name = torch.cuda.can_device_access_peer(0, 1)", "torch.cuda.set_device(1)", True),
        ("name = torch.cuda.can_device_access_peer(0, 1)", "def run(x):\n    return x.cuda()", False),
        (
            "if torch.rand(1) > 0:\n    name = torch.cuda.can_device_access_peer(0, 1)",
            "x = torch.ones(2).cuda()",
            False,
        ),
        ("def run():\n    return torch.cuda.can_device_access_peer(0, 1)", "x = torch.ones(2).cuda()", False),
    ],
)
def test_what_stays_at_the_top_of_a_script_leaves_what_is_beside_it(
    tmp_path: Path, left: str, moved: str, stays: bool
) -> None:
    after = _changed(tmp_path, f"import torch\n\n{left}\n{moved}\n")
    assert (after is None) is stays


def test_a_class_in_a_function_is_no_part_of_the_script(tmp_path: Path) -> None:
    left = "def run():\n    class Names:\n        name = torch.cuda.can_device_access_peer(0, 1)\n\n    return Names\n"
    assert _changed(tmp_path, f"{HEAD}{left}\n\nx = torch.ones(2).cuda()\n") is not None


def test_what_goes_under_the_test_of_events_does_not_stay(tmp_path: Path) -> None:
    text = (
        f"{HEAD}def measure(net, x):\n    y = x.cuda()\n"
        "    start = torch.cuda.Event(enable_timing=True)\n    end = torch.cuda.Event(enable_timing=True)\n"
        "    start.record()\n    z = net(y)\n    end.record()\n    torch.cuda.synchronize()\n"
        "    return z, start.elapsed_time(end) / 1000\n"
    )
    after = _changed(tmp_path, text)
    assert after is not None
    assert "x.to(device)" in after
    assert "        torch.cuda.synchronize()" in after


def test_a_stream_that_no_fix_replaces_stays(tmp_path: Path) -> None:
    made = "    side = torch.cuda.Stream()\n    use(side)\n"
    assert _changed(tmp_path, f"{HEAD}def train(x, use):\n{made}    return x.cuda()\n") is None


def test_a_stream_that_a_fix_replaces_does_not_stay(tmp_path: Path) -> None:
    made = "    side = torch.cuda.Stream()\n    with torch.cuda.stream(side):\n        x = x.cuda()\n"
    after = _changed(tmp_path, f"{HEAD}def train(x):\n{made}    return x\n")
    assert after is not None
    assert "x.to(device)" in after
    assert "torch.cuda.Stream() if" in after


@pytest.mark.parametrize(
    "left",
    ["    total = torch.zeros(1, device=torch.cuda.current_device())\n", "    total = torch.cuda.mem_get_info()\n"],
)
def test_what_no_rule_reports_in_code_for_cuda_stays(tmp_path: Path, left: str) -> None:
    text = f"{HEAD}def add(x):\n{left}    return total, x.cuda()\n"
    written = write_files(
        tmp_path, {"megatron/steps.py": text, "megatron/moves.py": text.replace(left, "    total = 1\n")}
    )
    fixed = fix_files(written)
    assert "megatron/steps.py" not in fixed
    assert "x.to(device)" in fixed["megatron/moves.py"]


def test_what_starts_cuda_itself_stays(tmp_path: Path) -> None:
    text = "import torch\nfrom torch.cuda import _lazy_init\n\n\ndef add(x):\n    _lazy_init()\n    return x.cuda()\n"
    assert _changed(tmp_path, text) is None


@pytest.mark.parametrize(
    "left",
    [
        '    with torch.cuda.stream(self.sides["copy"]):\n        y = x + 1\n',
        "    y = x + 1\n    side.wait_stream(last)\n",
        "    y = x + 1\n    y.record_stream(side)\n",
    ],
)
@pytest.mark.parametrize("moved", ["x.cuda()", "torch.cuda.current_stream().wait_stream(side)"])
def test_what_a_given_stream_does_stays(tmp_path: Path, left: str, moved: str) -> None:
    assert _changed(tmp_path, f"{HEAD}def add(self, x, side, last):\n{left}    {moved}\n    return y\n") is None


@pytest.mark.parametrize("test", ["side is not None", "torch.cuda.is_available()", "x.is_cuda"])
def test_what_a_given_stream_does_under_a_test_leaves_them(tmp_path: Path, test: str) -> None:
    left = f"    if {test}:\n        side.wait_stream(last)\n"
    after = _changed(tmp_path, f"{HEAD}def add(x, side, last):\n{left}    return x.cuda()\n")
    assert after is not None
    assert "x.to(device)" in after


@pytest.mark.parametrize(
    "block", ["    if flag:\n        {}\n", "    if flag:\n        x = x + 1\n    else:\n        {}\n"]
)
def test_what_goes_under_the_test_of_its_block_does_not_stay(tmp_path: Path, block: str) -> None:
    text = (
        f"{HEAD}def add(x, flag, side):\n{block.format('torch.cuda.current_stream().wait_stream(side)')}    return x\n"
    )
    after = _changed(tmp_path, text)
    assert after is not None
    assert "torch.cuda.is_available():" in after


@pytest.mark.parametrize(
    ("called", "is_left"),
    [
        ("start()", True),
        ("if n:\n        start()", False),
        ("run = lambda: start()", False),
        ("try:\n        start()\n    except RuntimeError:\n        pass", False),
        ("if torch.cuda.is_available():\n        start()", False),
        ("names()", False),
        ("started = start", False),
    ],
)
def test_a_call_of_what_always_fails_stays(tmp_path: Path, called: str, is_left: bool) -> None:
    text = (
        f"{HEAD}def start():\n    name = torch.cuda.can_device_access_peer(0, 1)\n    return name\n\n\n"
        "def names():\n    yield start()\n\n\n"
        f"def train(n):\n    {called}\n    return n, torch.ones(2).cuda()\n"
    )
    assert (_changed(tmp_path, text) is None) is is_left


@pytest.mark.parametrize(
    ("start", "is_left"),
    [
        (f"def start(n):\n{LEFT}    return name\n", True),
        (f"def start(n):\n    if n:\n        return None\n{LEFT}    return name\n", False),
        (f"def start(n):\n    for one in range(n):\n    {LEFT}    return name\n", True),
        (f"def check():\n{LEFT}    return name\n\n\ndef start(n):\n    return check(), n\n", True),
    ],
)
def test_a_function_fails_always_where_no_test_and_no_return_leads_past(
    tmp_path: Path, start: str, is_left: bool
) -> None:
    text = f"{HEAD}{start}\n\ndef train(n):\n    start(n)\n    return n, torch.ones(2).cuda()\n"
    assert (_changed(tmp_path, text) is None) is is_left


@pytest.mark.parametrize(
    ("use", "is_left"),
    [
        ("self.start()\n        return x.cuda()", True),
        ("if self.start:\n            self.start()\n        return x.cuda()", False),
        ("if x is not None:\n            self.start()\n            return x.cuda()\n        return None", True),
    ],
)
def test_a_method_that_always_fails_is_called_by_self(tmp_path: Path, use: str, is_left: bool) -> None:
    text = f"{HEAD}class Net:\n    def start(self):\n    {LEFT}        return name\n\n    def run(self, x):\n        {use}\n"
    assert (_changed(tmp_path, text) is None) is is_left


_NET = f"class Net:\n    def __init__(self):\n    {LEFT}        self.name = name\n"


@pytest.mark.parametrize(
    "rest",
    [
        "\n    def run(self, x):\n        return x.cuda()\n",
        "\n\ndef train(x):\n    net = Net()\n    return net, x.cuda()\n",
        "\n\nclass Small(Net):\n    pass\n\n\ndef train(x):\n    net = Small()\n    return net, x.cuda()\n",
        "\n    def run(self):\n        return self.name\n\n\n"
        "def _move(x):\n    return x.cuda()\n\n\ndef train(x):\n    return Net(), _move(x)\n",
    ],
)
def test_a_class_whose_instances_cannot_be_made_gains_nothing(tmp_path: Path, rest: str) -> None:
    assert _changed(tmp_path, f"{HEAD}{_NET}{rest}") is None
    sound = _NET.replace("torch.cuda.can_device_access_peer(0, 1)", "'a'")
    assert _changed(tmp_path / "sound", f"{HEAD}{sound}{rest}") is not None


@pytest.mark.parametrize(
    ("files", "rest", "is_left"),
    [
        ({}, "def main():\n{left}    return name, move()\n\n\nmain()\n", True),
        ({}, "def main():\n{left}    return name\n\n\nmove()\nmain()\n", True),
        ({}, "def main(n):\n    if n:\n    {left}    return move()\n\n\nmain(1)\n", False),
        ({}, "def main(n):\n    if n:\n    {left}        move()\n\n\nmain(1)\n", True),
        ({"other.py": "from main import move\n"}, "def main():\n{left}    return name, move()\n\n\nmain()\n", False),
        ({"other.py": "from main import main\n"}, "def main():\n{left}    return name, move()\n\n\nmain()\n", True),
    ],
)
def test_what_is_only_called_beside_what_stays_gains_nothing(
    tmp_path: Path, files: dict[str, str], rest: str, is_left: bool
) -> None:
    main = f"{HEAD}def move():\n    return torch.ones(2).cuda()\n\n\n{rest.format(left=LEFT)}"
    fixed = fix_files(write_files(tmp_path, {**files, "main.py": main}))
    assert ("main.py" not in fixed) is is_left


@pytest.mark.parametrize(
    ("given", "is_left"),
    [("[rank]", True), ("[]", False), ("None", False), ("[rank] if torch.cuda.is_available() else None", False)],
)
def test_a_wrapper_for_cards_stays(tmp_path: Path, given: str, is_left: bool) -> None:
    text = (
        "import torch\nfrom torch.nn.parallel import DistributedDataParallel as Wrapper\n\n\n"
        f"def train(net, rank):\n    net = Wrapper(net, device_ids={given})\n    return net, torch.ones(2).cuda()\n"
    )
    assert (_changed(tmp_path, text) is None) is is_left


@pytest.mark.parametrize(("between", "is_left"), [("if n:\n        return y\n    ", False), ("", True)])
def test_what_may_be_returned_before_the_line_gains(tmp_path: Path, between: str, is_left: bool) -> None:
    text = f"{HEAD}def move(x, n):\n    y = x.cuda()\n    {between}name = torch.cuda.can_device_access_peer(0, 1)\n    return y, name\n"
    assert (_changed(tmp_path, text) is None) is is_left


@pytest.mark.parametrize(
    ("told", "stays"),
    [
        ('prepare(device="cuda", n=n)', True),
        ('prepare("face", device="cuda:0")', True),
        ('keep(n, "cuda")', False),
        ('prepare("cuda", n)', False),
        ('dict(device="cuda", n=n)', False),
        ('prepare(data_device="cuda")', False),
        ('prepare(device="cuda") if torch.cuda.is_available() else None', False),
        ("prepare(device=n)", False),
    ],
)
def test_a_call_that_is_told_cuda_and_stays_leaves_what_is_beside_it(tmp_path: Path, told: str, stays: bool) -> None:
    head = "import torch\nfrom kept import keep\nfrom faces import prepare\n\n\n"
    text = f"{head}def show(n):\n    faces = {told}\n    return faces, torch.ones(2).cuda()\n"
    kept = "def keep(n, device):\n    FOUND[n] = device\n\n\nFOUND = {}\n"
    after = fix_files(write_files(tmp_path, {"main.py": text, "kept.py": kept})).get("main.py")
    assert (after is None) is stays


NET = """\
import torch
from faces import FaceHelper


class Net:
    def __init__(self, n):
        {}

    def step(self, x):
        return x.cuda()

    @staticmethod
    def other(y):
        return y.cuda()
"""


@pytest.mark.parametrize(
    ("made", "stays"),
    [
        ('self.helper = FaceHelper(device="cuda")', True),
        ('self.helper = FaceHelper(device="cuda") if n else None', False),
        ('self.helper = FaceHelper(device="cpu")', False),
        ("self.name = torch.cuda.can_device_access_peer(0, 1)", True),
    ],
)
def test_what_stays_in_the_initializer_of_a_class_leaves_its_methods(tmp_path: Path, made: str, stays: bool) -> None:
    after = _changed(tmp_path, NET.format(made))
    assert after is not None
    assert ("return x.cuda()" in after) is stays
    assert "return y.cuda()" not in after


@pytest.mark.parametrize(
    "moved",
    [
        '    device = torch.device("cuda")\n    n.move(device)\n',
        '    model = AutoModel.from_pretrained(n, device_map="cuda")\n',
        "    with torch.cuda.device(n):\n        n.run()\n",
    ],
)
def test_a_device_beside_what_stays_gains_nothing(tmp_path: Path, moved: str) -> None:
    head = f"import torch\nfrom transformers import AutoModel\n\n\ndef train(n):\n{LEFT}"
    assert _changed(tmp_path / "a", f"{head}{moved}    return name\n") is None
    other = head.replace(LEFT, "    name = n\n")
    assert _changed(tmp_path / "b", f"{other}{moved}    return name\n") is not None


@pytest.mark.parametrize(
    ("given", "stays"),
    [
        ('attn_implementation="flash_attention_2"', True),
        ("use_flash_attention_2=True", True),
        ('attn_implementation="sdpa"', False),
        ("attn_implementation=kind", False),
    ],
)
def test_a_model_with_flash_attention_stays(tmp_path: Path, given: str, stays: bool) -> None:
    head = "import torch\nfrom transformers import AutoModel\n\n\n"
    made = f"    model = AutoModel.from_pretrained(name, {given})\n"
    text = f"{head}def run(name, kind, x):\n{made}    return model(x.cuda())\n"
    assert (_changed(tmp_path / "a", text) is None) is stays
    tried = f"    try:\n    {made}    except ImportError:\n        model = AutoModel.from_pretrained(name)\n"
    assert _changed(tmp_path / "b", text.replace(made, tried)) is not None


@pytest.mark.parametrize(
    ("given", "name", "stays"),
    [
        ("load_in_8bit=True", "prepare_model_for_int8_training", True),
        ("load_in_8bit=True", "prepare_model_for_kbit_training", False),
        ("load_in_8bit=small", "prepare_model_for_int8_training", False),
    ],
)
def test_a_model_of_8_bits_stays_in_programs_of_their_time(tmp_path: Path, given: str, name: str, stays: bool) -> None:
    head = f"import torch\nfrom peft import {name}\nfrom transformers import AutoModel\n\n\n"
    made = f"    model = {name}(AutoModel.from_pretrained(path, {given}))\n"
    text = f"{head}def run(path, small, x):\n{made}    return model(x.cuda())\n"
    assert (_changed(tmp_path, text) is None) is stays


def test_a_line_that_a_later_round_may_put_under_a_test_leaves_functions(tmp_path: Path) -> None:
    head = 'import os\nimport torch\n\nos.environ["CUDA_VISIBLE_DEVICES"] = "0"\ntorch.cuda.set_device(0)\n\n\n'
    main = 'if __name__ == "__main__":\n    run(torch.ones(2))\n'
    after = _changed(tmp_path, f"{head}def run(x):\n    return x.cuda()\n\n\n{main}")
    assert after is not None
    assert "x.to(device)" in after
    assert "    torch.cuda.set_device(0)" in after


@pytest.mark.parametrize(("given", "is_left"), [("torch.nn.L1Loss()", False), ("torch.nn.Linear(2, 2)", True)])
def test_a_loss_that_is_moved_to_a_card_fails_nowhere(tmp_path: Path, given: str, is_left: bool) -> None:
    moving = "def _move(x):\n    return x.cuda() + torch.ones(2).cuda()\n"
    checking = f"def check(x, args):\n    loss = {given}.cuda(args.card)\n    return loss(x, _move(x))\n"
    assert (_changed(tmp_path, f"{HEAD}{moving}\n\n{checking}") is None) is is_left
