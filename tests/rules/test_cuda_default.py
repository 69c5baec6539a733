from __future__ import annotations

from pathlib import Path

import pytest

from devlint.core.target import Target
from devlint.rules.cuda_default import CudaDefault
from devlint.sources.source import Source
from tests.support import engine
from tests.support.projects import fix_files, write_files
from tests.support.rule_cases import CUDA, check, fixed, found, places, rule, source

CODE = "DEV104"
IF = "if torch.cuda.is_available() else"

PARAMETERS = [
    (
        'def f(x, device="cuda"):\n    return x.to(device)\n',
        "def f(x, device=None):\n    if device is None:\n"
        f'        device = "cuda" {IF} "cpu"\n    return x.to(device)\n',
    ),
    (
        'def f(x, *, dev: str = "cuda:0"):\n    """Doc."""\n    # note\n    return x\n',
        'def f(x, *, dev: str = None):\n    """Doc."""\n    if dev is None:\n'
        f'        dev = "cuda:0" {IF} "cpu"\n    # note\n    return x\n',
    ),
    (
        "def f(device=torch.device('cuda')):\n\treturn 1\n",
        f'def f(device=None):\n\tif device is None:\n\t\tdevice = torch.device("cuda" {IF} "cpu")\n\treturn 1\n',
    ),
    (
        'def g(x):\n\tif x:\n\t\treturn 1\ndef f(x, device="cuda"):\n    return x.to(device)\n',
        "def g(x):\n\tif x:\n\t\treturn 1\ndef f(x, device=None):\n    if device is None:\n"
        f'        device = "cuda" {IF} "cpu"\n    return x.to(device)\n',
    ),
    (
        'class A:\n    def __init__(self, device = ( "cuda" )):\n        super().__init__()\n',
        "class A:\n    def __init__(self, device = None):\n        if device is None:\n"
        f'            device = "cuda" {IF} "cpu"\n        super().__init__()\n',
    ),
    (
        'class A:\n    def __init__(self, device="cuda"):\n        super().__init__()\n        self.device = device\n',
        "class A:\n    def __init__(self, device=None):\n        super().__init__()\n        if device is None:\n"
        f'            device = "cuda" {IF} "cpu"\n        self.device = device\n',
    ),
    (
        'class A:\n    def __init__(self, device="cuda"):\n        super().__init__(device)\n        self.device = device\n',
        "class A:\n    def __init__(self, device=None):\n        if device is None:\n"
        f'            device = "cuda" {IF} "cpu"\n        super().__init__(device)\n        self.device = device\n',
    ),
    (
        'class A:\n    def __init__(self, device="cuda"):\n        super().__init__(**locals())\n        self.x = device\n',
        "class A:\n    def __init__(self, device=None):\n        if device is None:\n"
        f'            device = "cuda" {IF} "cpu"\n        super().__init__(**locals())\n        self.x = device\n',
    ),
    (
        'async def f(\n    x,  # data\n    map_location="cuda",  # where\n):\n    pass\n    return x\n',
        "async def f(\n    x,  # data\n    map_location=None,  # where\n):\n    if map_location is None:\n"
        f'        map_location = "cuda" {IF} "cpu"\n    pass\n    return x\n',
    ),
    (
        'from typing import Optional\ndef f(device: str = "cuda"):\n    return device\n',
        "from typing import Optional\ndef f(device: Optional[str] = None):\n    if device is None:\n"
        f'        device = "cuda" {IF} "cpu"\n    return device\n',
    ),
    (
        'from typing import Any, Dict as D  # types\ndef f(device: str = "cuda"):\n    return device\n',
        "from typing import Any, Dict as D, Optional  # types\ndef f(device: Optional[str] = None):\n    if device is None:\n"
        f'        device = "cuda" {IF} "cpu"\n    return device\n',
    ),
    (
        'from typing import (\n    Any,\n    Dict,\n)\ndef f(device: str = "cuda"):\n    return device\n',
        "from typing import (\n    Any,\n    Dict,\n    Optional,\n)\ndef f(device: Optional[str] = None):\n"
        f'    if device is None:\n        device = "cuda" {IF} "cpu"\n    return device\n',
    ),
    (
        'import typing\ndef f(device: str = "cuda"):\n    return device\n',
        "import typing\ndef f(device: typing.Optional[str] = None):\n    if device is None:\n"
        f'        device = "cuda" {IF} "cpu"\n    return device\n',
    ),
    (
        'def f(a_device="cuda", b_device="cuda"): \n    return a_device, b_device\n',
        "def f(a_device=None, b_device=None): \n    if a_device is None:\n"
        f'        a_device = "cuda" {IF} "cpu"\n    if b_device is None:\n        b_device = "cuda" {IF} "cpu"\n'
        "    return a_device, b_device\n",
    ),
]


@pytest.mark.parametrize(("before", "after"), PARAMETERS)
def test_parameters(before: str, after: str) -> None:
    head = "import torch\n"
    fixed_text = fixed(CODE, head + before)
    if "b_device" in before:
        assert sorted(fixed_text.splitlines()) == sorted((head + after).splitlines())
    else:
        assert fixed_text == head + after
    assert {kind for _, kind in places(CODE, head + before)} == {"safe" if ".to(device)" in before else "unsafe"}
    if ".to(device)" not in before:
        assert fixed(CODE, head + before, unsafe=False) == head + before


def test_future_annotations() -> None:
    before = 'from __future__ import annotations\nimport torch\ndef f(device: str = "cuda"):\n    return device\n'
    assert "def f(device: str | None = None):" in fixed(CODE, before)
    before = 'import torch\ndef f(a: int | None, device: str | torch.device = "cuda"):\n    return device\n'
    assert "device: str | torch.device | None = None):" in fixed(CODE, before)
    before = before.replace("device: str | torch.device", "device: Optional[str]")
    assert "device: Optional[str] = None):" in fixed(CODE, before)


def test_card_of_the_default() -> None:
    after = fixed(CODE, "import torch\nrank = 1\ndef f(device=torch.device('cuda', rank)):\n    return device\n")
    assert f"device = torch.device('cuda', rank) {IF} torch.device(\"cpu\")" in after


NO_FIX = [
    'f = lambda x, device="cuda": x',
    'def f(x, device="cuda"): return x',
    'def f(x, device="cuda"):\n    ...',
    'def f(x, device="cuda"):\n    """Doc."""',
    'def f(x, device="cuda"):\n    raise NotImplementedError()',
    'from typing import overload\n@overload\ndef f(x, device: str = "cuda"):\n    return x',
    'class A:\n    @abstractmethod\n    def f(self, device="cuda"):\n        return 1',
    'from typing import Protocol\nclass A(Protocol):\n    def f(self, device="cuda"):\n        return 1',
    '@torch.jit.script\ndef f(x, device: str = "cuda"):\n    return x',
]


@pytest.mark.parametrize("text", NO_FIX)
def test_reported_only(text: str) -> None:
    assert [kind for _, kind in places(CODE, f"import torch\n{text}\n")] == ["none"]


OPTIONS = [
    'parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"], help="cuda or cpu")',
    "parser.add_argument('-d', '--torch-device', type=str, default='cuda')",
    'parser.add_argument("-x", dest="device", default="cuda:0")',
    'parser.set_defaults(device="cuda")',
    'option = click.option("--device", default="cuda")',
    'flags.DEFINE_string("device", "cuda", "where")',
    'device: str = typer.Option("cuda")',
]


