"""The cheap look at bytes: what it takes for code, and what it lets through; conftest.py asks it about every finding."""

from __future__ import annotations

import io
import sys
import tokenize
from pathlib import Path

import pytest

from devlint.config.selection import catalogue
from devlint.core.rule_info import RuleInfo
from devlint.rules.prefilter import code
from devlint.rules.prefilter.rule_filter import Prefilter
from devlint.sources.environment_mentions import may_be_misspelled
from devlint.syntax.python_tree.code_text import POSSESSIVE, code_of
from devlint.torch_api.misspelled_uses import names_misspelled

needs_possessive = pytest.mark.skipif(
    not POSSESSIVE, reason="regular expressions are not possessive before Python 3.11"
)
PROSE = "x" * 60


def info(code: str, *words: bytes, trigger: str = "") -> RuleInfo:
    return RuleInfo(code, code.lower(), "", "none", True, "no.module", words, trigger)


def codes(data: bytes, *rules: RuleInfo) -> list[str]:
    return [rule.code for rule in Prefilter(rules).candidates(data).rules]


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
        ("# cuda\rx = 1  # cuda\r\ny = 2\n", "\rx = 1  \r\ny = 2\n"),
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
    rules = Prefilter([info("A1", b"cuda", b"NCCL_"), info("A2", b"cuda_visible"), info("A3")])
    for data, found in {
        b"x = 1": "A3",
        b"x.cuda()": "A1 A3",
        b"cuda_visible = 1": "A1 A2 A3",
        b"NCCL_D": "A1 A3",
    }.items():
        assert " ".join(rule.code for rule in rules.by_words(data)) == found
    assert [rule.code for rule in rules.by_words(b"NxCxCxLx_")] == ["A3"]


METHOD = info("A1", b"cuda", trigger="names.Method('cuda').where(guards.is_unguarded)")


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("x.cuda()", True),
        ("x.cuda", False),
        ("x = 1  # x.cuda()", False),
        ("x = 'x.cuda()'", False),
        ("if torch.cuda.is_available(): x.cuda()", False),
        ("f'{x.cuda()}", True),
        ("f'{x.cuda():{'\0'}}'", True),
    ],
)
def test_a_rule_needs_its_trigger_where_python_makes_a_tree(program: str, is_found: bool) -> None:
    assert codes(program.encode(), METHOD) == ["A1"] * is_found


@pytest.mark.parametrize("possessive", [True, False])
def test_without_possessive_expressions_words_and_trees_decide(
    possessive: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code, "POSSESSIVE", POSSESSIVE and possessive)
    assert codes(b"x.cuda()", METHOD) == ["A1"]
    assert codes(b"# x.cuda()", METHOD) == []
    assert codes(b"x.CUDA()", METHOD) == []


def test_the_places_of_triggers_are_known() -> None:
    found = Prefilter([METHOD]).candidates(b"x = 1\n\ny.cuda()\n(z\n .cuda())\n")
    assert found.rules == [METHOD] and found.tree is not None
    assert [getattr(place, "lineno", None) for place in found.places] == [3, 4]


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


def test_what_is_nested_too_deeply_is_left_to_the_rule() -> None:
    program = b"x" + b".a" * 900 + b".cuda()\n"
    assert codes(program, *(one for one in catalogue() if one.code == "DEV101")) == ["DEV101"]
