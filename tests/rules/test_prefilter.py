"""The cheap look at bytes: what it takes for code, and what it lets through; conftest.py asks it about every finding."""

from __future__ import annotations

import io
import sys
import tokenize
from pathlib import Path

import pytest

from devlint.config.selection import catalogue
from devlint.core.rule_info import RuleInfo
from devlint.rules.prefilter import rule_filter
from devlint.rules.prefilter.discarded_transfer_scan import moves_tensor
from devlint.rules.prefilter.looks import create_then_move
from devlint.rules.prefilter.rule_filter import POSSESSIVE, Prefilter, code_of
from devlint.sources.environment_mentions import may_be_misspelled
from devlint.torch_api.module_members import names_misspelled

needs_possessive = pytest.mark.skipif(
    not POSSESSIVE, reason="regular expressions are not possessive before Python 3.11"
)
PROSE = "x" * 60


def info(
    code: str,
    *literals: bytes,
    patterns: tuple[object, ...] = (),
    precheck: str = "",
    look: str = "",
    sure: tuple[object, ...] = (),
) -> RuleInfo:
    asked = {"patterns": patterns, "precheck": precheck, "look": look, "sure": sure}
    return RuleInfo(code, code.lower(), "", "none", True, literals, "no.module", **asked)


def codes(data: bytes, *rules: RuleInfo) -> list[str]:
    return [rule.code for rule in Prefilter(rules).by_code(data)]


@needs_possessive
@pytest.mark.parametrize(
    ("program", "kept"),
    [
        ("x = 1  # cuda\ny = 2\n", "x = 1  \ny = 2\n"),
        (f'"""cuda {PROSE}"""\nx = 1\n', '""\nx = 1\n'),
        (f"def f():\n    r'''cuda {PROSE} \\'''\n {PROSE}'''\n", 'def f():\n    r""\n'),
        (f'f(a, "{PROSE} cuda")', 'f(a, "")'),
        (f'f(a, f"{PROSE}{{x.cuda()}}")', f'f(a, f"{PROSE}{{x.cuda()}}")'),
        (f'f(a, rf"""{PROSE}{{x.cuda()}}""")', f'f(a, rf"""{PROSE}{{x.cuda()}}""")'),
        (f'f"{{d["a"]}} {PROSE}{{x.cuda()}} {{d["#"]}}"', f'f"{{d["a"]}} {PROSE}{{x.cuda()}} {{d["#"]}}"'),
        ('x = """cuda"""', 'x = """cuda"""'),
        ("x = 'cuda'; y = '#'; z = \"it's\"", "x = 'cuda'; y = '#'; z = \"it's\""),
        ("x = '\\'#' # '", "x = '\\'#' "),
        ('x = "" + "" # "', 'x = "" + "" '),
        ("x = 'never closed\ny = 1 # cuda\n", "x = 'never closed\ny = 1 \n"),
        ("", ""),
    ],
)
def test_code_is_what_is_left_without_comments_and_long_strings(program: str, kept: str) -> None:
    assert code_of(program.encode()).decode() == kept


@needs_possessive
@pytest.mark.parametrize("name", ["argparse", "ast", "difflib", "inspect", "pydoc", "textwrap", "tokenize", "typing"])
def test_no_code_is_taken_for_prose(name: str) -> None:
    """Against Python's own tokens: all that is no comment and no long string stays, in its order."""
    module = sys.modules.get(name) or __import__(name)
    data = Path(str(module.__file__)).read_bytes()
    assert tokens(code_of(data)) == tokens(data)


def tokens(data: bytes) -> list[str]:
    skipped = (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING)
    found = (one for one in tokenize.tokenize(io.BytesIO(data).readline) if one.type not in skipped)
    return [one.string if one.type != tokenize.STRING else _shortened(one.string) for one in found if one.string]


def _shortened(string: str) -> str:
    return '""' if len(string) > 40 or string.endswith(('r""', 'R""', 'b""')) else string