@pytest.mark.parametrize("text", OPTIONS)
def test_options(text: str) -> None:
    quote = "'" if "default='" in text else '"'
    literal = f"{quote}cuda:0{quote}" if "cuda:0" in text else f"{quote}cuda{quote}"
    wanted = text.replace(literal, f"{literal} {IF} {quote}cpu{quote}", 1)
    check(CODE, f"import torch\n\ndef main():\n    {text}\n", f"import torch\n\ndef main():\n    {wanted}\n", "safe")


LOOK_UPS = [
    'device = os.environ.get("DEVICE", {})',
    'device = os.getenv("TORCH_DEVICE", {})',
    'device = os.getenv("TORCH_DEVICE", default={})',
    'device = getattr(args, "device", {})',
    'device = config.get("device", {})',
    'x = x.to(kwargs.pop("device", {}))',
    'self.config["model"].get("map_location", {})',
]


@pytest.mark.parametrize("text", LOOK_UPS)
def test_what_is_taken_where_nothing_is_found(text: str) -> None:
    around = "import os\nimport torch\n\ndef f(self, args, config, x, **kwargs):\n    {}\n    return device\n"
    chosen = f'"cuda" {IF} "cpu"'
    check(CODE, around.format(text.format('"cuda"')), around.format(text.format(chosen)), "safe")


NO_LOOK_UPS = [
    'if config.get("device", "cuda") == "cuda": pass',
    'names = config.get("label", "cuda")',
    'x = config.get("cuda")',
    'x = config.get("device", *rest, "cuda")',
    'x = client.get("device", "cuda", 3)',
    'x = getattr("device", "cuda")',
    'x = get("device", "cuda")',
]


@pytest.mark.parametrize("text", NO_LOOK_UPS)
def test_other_look_ups(text: str) -> None:
    assert found(CODE, f"import torch\n{text}\n") == ()


def test_option_as_a_parameter() -> None:
    before = 'import torch\nimport typer\n\ndef main(device: str = typer.Option("cuda", help="cuda")):\n    pass\n'
    after = before.replace('("cuda"', f'("cuda" {IF} "cpu"')
    assert fixed(CODE, before) == after


FIELDS = [
    ("from dataclasses import dataclass\n\n@dataclass\nclass Config:\n    {}\n", 'device: str = "cuda"'),
    ("import dataclasses\n\n@dataclasses.dataclass(frozen=True)\nclass Config:\n    {}\n", 'dev: str = "cuda"'),
    ("from pydantic import BaseModel\n\nclass Config(BaseModel):\n    {}\n", 'device: str = "cuda"'),
    (
        "from pydantic import BaseModel, Field\n\nclass Config(BaseModel):\n    {}\n",
        'device: str = Field("cuda", description="x")',
    ),
    ("from typing import NamedTuple\n\nclass Config(NamedTuple):\n    {}\n", 'device: str = "cuda"'),
    ("from attrs import define\n\n@define\nclass Config:\n    {}\n", 'device: str = "cuda"'),
]


@pytest.mark.parametrize(("around", "field"), FIELDS)
def test_fields_of_a_script(around: str, field: str) -> None:
    main = '\nif __name__ == "__main__":\n    main(Config())\n'
    before = "import torch\n" + around.format(field) + main
    assert fixed(CODE, before, unsafe=False) == before.replace('"cuda"', f'"cuda" {IF} "cpu"')


LAZY = [
    (
        'from dataclasses import dataclass, field\n\n@dataclass\nclass C:\n    device: str = "cuda"\n',
        "from dataclasses import dataclass, field\n\n@dataclass\nclass C:\n"
        f'    device: str = field(default_factory=lambda: "cuda" {IF} "cpu")\n',
    ),
    (
        'import dataclasses\n\n@dataclasses.dataclass\nclass C:\n    device: str = "cuda"\n',
        "import dataclasses\n\n@dataclasses.dataclass\nclass C:\n"
        f'    device: str = dataclasses.field(default_factory=lambda: "cuda" {IF} "cpu")\n',
    ),
    (
        "from dataclasses import dataclass, field\n\n@dataclass\nclass C:\n"
        '    device: str = field(default="cuda", repr=False)\n',
        "from dataclasses import dataclass, field\n\n@dataclass\nclass C:\n"
        f'    device: str = field(default_factory=lambda: "cuda" {IF} "cpu", repr=False)\n',
    ),
    (
        'from pydantic import BaseModel, Field\n\nclass C(BaseModel):\n    device: str = Field("cuda", title="x")\n',
        "from pydantic import BaseModel, Field\n\nclass C(BaseModel):\n"
        f'    device: str = Field(default_factory=lambda: "cuda" {IF} "cpu", title="x")\n',
    ),
]


@pytest.mark.parametrize(("before", "after"), LAZY)
def test_fields_of_a_library(before: str, after: str) -> None:
    check(CODE, "import torch\n" + before, "import torch\n" + after, "safe")


def test_field_of_a_library_without_a_factory() -> None:
    text = 'import torch\nfrom typing import NamedTuple\n\nclass C(NamedTuple):\n    device: str = "cuda"\n'
    assert places(CODE, text) == [(5, "unsafe")]


def test_visible_devices_set_later() -> None:
    text = """
        import argparse, os, torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--gpu")
        parser.add_argument("--device", default="cuda")
        args = parser.parse_args()
        print(args)
        os.environ["CUDA_VISIBLE_DEVICES"] = args.gpu
    """
    assert places(CODE, text) == [(5, "unsafe")]


SILENT = [
    'def f(x, backend="cuda"): pass',
    'def f(x, device="cpu"): pass',
    "def f(x, device=None): pass",
    f'def f(x, device="cuda" {IF} "cpu"): pass',
    'parser.add_argument("--backend", default="cuda")',
    'parser.add_argument("--device", default="cpu", choices=["cuda", "cpu"])',
    'parser.add_argument("--device", choices=("cuda",))',
    'parser.add_argument("device", help="cuda")',
    'from enum import Enum\nclass E(str, Enum):\n    device: str = "cuda"',
    "from typing import TypedDict\nclass T(TypedDict):\n    device: str",
    'class A:\n    device = "cuda"',
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"import torch\n{text}\n") == ()


def test_no_torch() -> None:
    assert found(CODE, 'parser.add_argument("--device", default="cuda")\n') == ()


OPTION = "import argparse, torch\np = argparse.ArgumentParser()\np.add_argument({})\nargs = p.parse_args()\n{}\n"
HAS = "torch.cuda.is_available()"
SETTLED = [
    f'if not {HAS}:\n    args.device = "cpu"\nx.to(args.device)',
    f'if args.device == "cuda" and not {HAS}:\n    print(1)\n    args.device = torch.device("cpu")\nx.to(args.device)',
    f'if {HAS}:\n    x.eval()\nelse:\n    args.device = "cpu"\nx.to(args.device)',
    f'if args.device == "cuda":\n    if {HAS}:\n        args.device = "cuda:1"\n    elif x.mps:\n        args.device = "mps"\n'
    '    else:\n        args.device = "cpu"\nx.to(args.device)',
    f'args.device = args.device if {HAS} else "cpu"\nx.to(args.device)',
    f'args.device = torch.device("cpu" if not {HAS} else args.device)\nx.to(args.device)',
    f'where = torch.device(args.device if {HAS} else "cpu")\nx.to(where)',
    f"if {HAS}:\n    x.to(args.device)",
    f'cuda = {HAS}\nwhere = args.device if cuda else "cpu"\nx.to(where)',
    f'if str(args.device) == "cuda":\n    print(1)\nwhere = args.device if {HAS} and x else "cpu"',
]
UNSETTLED = [
    "x.to(args.device)",
    "print(args.device == 'cuda')",
    'if x.cuda:\n    x.eval()\nelif x.mps:\n    args.device = "mps"\nelse:\n    args.device = "cpu"\nx.to(args.device)',
    f'x.to(args.device)\nif not {HAS}:\n    args.device = "cpu"',
    f'where = args.device if {HAS} else "cpu"\nx.to(args.device)',
    f'where = args.device if {HAS} else "cpu"\nif x.to(args.device) == 1:\n    print(1)',
    f'if {HAS}:\n    args.device = "cpu"\nx.to(args.device)',
    f'if not {HAS}:\n    args.device = "cuda:1"\nx.to(args.device)',
    f'if args.small or not {HAS}:\n    args.device = "cuda:0"\nx.to(args.device)',
    f'if args.small and not {HAS}:\n    args.device = "cpu"\nx.to(args.device)',
    'if not args.cuda:\n    args.device = "cpu"\nx.to(args.device)',
    'args.device = "cpu" if args.small else args.device\nx.to(args.device)',
    f'where = x.device if {HAS} else "cpu"\nx.to(args.device)',
]


@pytest.mark.parametrize("uses", SETTLED)
@pytest.mark.parametrize(
    "option", ['"--device", default="cuda"', '"-d", "--dev-name", dest="device", default="cuda:0"']
)
def test_an_option_that_the_program_gives_up_without_cuda(uses: str, option: str) -> None:
    assert found(CODE, OPTION.format(option, uses)) == ()


@pytest.mark.parametrize(("uses", "count"), [("", 0), ("net.to(args.kept_device)", 1)])
@pytest.mark.parametrize(("word", "others"), [("numpy", 0), ("cuda", 1)])
def test_an_option_that_is_only_compared_with_other_words(uses: str, count: int, word: str, others: int) -> None:
    text = (
        "import argparse\nimport torch\n\np = argparse.ArgumentParser()\n"
        'p.add_argument("--kept_device", default="cuda")\nargs = p.parse_args()\nnet = torch.nn.Linear(1, 1)\n'
        f'if args.kept_device == "{word}":\n    print(net)\n{uses}\n'
    )
    assert len(places(CODE, text)) == max(count, others)


def test_an_option_that_one_function_gives_up_for_another() -> None:
    uses = f'def test(args):\n    x.to(args.device)\ndef main():\n    if not {HAS}:\n        args.device = "cpu"\n    test(args)'
    assert found(CODE, OPTION.format('"--device", default="cuda"', uses)) == ()


@pytest.mark.parametrize("uses", UNSETTLED)
def test_an_option_that_the_program_uses_without_cuda(uses: str) -> None:
    assert places(CODE, OPTION.format('"--device", default="cuda"', uses)) == [(3, "safe")]


@pytest.mark.parametrize(
    "head",
    ["import torch\ndef f(x, device='cuda'):\n", "import typer, torch\ndef f(x, device=typer.Option('cuda')):\n"],
)
@pytest.mark.parametrize(("uses", "count"), [*((one, 0) for one in SETTLED), *((one, 1) for one in UNSETTLED)])
def test_a_parameter_that_its_function_gives_up_without_cuda(head: str, uses: str, count: int) -> None:
    body = "".join(
        f"    {line}\n" for line in uses.replace("args.device", "device").replace("args.", "x.").splitlines()
    )
    is_only_compared = uses.startswith("print(") and "typer" not in head
    assert len(found(CODE, head + body)) == (0 if is_only_compared else count)


@pytest.mark.parametrize(("test", "count"), [(HAS, 0), ("x", 1)])
def test_a_parameter_of_click(test: str, count: int) -> None:
    program = f"def f(x, device):\n    x.to(device if {test} else 'cpu')\n"
    assert len(found(CODE, f"import click, torch\n@click.option('--device', default='cuda')\n{program}")) == count


PLACED = 'import torch\n\ndef f(n, device="cuda"):\n    return torch.ones(n, device=device)\n'


@pytest.mark.parametrize(
    ("use", "kind"),
    [
        ("pass", "safe"),
        ("f(1); f(2, 'cpu'); f(3, device=torch.device('cpu')); f(4, 'cuda' if x else 'cpu')", "safe"),
        ("f(1, device=x.device)", "safe"),
        ("device = x.device\n    f(1, device)", "safe"),
        ("place = f'cuda:{x}' if x else 'cpu'\n    f(1, place)", "safe"),
        ("f(1, None)", "unsafe"),
        ("f(1, x)", "unsafe"),
        ("f(1, args.device)", "unsafe"),
        ("device = None\n    if x: device = x.device\n    f(1, device)", "unsafe"),
        ("for device in x:\n        f(1, device)", "unsafe"),
        ("f(*given)", "unsafe"),
        ("f(*given, device='cpu')", "safe"),
        ("f(1, **given, device=x.device)", "safe"),
        ("x.f(**given)", "safe"),
        ("f(1, **given)", "unsafe"),
        ("functions = [f]", "unsafe"),
        ("g = partial(f, device=x)", "unsafe"),
        ("def g(device=None):\n        return f(1, device=device)", "unsafe"),
        ("def g(device):\n        return f(1, device=device)", "unsafe"),
    ],
)
def test_a_parameter_that_only_places_and_is_never_none(use: str, kind: str) -> None:
    assert [
        one for row, one in places(CODE, f"{PLACED}\ndef user(x, given, args):\n    f(0)\n    {use}\n") if row == 3
    ] == [kind]


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        ("Holder(1); Holder(2, 'cpu'); Holder(n=1, device=x.device)", "safe"),
        ("Holder(1, None)", "unsafe"),
        ("Holder(*given)", "unsafe"),
        ("pass", "unsafe"),
        ("Holder(1)\n\nclass Heir(Holder):\n    def __init__(self):\n        super().__init__(1, None)", "unsafe"),
    ],
)
def test_a_parameter_that_a_class_hands_on(made: str, kind: str) -> None:
    holder = "class Holder:\n    def __init__(self, n, device='cuda'):\n        self.x = f(n, device=device)\n"
    program = f"{PLACED}\n{holder}\ndef user(x, given):\n    f(0)\n    {made}\n"
    assert [one for row, one in places(CODE, program) if row == 3] == [kind]


LOADER = """import torch
from transformers import AutoModel

def load(path, device_map="auto", device="cuda", **kwargs):
    kwargs["device_map"] = device_map
    if device != "cuda":
        kwargs["{entry}"] = {{"": device}}
    model = AutoModel.from_pretrained(path, **kwargs)
    {placed}
    return model
"""


@pytest.mark.parametrize(
    ("entry", "placed", "kind"),
    [
        ("device_map", "model.tower.to(device=device, dtype=torch.float16)", "safe"),
        ("device_map", "pass", "unsafe"),
        ("names", "model.tower.to(device=device, dtype=torch.float16)", "unsafe"),
    ],
)
def test_a_device_that_a_whole_model_is_mapped_to(entry: str, placed: str, kind: str) -> None:
    assert [one for _, one in places(CODE, LOADER.format(entry=entry, placed=placed))] == [kind]