def test_a_rule_needs_one_of_its_words() -> None:
    one, other, every = info("A1", b"cuda", b"NCCL_"), info("A2", b"cuda_visible"), info("A3")
    assert codes(b"x = 1", one, other, every) == ["A3"]
    assert codes(b"x.cuda()", one, other, every) == ["A1", "A3"]
    assert codes(b"cuda_visible = 1", one, other, every) == ["A1", "A2", "A3"]
    assert codes(b"NCCL_DEBUG", one) == ["A1"]
    assert codes(b"NxCxCxLx_", one) == []


@needs_possessive
def test_a_rule_with_patterns_needs_one_of_them_in_the_code() -> None:
    rule = info("A1", b"cuda", patterns=(r"cuda\(", ("device", "=")))
    assert codes(b"x.cuda()", rule) == ["A1"]
    assert codes(b"device = 'cuda'", rule) == ["A1"]
    assert codes(b"device('cuda')", rule) == []
    assert codes(b"x = cuda  # x.cuda()", rule) == []


@needs_possessive
def test_a_rule_may_look_for_itself() -> None:
    rule = info("A1", b"torch", precheck="devlint.torch_api.module_members:names_misspelled")
    assert codes(b"import torch\ntorch.cuda.is_availble()", rule) == ["A1"]
    assert codes(b"import torch\ntorch.cuda.is_available()", rule) == []


def test_without_possessive_expressions_words_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_filter, "POSSESSIVE", False)
    rule = info("A1", b"cuda", patterns=("(?(not a pattern",), precheck="no.module:nothing", look="no.module:none")
    assert codes(b"# cuda", rule) == ["A1"]
    assert codes(b"# CUDA", rule) == []


@needs_possessive
@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("import torch.cuda as tc\ntc.is_availble()", True),
        ("from torch import (nn,  # a\n  acelerator)", True),
        ("import torch.nn as nn\nnn.Dataparallel(x)", True),
        ("import torch.nn as nn\nnn.DataParallel(x)", False),
        ("torch . backends\\\n  .cudnn.benchmrak = True", True),
        ("import torch as \u706b\n\u706b.acelerator", True),
        ("((torch)  # the one\n .cuda).is_availble()", True),
        ("from torch \\\r\n import \\\r\n  acelerator", True),
        ("torch.zeros(3).cudda()", False),
    ],
)
def test_misspelled_names_of_torch(program: str, is_found: bool) -> None:
    assert names_misspelled(program.encode()) is is_found


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("os.environ['CUDA_VISIBLE_DEVICE']", True),
        ("'\\nCUDA_VISIBLE_DEVICE=0 python a.py'", True),
        ("'${CUDA_VISIBLE_DEVICE-0}'", True),
        ("os.environ['CUDA_VISIBLE_DEVICES']", False),
        ("os.environ['MY_CUDA_THINGS']", False),
    ],
)
def test_misspelled_variables(program: str, is_found: bool) -> None:
    assert may_be_misspelled(program.encode()) is is_found