@pytest.mark.parametrize(
    ("placed", "kind"), [("model.tower.to(device=device, dtype=torch.float16)", "safe"), ("pass", "unsafe")]
)
def test_an_option_that_only_decides_whether_a_model_goes_where_it_can(tmp_path: Path, placed: str, kind: str) -> None:
    main = (
        "import argparse\nimport torch\nfrom loader import load\n\nparser = argparse.ArgumentParser()\n"
        'parser.add_argument("--device", default="cuda")\nargs = parser.parse_args()\n'
        "model = load('m', device=args.device)\n"
    )
    files = {"loader.py": LOADER.format(entry="device_map", placed=placed), "main.py": main}
    assert ("main.py" in fix_files(write_files(tmp_path / "p", files))) is (kind == "safe")


@pytest.mark.parametrize(
    ("option", "more", "kind"),
    [
        ("default='cpu'", "pass", "safe"),
        ("default='cuda:0' if torch.cuda.is_available() else 'cpu'", "args.device = f'cuda:{n}'", "safe"),
        ("default='cpu'", "args.device = None", "unsafe"),
        ("default=None", "pass", "unsafe"),
        ("type=str", "pass", "unsafe"),
    ],
)
def test_a_device_that_an_option_of_the_callers_file_always_gives(option: str, more: str, kind: str) -> None:
    user = f"def user(n):\n    f(0)\n    parser.add_argument('--device', {option})\n    {more}\n    f(1, args.device)\n"
    assert [one for row, one in places(CODE, f"{PLACED}\n{user}") if row == 3] == [kind]


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ("torch.device('cuda:0') if torch.cuda.is_available() else torch.device('cpu')", "safe"),
        ("f'cuda:{n}'", "safe"),
        ("None", "unsafe"),
        ("n", "unsafe"),
    ],
)
def test_a_device_that_another_file_sets(tmp_path: Path, given: str, kind: str) -> None:
    user = f"{PLACED}\ndef user(config):\n    return f(1, device=config.device) + f(1)\n"
    set_elsewhere = f"import torch\n\ndef config_of(config, n):\n    config.device = {given}\n    return config\n"
    changed = fix_files(write_files(tmp_path / "p", {"use.py": user, "configs.py": set_elsewhere}))
    assert ("use.py" in changed) is (kind == "safe")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("return torch.device(n)", "safe"),
        ("if n:\n        return 'cpu'\n    else:\n        return f'cuda:{n}'", "safe"),
        ("if n:\n        return 'cpu'\n    raise ValueError(n)", "safe"),
        ("name = 'cpu'\n    if n: name = 'cuda'\n    return torch.device(name)", "safe"),
        ("name = 'cpu'\n    if n: name = 'cuda'\n    return name", "safe"),
        (
            "found = []\n    for one in n: found.append(torch.device(one))\n    found.reverse()\n    return found[0]",
            "safe",
        ),
        ("found = []\n    found.append('cpu')\n    return found if len(found) > 1 else found[0]", "safe"),
        ("found = []\n    found.append(n)\n    return found[0]", "unsafe"),
        ("found = ['cpu']\n    change(found)\n    return found[0]", "unsafe"),
        ("found = ['cpu', None]\n    return found[1]", "unsafe"),
        ("found = ['cpu']\n    found[0] = None\n    return found[0]", "unsafe"),
        ("if n:\n        return 'cpu'", "unsafe"),
        ("return", "unsafe"),
        ("return n", "unsafe"),
        ("name = 'cpu'\n    if n: name = None\n    return name", "unsafe"),
        ("name = 'cpu'\n    for name in n: pass\n    return name", "unsafe"),
        (
            "name = 'cpu'\n    def inner():\n        nonlocal name\n        name = None\n    inner()\n    return name",
            "unsafe",
        ),
        ("yield 'cpu'\n    return 'cpu'", "unsafe"),
        ("with n:\n        return 'cpu'", "unsafe"),
        ("try:\n        return torch.device(n)\n    except ValueError:\n        pass", "unsafe"),
        ("return 'cpu'\n\ndef pick(n):\n    return n", "unsafe"),
    ],
)
def test_a_device_that_a_function_of_the_project_always_gives(tmp_path: Path, body: str, kind: str) -> None:
    pick = f"import torch\n\ndef pick(n):\n    {body}\n"
    user = "from use import f\nfrom utils import pick\n\ndef user(n):\n    device = pick(n)\n    return f(1) + f(1, device=device)\n"
    changed = fix_files(write_files(tmp_path / "p", {"use.py": PLACED, "utils.py": pick, "main.py": user}))
    assert ("use.py" in changed) is (kind == "safe")


def test_the_function_of_a_script_chooses_in_its_signature() -> None:
    before = (
        PLACED
        + 'class A:\n    def __init__(self, device="cuda:0"):\n        self.device = device\nprint(f(1, None), f(1))\n'
    )
    after = before.replace('"cuda"', f'"cuda" {IF} "cpu"').replace('"cuda:0"', f'"cuda:0" {IF} "cpu"')
    check(CODE, before, after, "safe", "safe")


def test_functions_of_a_script_share_the_default() -> None:
    functions = "".join(f'def f{i}(x, device="cuda"):\n    return x.to(device)\n' for i in range(3))
    end = 'if __name__ == "__main__":\n    print(f0(read()))\n'
    shared = functions.replace('device="cuda"', "device=DEFAULT_DEVICE")
    check(
        CODE,
        f"import torch\n{functions}{end}",
        f'import torch\n\nDEFAULT_DEVICE = "cuda" {IF} "cpu"\n\n{shared}{end}',
    )
    assert "DEFAULT_DEVICE" in fixed(CODE, f"import torch\n{functions.partition('def f2')[0]}{end}")
    assert "DEFAULT_DEVICE" not in fixed(CODE, f"import torch\n{functions.partition('def f1')[0]}{end}")
    own = f"import torch\nDEFAULT_DEVICE = read()\n{functions}{end}"
    assert "device=DEFAULT_DEVICE" not in fixed(CODE, own)


def functions(count: int, default: str = 'device="cuda"', first: str = "") -> str:
    return "".join(f"\n\ndef f{i}(x, {default}):\n{first}    return x.to(device)\n" for i in range(count))


RESOLVES = f"""
def resolve_device(device):
    if device is None:
        return "cuda" {IF} "cpu"
    return device
"""


def test_functions_of_a_library_share_the_function_that_chooses() -> None:
    shared = functions(3, "device=None", "    device = resolve_device(device)\n")
    check(CODE, f"import torch\n{functions(3)}", f"import torch\n\n{RESOLVES}{shared}", *["safe"] * 3)
    assert "resolve" in fixed(CODE, f"import torch\n{functions(2)}")
    assert "resolve" not in fixed(CODE, f"import torch\n{functions(1)}")
    assert "resolve" not in fixed(CODE, f"import torch\nf = torch.jit.script(g)\n{functions(3)}")
    taken = fixed(CODE, f"import torch\n\n{RESOLVES.replace('return device', 'return read(device)')}{functions(3)}")
    assert taken.count("device = device_or_default(device)") == 3


@pytest.mark.parametrize("quote", ['"', "'"])
def test_the_function_that_chooses_asks_the_one_that_gives_the_device(quote: str) -> None:
    gives = f'\n\ndef get_device():\n    return torch.device("cuda" {IF} "cpu")\n'
    resolves = RESOLVES.replace(f'"cuda" {IF} "cpu"', "get_device().type")
    shared = functions(3, "device=None", "    device = resolve_device(device)\n")
    before = f"import torch\n{gives}{functions(3)}".replace('"', quote)
    after = f"import torch\n\n{resolves}{gives}{shared}".replace('"', quote)
    check(CODE, before, after, *["safe"] * 3)
    one_more = after + functions(1, 'dev="cuda"').replace("to(device)", "to(dev)").replace("f0", "g").replace(
        '"', quote
    )
    assert fixed(CODE, one_more).count("dev = resolve_device(dev)") == 1


def test_a_function_that_a_library_has_chooses() -> None:
    known = RESOLVES.replace("resolve_device", "chosen").replace("    if", '    """Choose."""\n    if')
    after = functions(1, "device=None", "    device = chosen(device)\n")
    check(CODE, f"import torch\n\n{known}{functions(1)}", f"import torch\n\n{known}{after}", "safe")
    with_default = known.replace("chosen(device)", "chosen(device, n)")
    assert "device = chosen" not in fixed(CODE, f"import torch\n\n{with_default}{functions(1)}")


ASKED = [
    "HAS_CUDA = torch.cuda.is_available()",
    "if torch.cuda.is_available():\n    import kernels",
    '@mark.skipif(not torch.cuda.is_available(), reason="asks")\ndef test_it(): ...',
    "class Test:\n    has = torch.cuda.is_available() and read()",
    "def g(x=torch.cuda.is_available()): ...",
]
NOT_CERTAINLY_ASKED = [
    "def g(): return torch.cuda.is_available()",
    "HAS_CUDA = read() and torch.cuda.is_available()",
    "if read():\n    HAS_CUDA = torch.cuda.is_available()",
    "choose_cards()\nHAS_CUDA = torch.cuda.is_available()",
    "ask = lambda: torch.cuda.is_available()",
    "asked = [torch.cuda.is_available() for one in read()]",
    "asked = 0 if read() else torch.cuda.is_available()",
]


@pytest.mark.parametrize("line", ASKED)
def test_a_library_that_asks_when_it_is_imported_chooses_in_the_signature(line: str) -> None:
    head, chosen = f"import torch\nfrom pytest import mark\n\n{line}\n", f'device="cuda" {IF} "cpu"'
    check(CODE, f"{head}{functions(1)}", f"{head}{functions(1, chosen)}", "safe")
    shared = fixed(CODE, f"{head}{functions(3)}")
    assert f'DEFAULT_DEVICE = "cuda" {IF} "cpu"\n' in shared.partition("def f0")[0]
    assert functions(3, "device=DEFAULT_DEVICE") in shared


@pytest.mark.parametrize("line", NOT_CERTAINLY_ASKED)
def test_a_library_that_may_not_ask_when_it_is_imported_chooses_in_the_body(line: str) -> None:
    after = functions(1, "device=None", f'    if device is None:\n        device = "cuda" {IF} "cpu"\n')
    check(CODE, f"import torch\n\n{line}\n{functions(1)}", f"import torch\n\n{line}\n{after}", "safe")


def test_a_script_that_chooses_its_cards_later_chooses_in_the_body() -> None:
    before = PLACED + "def main():\n    os.environ['CUDA_VISIBLE_DEVICES'] = '1'\n    f(1)\nimport os\nmain()\n"
    assert "device=None" in fixed(CODE, before, unsafe=False)


METHODS = [
    # A method that only places, and what it hands to the same instance.
    ("    def f(self, n, device={}):\n        return torch.ones(n, device=device)\n", "", "safe"),
    ("    def f(self, n, device={}):\n        return self.g(n, device)\n{}", "self.f(1)", "safe"),
    (
        "    @staticmethod\n    def f(n, device={}):\n        return torch.ones(n, device=device)\n",
        "A.f(1, 'cpu')",
        "safe",
    ),
    ("    @torch.no_grad()\n    def f(self, n, device={}):\n        return n.to(device)\n", "a.f(n)", "safe"),
    (
        "    def f(self, n, device={}):\n        device = torch.device(device)\n        return n.to(device)\n",
        "",
        "safe",
    ),
    ("    def f(self, n, device={}):\n        return n.to(device)\n", "anything.f(n, device=n.device)", "safe"),
    ("    def f(self, n, device={}):\n        return n.to(device)\n", "anything.f(n, device=n)", "unsafe"),
    ("    def f(self, n, device={}):\n        return n.to(device)\n", "A.f(self, n, None)", "unsafe"),
    ("    def f(self, n, device={}):\n        return n.to(device)\n", "run(self.f)", "unsafe"),
    ("    def forward(self, n, device={}):\n        return n.to(device)\n", "", "unsafe"),
    ("    def __call__(self, n, device={}):\n        return n.to(device)\n", "", "unsafe"),
    ("    @register\n    def f(self, n, device={}):\n        return n.to(device)\n", "", "unsafe"),
    ("    def f(self, n, device={}):\n        return n.to(device) if device == 'cuda' else n\n", "", "safe"),
    ("    def f(self, n, device={}):\n        return n.to(device), CARDS[device]\n", "", "unsafe"),
    ("    def f(self, n, device={}):\n        return n.to(device), open(f'{{device}}.txt')\n", "", "unsafe"),
    ("    def f(self, n, device={}):\n        return n if device == 'cuda' else -n\n", "", "unsafe"),
    # A class that keeps its device.
    ("    def __init__(self, net, device={}):\n        self.net = net.to(device)\n", "A(n)", "safe"),
    (
        "    def __init__(self, device={}):\n        self.device = device\n\n    def h(self, x):\n        return x.to(self.device)\n",
        "A('cpu')",
        "safe",
    ),
    (
        "    def __init__(self, device={}):\n        self.device = device\n\n    def h(self, x):\n        return x.to(self.device)\n",
        "A(None)",
        "unsafe",
    ),
    (
        "    def __init__(self, device={}):\n        self.device = device\n\n    def h(self, x):\n        print(self.device)\n",
        "A('cpu')",
        "unsafe",
    ),
    (
        "    def __init__(self, net, device={}):\n        self.device = device\n        net.device = device\n"
        "        net.to(self.device)\n        print(f'on {{self.device}}', self.device)\n",
        "A(n)",
        "safe",
    ),
    (
        "    def __init__(self, net, device={}):\n        self.device = device\n        net.to(self.device)\n\n"
        "    def path(self):\n        return f'{{self.device}}.pt'\n",
        "A(n)",
        "unsafe",
    ),
    ("    def __init__(self, net, device={}):\n        self.net = net.to(device)\n", "isinstance(n, A)", "safe"),
    ("    def __init__(self, net, device={}):\n        self.net = net.to(device)\n", "MODELS = dict(a=A)", "unsafe"),
    ("    def __init__(self, net, device={}):\n        self.net = load(net, device=device)\n", "", "safe"),
]


@pytest.mark.parametrize(("method", "use", "kind"), METHODS)
def test_methods_and_classes(method: str, use: str, kind: str) -> None:
    other = "    def g(self, n, device):\n        return torch.ones(n, device=device)\n"
    text = f"import torch\n\n\nclass A:\n{method.format(chr(34) + 'cuda' + chr(34), '')}\n{other}\n\ndef user(self, n, a, b):\n    A(); b.f(n)\n    {use or 'pass'}\n"
    assert [one for _, one in places(CODE, text)] == [kind]


HEIRS = [
    ("super().__init__(net)", "safe"),
    ("super().__init__(net, None)", "unsafe"),
    ("A.__init__(self, net, device=x)", "unsafe"),
    ("torch.Other.__init__(self, *x)", "safe"),
    ("B.__init__(self, *x)", "safe"),
    ("x.__init__(self, *x)", "unsafe"),
]