@needs_possessive
@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("\nx = torch.zeros(2)\nx.to(device)\n", True),
        ("\nx: torch.Tensor\nif a: x.cuda()\n", True),
        ("\nmodel = Net()\nx = torch.zeros(2)\nmodel.to(device)\nx.to(device)\n", True),
        ("\nx = torch.zeros(2)\nif a[1:2]: pass; x[0].to(device)\n", True),
        ("\nx = torch.zeros(2)\nx \\\n    [0] \\\n    .to(device)\n", True),
        ("\nx = torch.zeros(2)\nif a: (x).to(device)\n", True),
        ("\nx = torch.zeros(2)\n(\n    x\n    .to(device)\n)\n", True),
        ("\nx = y = z\ny, z = a\nx.to(device)\n", True),
        ("\nfor p in model.parameters():\n    p.data.to(device)\n", True),
        ("\nx = torch.zeros(2)\n(x).to(device)\n", True),
        ("\nx = torch.zeros(2)\nx.to(interpolation_device)\n", True),
        ("\nx = torch.zeros(2)\na = b  # (\nx.to(device)\n", True),
        ("\nx = torch.zeros(2)\na = [\n]; x.to(device)\n", True),
        ("\nx = torch.zeros(2)\nx.to(device, dtype=torch.half)\n", True),
        ("\nx = torch.zeros(2)\nx . to (\n    device\n)\n", True),
        ("\n(_n, x) = (1, torch.zeros(2))\n(x.to)(device)\n", True),
        ("\nif a: (\n    _n,\n    x,\n) = f(\n    y)\nx.to(device)\n", True),
        ("\ndef f(x: T, y: 'T'): y.to(device)\n", True),
        ("\nx = torch.zeros(2)\nprint(x.to(device))\n", False),
        ("\nx = torch.zeros(2)\nf(\n    a,\n    'b')(\n    x).to(device)\n", False),
        ("\nx = torch.zeros(2)\nx.to(torch.float32)\nx.to(y.dtype)\nx.to(dtype=a)\n", False),
        ("\nx = torch.zeros(2)\nx = x.to(device)\n", False),
        ("\nmodel = Net()\nmodel.to(device)\n", False),
        ("\nmodel = Net()\nif a: model = model._orig_mod if b else model\nmodel.to(device)\n", False),
        ("\ny = torch.zeros(2)\nz = torch.ones(2)\nx = y if a else z\nx.to(device)\n", True),
        ("\nx = self.y.view(2)\nx.to(device)\n", True),
        ("\nmodel = Net.from_pretrained(a)\nmodel.to(device)\n", False),
        ("\nmodel = self.one if a else self.other\nmodel.to(device)\n", False),
        ("\nmodel = self.one.pop(a)\nmodel = cls(a)\nmodel.to(device)\n", False),
        ("\nx = torch.zeros(2)\n# x.to(device)\n", False),
    ],
)
def test_moved_tensors(program: str, is_found: bool) -> None:
    assert moves_tensor(program.encode()) is is_found