@pytest.mark.parametrize(("call", "kind"), HEIRS)
def test_what_an_heir_gives_to_the_class_counts(call: str, kind: str) -> None:
    text = (
        'import torch\n\n\nclass A:\n    def __init__(self, net, device="cuda"):\n        self.net = net.to(device)\n\n\n'
        f"class B(A):\n    def __init__(self, net, x):\n        {call}\n"
    )
    assert [one for _, one in places(CODE, text)] == [kind]


@pytest.mark.parametrize(
    "body",
    [
        "    device = device or 'cpu'\n",
        "    if not device: return\n",
        "    if not (device is None): n = 2\n",
        "    n = device if device else 2\n",
        "    place = device\n",
        "    n = open(str(device))\n",
        "    if device is None: return\n",
        "    if device is None:\n        n = 1\n",
    ],
)
def test_a_parameter_that_the_body_asks_for(body: str) -> None:
    assert [kind for _, kind in places(CODE, PLACED.replace("    return", f"{body}    return"))] == ["unsafe"]


@pytest.mark.parametrize(
    "body",
    [
        "    print(device)\n",
        "    logger.info(f'on {device}')\n",
        "    assert n, f'nothing for {device}'\n",
        "    n.device = device\n",
        "    if device in ('cuda', 'cpu') and not device.startswith('mps'): n = run(n, device)\n",
        "    if str(device) == 'cpu': n = 2\n",
        "    def inner(x):\n        return x.to(device), device\n",
    ],
)
def test_a_parameter_that_the_body_takes_for_a_device(body: str) -> None:
    assert [kind for _, kind in places(CODE, PLACED.replace("    return", f"{body}    return"))] == ["safe"]


@pytest.mark.parametrize(
    ("use", "kind"),
    [("f(1, 'cpu'); f(2, x.device)", "unsafe"), ("f(1, 'cpu'); f(2)", "safe"), ("f(1, 'cpu'); x(f)", "unsafe")],
)
def test_a_default_that_no_call_of_the_project_leaves(use: str, kind: str) -> None:
    program = f"{PLACED}\ndef user(x):\n    {use}\n"
    assert [one for row, one in places(CODE, program) if row == 3] == [kind]


def test_a_function_that_calls_itself() -> None:
    text = (
        'import torch\n\ndef f(x, device="cuda"):\n    if isinstance(x, list):\n'
        "        return [f(one, device) for one in x]\n    return x.to(device)\n"
    )
    assert [kind for _, kind in places(CODE, text)] == ["safe"]


def test_a_default_that_the_function_gives_up_without_cuda() -> None:
    text = """
        import torch

        def build(**kwargs):
            device = kwargs.get("device", "cuda")
            if (device.startswith("cuda") and not torch.cuda.is_available()) or kwargs.get("ngpu", 1) == 0:
                device = "cpu"
            return net.to(device)
    """
    assert found(CODE, text) == ()
    assert found(CODE, text.replace("not torch.cuda.is_available()", "small")) != ()


@pytest.mark.parametrize(
    ("above", "default"),
    [
        (f'device = "cuda" {IF} "cpu"', "device"),
        ('DEVICE = "cuda"', "DEVICE"),
        (f'device = torch.device("cuda" {IF} "cpu")', "device.type"),
        (f'device = torch.device("cuda") {IF} torch.device("cpu")', "device.type"),
        # Chosen by something else, of a card, or of a name that is given others.
        (f'device = torch.device("cuda:1" {IF} "cpu")', f'"cuda" {IF} "cpu"'),
        ('device = "cuda" if big else "cpu"', f'"cuda" {IF} "cpu"'),
        ('device = "cuda:1"', f'"cuda" {IF} "cpu"'),
        (f'device = "cuda" {IF} "cpu"\nif small:\n    device = "cpu"', f'"cuda" {IF} "cpu"'),
    ],
)
def test_a_parameter_of_a_script_that_has_the_same_device(above: str, default: str) -> None:
    program = (
        "import torch\n{}\n\ndef f(n, device: str = {}):\n    return torch.zeros(n, device=device)\n\nprint(f(1))\n"
    )
    assert fixed(CODE, program.format(above, '"cuda"')) == program.format(above, default)


@pytest.mark.parametrize("card", ["", ":0", ":1"])
def test_parameters_and_options_of_a_script_share_the_default(card: str) -> None:
    program = "import argparse\nimport torch\n{}\nparser = argparse.ArgumentParser()\n"
    program += "parser.add_argument('--device', default={})\n\n\ndef f(x, device={}):\n    return x.to(device)\n\n\n"
    program += "print(f(torch.ones(2), parser.parse_args().device), f(torch.ones(2)))\n"
    name = "DEFAULT_DEVICE"
    literal, defined = f'"cuda{card}"', f'\n{name} = "cuda{card}" {IF} "cpu"\n'
    assert fixed(CODE, program.format("", literal, literal)) == program.format(defined, name, name)
    other = fixed(CODE, program.format("", literal, '"cuda:5"'))
    assert name not in other and other.count(IF) == 2


@pytest.mark.parametrize("moves", ["x = x.cuda()", "x = torch.ones(3, device='cuda')", "x = x.to('cuda')"])
def test_a_parameter_of_a_script_that_needs_a_device_anyway(moves: str) -> None:
    program = "import torch\n\n\ndef f(n, device='cuda'):\n    return torch.zeros(n, device=device)\n\n\n"
    program += f"def g(x):\n    {moves}\n    return f(x)\n\n\nif __name__ == '__main__':\n    g(torch.ones(3))\n"
    after = engine.fix(source(program), [rule(one) for one in ("DEV101", "DEV102", "DEV103", "DEV104")], CUDA).text
    assert f'\ndevice = torch.device("cuda" {IF} "cpu")\n' in after and after.count(IF) == 1
    assert "def f(n, device=device.type):" in after


_OPTION = "import argparse\nimport torch\nparser = argparse.ArgumentParser()\nparser.add_argument({})\n{}"
_PARSED = "args = parser.parse_args()\n"
_STOPS = [
    "assert not args.cuda or torch.cuda.is_available()\n",
    "assert torch.cuda.is_available() or not args.cuda, 'no CUDA'\n",
    "if args.cuda and not torch.cuda.is_available():\n    raise ValueError('no CUDA; say --cuda 0')\n",
]


@pytest.mark.parametrize("stops", _STOPS)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("'--cuda', type=flag, default=True", "'--cuda', type=flag, default=torch.cuda.is_available()"),
        ("'--cuda', type=int, default=1", "'--cuda', type=int, default=int(torch.cuda.is_available())"),
    ],
)
def test_cuda_is_required_of_whoever_asks_for_it(before: str, after: str, stops: str) -> None:
    assert fixed(CODE, _OPTION.format(before, _PARSED + stops)) == _OPTION.format(after, _PARSED + stops)


_TYPES = "'--kind', choices=('cpu', 'cuda'), default={}"
_RAISES = "if args.kind == 'cuda' and not torch.cuda.is_available():\n    raise ValueError('no CUDA')\n"


def test_cuda_is_required_of_whoever_chooses_it() -> None:
    before = _OPTION.format(_TYPES.format("'cuda'"), _PARSED + _RAISES)
    assert fixed(CODE, before) == before.replace("='cuda')", "='cuda' if torch.cuda.is_available() else 'cpu')")
    for other in (
        before.replace("('cpu', 'cuda')", "('xpu', 'cuda')"),
        before.replace("choices=('cpu', 'cuda'), ", ""),
        before.replace("='cuda')", "='cpu')"),
        before.replace("== 'cuda'", "!= 'cuda'"),
        before.replace("raise ValueError", "print"),
        before.replace(_RAISES, f"args.kind = ask()\n{_RAISES}"),
    ):
        assert found(CODE, other) == ()
    named = before.replace("--kind", "--device").replace("args.kind", "args.device")
    assert len(found(CODE, named)) == 1


def test_an_option_that_is_a_type_of_tensors() -> None:
    text = _OPTION.format("'--type', default={}", f"{_PARSED}x = torch.ones(2).type(args.type)\n")
    before = text.format("'torch.cuda.HalfTensor'")
    after = text.format("'torch.cuda.HalfTensor' if torch.cuda.is_available() else 'torch.HalfTensor'")
    check(CODE, before, after, "safe")
    for other in (
        text.format("'torch.HalfTensor'"),
        before.replace(".type(args.type)", ".to(args.type)"),
        before.replace("args.type)", "other.type)"),
        before.replace("x =", "if torch.cuda.is_available():\n    x ="),
    ):
        assert found(CODE, other) == ()


@pytest.mark.parametrize(
    ("option", "rest"),
    [
        ("'--cuda', action='store_true'", _STOPS[0]),
        ("'--cuda', default=False", _STOPS[0]),
        ("'--cuda', type=int, default=1", "assert not other.cuda or torch.cuda.is_available()\n"),
        ("'--cuda', default=True", "assert args.cuda and torch.cuda.is_available()\n"),
        ("'--cuda', default=True", "assert torch.cuda.is_available()\n"),
        ("'--cuda', default=True", f"args.cuda = ask()\n{_STOPS[0]}"),
        ("'--cuda', default=True", "if args.cuda and not torch.cuda.is_available():\n    print('slow')\n"),
    ],
)
def test_cuda_is_required_of_everyone_or_of_nobody(option: str, rest: str) -> None:
    assert found(CODE, _OPTION.format(option, _PARSED + rest)) == ()


_GATED = """
import pytest
import torch


def {name}(n=100, device="cuda"):
    return torch.rand(n, device=device)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="CUDA required")
def test_sum():
    assert {name}().sum() > 0


def test_mean():
    {last}
"""


@pytest.mark.parametrize(
    ("name", "last", "count"), [("_made", "pass", 0), ("_made", "assert _made().mean() > 0", 1), ("made", "pass", 1)]
)
def test_a_helper_of_tests_that_are_skipped_without_cuda(name: str, last: str, count: int) -> None:
    assert len(found("DEV104", _GATED.format(name=name, last=last))) == count


OPTIONS = """def add_options(parser):
    parser.add_argument("--device", default="cuda")
    return parser


class One:
    pass


def register(one):
    pass


register(One)
"""


@pytest.mark.parametrize(("line", "is_safe"), [("os.environ['CUDA_VISIBLE_DEVICES'] = args.gpus", False), ("", True)])
def test_an_option_of_another_file_that_then_chooses_its_gpus(tmp_path: Path, line: str, is_safe: bool) -> None:
    program = (
        "import argparse\nimport os\n\nfrom options import add_options\n\n\ndef main(args):\n"
        f"    {line or 'pass'}\n\n\nif __name__ == '__main__':\n    main(add_options(argparse.ArgumentParser()).parse_args())\n"
    )
    files = {"setup.py": "", "options.py": "import torch\n\n\n" + OPTIONS, "main.py": program}
    result = fix_files(write_files(tmp_path / "p", files), unsafe=False)
    assert ("options.py" in result) is is_safe


WITH_TORCH = "import torch\n\nfrom options import add_options\n"


@pytest.mark.parametrize(
    ("files", "count"),
    [
        ({"main.py": WITH_TORCH}, 1),
        ({"main.py": "def main():\n    from options import add_options\n\n\nimport torch\n"}, 0),
        ({"main.py": "import torch\n\n\ndef main():\n    from options import add_options\n"}, 1),
        ({"main.py": "from options import add_options\nimport torch\n"}, 0),
        ({"main.py": "from net import *\nfrom options import add_options\n", "net.py": "import torch\n"}, 1),
        ({"main.py": "from net import *\nfrom options import add_options\n", "net.py": "import math\n"}, 0),
        ({"main.py": WITH_TORCH, "plot.py": "import options\n"}, 0),
        ({"main.py": WITH_TORCH, "plot.py": "print('options')\n"}, 1),
        (
            {"main.py": WITH_TORCH, "all.py": "from importlib import import_module\n\nimport_module('op' + 'tions')\n"},
            0,
        ),
        ({"main.py": "import torch\n"}, 0),
    ],
)
def test_an_option_of_a_file_without_torch(tmp_path: Path, files: dict[str, str], count: int) -> None:
    result = fix_files(write_files(tmp_path / "p", {"options.py": "import argparse\n\n\n" + OPTIONS, **files}))
    assert list(result) == ["options.py"] * count
    assert all("\nimport torch\n" in one and f'default="cuda" {IF} "cpu"' in one for one in result.values())


@pytest.mark.parametrize(
    ("use", "count"),
    [
        ('device = torch.device(args.device if torch.cuda.is_available() else "cpu")', 0),
        ("if torch.cuda.is_available():\n        net.to(args.device)", 0),
        ("args.device = choose()\n    net.to(args.device)", 0),
        ("args.device = torch.device(args.device)\n    net.to(args.device)", 1),
        ("net.to(args.device)", 1),
        ("net.to(args.device if args.fast else None)", 1),
        ("net.device", 1),
    ],
)
@pytest.mark.parametrize("torch", ["", "import torch\n\n\n"])
def test_an_option_that_another_file_gives_up_without_cuda(tmp_path: Path, torch: str, use: str, count: int) -> None:
    main = f"{WITH_TORCH}from net import choose, net\n\n\ndef main(args):\n    {use}\n"
    result = fix_files(write_files(tmp_path / "p", {"options.py": torch + OPTIONS, "main.py": main}))
    assert list(result) == ["options.py"] * count


def test_an_option_of_a_script_without_torch(tmp_path: Path) -> None:
    run = "\n\nif __name__ == '__main__':\n    print(add_options(argparse.ArgumentParser()))\n"
    assert (
        fix_files(
            write_files(tmp_path / "p", {"options.py": "import argparse\n\n\n" + OPTIONS + run, "main.py": WITH_TORCH})
        )
        == {}
    )


@pytest.mark.parametrize(
    ("use", "count"),
    [
        ("args.where = torch.device(args.where)", 1),
        ("x = torch.zeros(3, device=args.where)", 1),
        ("x = torch.zeros(3).to(args.where)", 1),
        ("def f(one):\n    return one.to(args.where)", 1),
        ("if args.fast:\n    x = torch.zeros(3, device=args.where)", 0),
        ("x = torch.zeros(3, device=args.where if torch.cuda.is_available() else 'cpu')", 0),
        ("x = torch.zeros(3, device=other.where)", 0),
        ("print(args.where)", 0),
    ],
)
def test_an_option_that_torch_takes_for_a_device(use: str, count: int) -> None:
    text = OPTION.format('"--where", default="cuda"', use)
    assert len(found(CODE, text)) == count
    if count:
        check(CODE, text, text.replace('"cuda"', f'"cuda" {IF} "cpu"'), "safe")