@needs_possessive
@pytest.mark.parametrize(
    ("code", "program"),
    [
        ("DEV102", 'x.to("cuda",)'),
        ("DEV103", 'd = torch.device("cuda", )'),
        ("DEV103", 'device, n = ("cuda", "a")'),
        ("DEV104", 'device: str = typer.Option("cuda", "--device")'),
        ("DEV401", "torch.zeros(3).to(interpolation_device)"),
        ("DEV401", "torch.tensor(device == other).to(y.device)"),
        ("DEV401", "dtype = torch.device(a)\ntorch.zeros(3).to(dtype)"),
        ("DEV401", "float16 = my_dtype = torch.device(a)\ntorch.zeros(3).to(float16, my_dtype)"),
        ("DEV405", "from torch import Tensor as T\ndef f(x: T): x.to(x.device)"),
        ("DEV103", "if device := args.device or 'cuda': pass"),
        ("DEV104", "f = lambda x, device  =  'cuda': x"),
        ("DEV105", "if use_cuda:\n    x = x.to(  # it's there\n        'cuda')"),
        ("DEV106", "for current in range(2): x = x.to(torch.device(current))"),
        ("DEV106", "x = x.to(torch.device(int(rest)))"),
        ("DEV106", "x = x.to(torch.device(base + rest))"),
        ("DEV106", "x = x.to(torch.device(index=1, type='cuda'))"),
        ("DEV106", "x = torch.load(f, 0)"),
        ("DEV106", "x = x.to(torch.device(('' 'cuda'), 0))"),
        ("DEV106", "x = x.to(torch.device('cuda' \"\", 1))"),
        ("DEV106", "from torch import device as c\nx = x.to(c('cuda', 0))"),
        ("DEV201", "x = (torch.cuda).FloatTensor(3)"),
        ("DEV303", "os.environ['A'] = d['b'] = 0"),
        ("DEV303", "os.environ['A'] = .5"),
        ("DEV303", "from os import putenv as put\nput('A', 0)"),
        ("DEV401", "y = torch . zeros ( 3 ) . to ( x . device )"),
        ("DEV401", "y = torch.zeros(3).to(dtype=f(x), device=device)"),
        ("DEV404", "model = torch.load(map_location_file)"),
        ("DEV404", "import torch.jit as c\nmodel = c.load('model.pt')"),
        ("DEV502", "from torch.amp import GradScaler as Scaler\nscaler = Scaler()"),
        ("DEV601", "x = torch.device(a) == r'cuda'"),
        ("DEV601", "x = 'cuda' not in torch.device(a)"),
        ("DEV601", "x = ((torch.device)(0)).lower()"),
        ("DEV601", "x = (('cuda')  # the one\n== torch.device(a))"),
        ("DEV601", 'x = ("cuda" ) == torch.device(a)'),
        ("DEV601", "x = ((torch.device(a))).lower()"),
        ("DEV601", "x = 'cuda' in (torch.device(a))"),
        ("DEV602", "from torch import device\nassert torch.ones(2).device == device('cuda')"),
        ("DEV602", "a = torch.ones(2).device\nb = torch.device('cuda')\nassert a == b"),
        ("DEV602", "torch.ones(2).device == (  # the same\n    torch.device('cuda'))"),
        ("DEV601", f"x = {{'cuda': 1}}[  # {PROSE * 5}\n my_device]\nmy_device = torch.device(a)"),
        ("DEV601", f"x = torch.device(  # {PROSE * 5}\n a).lower()"),
        ("DEV602", f"x = torch.ones(2).device == (torch  # {PROSE * 5}\n .device('cuda'))"),
        ("DEV603", "y.to((x.get_device)())"),
    ],
)
def test_what_looks_like_something_else(code: str, program: str) -> None:
    rules = [one for one in catalogue() if one.code == code]
    assert codes(f"import torch\n# cuda\n{program}\n".encode(), *rules) == [code]


@needs_possessive
def test_a_rule_may_look_at_the_syntax_tree_where_python_makes_one() -> None:
    rule = info(
        "A1", b"torch", patterns=("to",), look="devlint.rules.prefilter.looks.create_then_move:may_move_new_tensor"
    )
    assert codes(b"import torch\ntorch.ones(2).to(device)", rule) == ["A1"]
    assert codes(b"import torch\ntorch.ones(2).to(x)", rule) == []
    assert codes(b"import torch\ntorch.ones(2).to(x", rule) == ["A1"]
    assert codes(b"import torch\nf'{torch.ones(2).to(x):{'\0'}}'", rule) == ["A1"]


@needs_possessive
def test_a_file_is_parsed_for_all_rules_whose_code_it_holds_or_for_none() -> None:
    moving = info("A1", b"torch", look="devlint.rules.prefilter.looks.create_then_move:may_move_new_tensor")
    plain, never = info("A2", b"cuda"), info("A3", b"torch", look="no.module:none")
    assert codes(b"import torch", moving) == []
    assert codes(b"import torch\ntorch.ones(2).to(device)", moving, never) == ["A1", "A3"]
    assert codes(b"import torch.cuda", never, plain) == ["A2", "A3"]


@needs_possessive
def test_sure_code_needs_no_look() -> None:
    rule = info("A1", b"torch", patterns=("to",), look="no.module:none", sure=("device",))
    assert codes(b"import torch\nx.to(device)", rule) == ["A1"]


@needs_possessive
def test_what_is_nested_too_deeply_is_left_to_the_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(tree: object) -> bool:
        return endless(tree)

    monkeypatch.setattr(create_then_move, "may_move_new_tensor", endless)
    monkeypatch.setattr(rule_filter, "_CHECKS", {})
    rule = info("A1", b"torch", look="devlint.rules.prefilter.looks.create_then_move:may_move_new_tensor")
    assert codes(b"torch", rule) == ["A1"]