def test_a_file_that_registers_its_classes_is_no_script(tmp_path: Path) -> None:
    library = OPTIONS + "\n\ndef load(net, device='cuda'):\n    return net.to(device)\n"
    files = {"setup.py": "", "load.py": "import torch\n\n\n" + library.replace('default="cuda"', "type=int")}
    text = fix_files(write_files(tmp_path / "p", files), unsafe=True)["load.py"]
    assert "def load(net, device=None):" in text


@pytest.mark.parametrize(
    ("annotation", "count"),
    [("Literal['cuda']", 0), ("Literal['cuda', 'mps']", 0), ("Literal['cuda', 'cpu']", 1), ("str", 1)],
)
def test_an_annotation_that_does_not_allow_the_cpu(annotation: str, count: int) -> None:
    head = "import torch\nfrom dataclasses import dataclass\nfrom typing import Literal\n\n\n"
    assert len(found(CODE, f"{head}@dataclass\nclass A:\n    device: {annotation} = 'cuda'\n")) == count
    assert len(found(CODE, f"{head}def f(x, device: {annotation} = 'cuda'):\n    return x.to(device)\n")) == count


LATE = """import argparse
import os

import torch


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", {kind}default="cuda")
    parser.add_argument("--gpu", default="0")
    args = parser.parse_args()
    {between}
    if args.device == "cuda":
        os.environ["CUDA_VISIBLE_DEVICES"] = args.gpu
{choice}    return args


print(torch.ones(2).to(options().device))
"""


@pytest.mark.parametrize(
    ("kind", "between", "safe"),
    [
        ("", "print(args.gpu)", True),
        ("type=str, ", "print(args.device != 'cpu')", True),
        ("type=torch.device, ", "print(args.gpu)", False),
        ("", "print(args.device)", False),
        ("", "print(args)", False),
        ("", "other = lambda: os.environ.update(CUDA_VISIBLE_DEVICES=args.gpu)", False),
    ],
)
def test_an_option_above_what_chooses_the_visible_gpus(kind: str, between: str, safe: bool) -> None:
    before = LATE.format(kind=kind, between=between, choice="")
    choice = '    if args.device == "cuda" and not torch.cuda.is_available():\n        args.device = "cpu"\n'
    after = LATE.format(kind=kind, between=between, choice=choice if safe else "")
    assert fixed(CODE, before, unsafe=False) == after
    assert found(CODE, before) and (not safe or not found(CODE, after))


SKIPPING = """\
import pytest
import torch


def check(device):
    if device == "cuda" and not torch.cuda.is_available():
        {}


def run(n, device="cuda"):
    {}
    return torch.ones(n, device=device)
"""
ABSENT = 'if device == "cuda" and not torch.cuda.is_available():\n        '


@pytest.mark.parametrize(
    ("lines", "is_safe"),
    [
        (f'{ABSENT}pytest.skip("no CUDA")', False),
        (f'{ABSENT}raise RuntimeError("no CUDA")', True),
        (f'{ABSENT}raise pytest.SkipTest("no CUDA")', False),
        (f"{ABSENT}return None", False),
        (f"{ABSENT}sys.exit(1)", True),
        (f"{ABSENT}sys.exit(0)", False),
        (f'{ABSENT}print("no CUDA")', True),
        ('if not torch.cuda.is_available():\n        if device.startswith("cuda"):\n            return None', False),
        ('if device != "cuda" or torch.cuda.is_available():\n        print(n)\n    else:\n        return None', False),
        ('if device != "cuda" or torch.cuda.is_available():\n        print(n)\n    else:\n        raise ValueError', True),
        ('assert device != "cuda" or torch.cuda.is_available()', True),
        ('fast = device == "cuda" and torch.cuda.is_available()\n    if fast:\n        n = 2', True),
        ('if device == "cuda":\n        torch.cuda.empty_cache()\n    else:\n        n = 2', True),
        ('absent = device == "cuda" and torch.cuda.device_count() == 0\n    if absent:\n        return None', False),
        ('kind = torch.device(device)\n    if kind.type == "cuda" and not torch.cuda.is_available():\n        return None', False),
        ("check(device)", False),
    ],
)  # fmt: skip
def test_what_skips_without_cuda_by_default_keeps_skipping(lines: str, is_safe: bool) -> None:
    text = SKIPPING.format('pytest.skip("no CUDA")' if "check" in lines else "pass", lines)
    after = engine.fix(Source.from_text("run.py", text), [CudaDefault], Target(), False).text
    assert (after != text) is is_safe


CHOSEN_ELSEWHERE = """\
import argparse

import torch
from cards import pick

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
args = parser.parse_args()
device = args.device
if device in ["gpu", "cuda"]:
    device = pick()
print(torch.ones(3).to(device))
"""


@pytest.mark.parametrize(
    ("chosen", "is_safe"),
    [('"cpu" if torch.cuda.device_count() == 0 else "cuda:0"', False), ('"cuda:0"', True)],
)
def test_an_option_that_another_file_gives_up(chosen: str, is_safe: bool, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "cards.py").write_text(f"import torch\n\n\ndef pick():\n    return {chosen}\n")
    (tmp_path / "main.py").write_text(CHOSEN_ELSEWHERE)
    after = engine.fix(
        Source.from_text(str(tmp_path / "main.py"), CHOSEN_ELSEWHERE), [CudaDefault], Target(), False
    ).text
    assert (after != CHOSEN_ELSEWHERE) is is_safe


@pytest.mark.parametrize(
    ("options", "asking", "is_safe"),
    [
        ('parser.add_argument("--device", default="cuda")', "args.device", False),
        ('DEVICE = os.environ.get("DEVICE", "cuda")', "options.DEVICE", False),
        ('parser.add_argument("--device", default="cuda")', 'print("--device") or args.device', True),
    ],
)
def test_a_device_that_another_file_asks_for_without_cuda(
    options: str, asking: str, is_safe: bool, tmp_path: Path
) -> None:
    before = f"import argparse\nimport os\n\nimport torch\n\nparser = argparse.ArgumentParser()\n{options}\n"
    test, used = f'{asking} == "cuda" and not torch.cuda.is_available()', "x.to(args.device, options.DEVICE)"
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "work.py").write_text(
        f"import options\nimport torch\n\n\ndef run(args, x):\n    if {test}:\n        return None\n    return {used}\n"
    )
    (tmp_path / "options.py").write_text(before)
    after = engine.fix(Source.from_text(str(tmp_path / "options.py"), before), [CudaDefault], Target(), False).text
    assert (after != before) is is_safe


MAKER = """\
import torch
from layers import embedder


class Net(torch.nn.Module):
    def __init__(self, layers, device="cuda"):
        super().__init__()
        self.layers = layers
        self.to(device)

    @classmethod
    def create(cls, {}):
        return {}
"""


@pytest.mark.parametrize(
    ("parameters", "made", "is_safe"),
    [
        ('size, device="cuda"', "cls(embedder(size, device is None), device)", False),
        ('size, device="cuda"', "Net(embedder(size, device is None), device=device)", False),
        ('size, where="cuda"', "cls(embedder(size, where is None), where)", True),
        ("size", "cls(embedder(size))", True),
        ('size, device="cuda"', "cls(embedder(size, device is None))", True),
    ],
)
def test_a_class_method_that_keeps_its_default(tmp_path: Path, parameters: str, made: str, is_safe: bool) -> None:
    text = MAKER.format(parameters, made)
    after = fix_files(write_files(tmp_path / "p", {"net.py": text})).get("net.py", text)
    assert ("layers, device=None" in after) is is_safe
