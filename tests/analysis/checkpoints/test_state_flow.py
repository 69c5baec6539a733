"""Which objects copy all that a checkpoint holds, by whatever way it comes to them."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import libcst as cst
import pytest

from devlint.analysis.checkpoints.state_flow import takers_of_all
from devlint.analysis.names.bindings import dotted_name
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext
from tests.support.projects import write_files

BODY = "import copy, torch\nfrom collections import OrderedDict\ndef f(model, other, path):\n"

COPIED = [
    "model.load_state_dict(LOAD)",
    "model.load_state_dict(LOAD['model'], strict=False)",
    "state = LOAD\nmodel.load_state_dict(state)",
    "state = LOAD\nstate = state['model']\nmodel.load_state_dict(state)",
    "state = LOAD\nif 'model' in state:\n    state = state['model']\nmodel.load_state_dict(state)",
    "state = LOAD\nstate = state['model'] if 'model' in state else state\nmodel.load_state_dict(state)",
    "state = LOAD\nmodel.load_state_dict(state.get('model', state))",
    "state = LOAD\nmodel.load_state_dict({k: v for k, v in state.items() if k in model.state_dict()})",
    "state = LOAD['state_dict']\nmodel.load_state_dict({k[7:]: v for k, v in state.items()})",
    "state = LOAD\nstate = {k.replace('a', 'b'): v.cpu() if 'a' in k else v for k, v in state.items() if k[0]}\n"
    "model.load_state_dict({k: v for k, v in state.items()})",
    "state = LOAD\nnew = OrderedDict()\nfor k, v in state.items():\n    new[k[7:]] = v\nmodel.load_state_dict(new)",
    "state = LOAD\nnew = {}\nfor k in state:\n    if k.startswith('a'):\n        new[k] = state[k]\nmodel.load_state_dict(new)",
    "state = LOAD\nfor k in list(state.keys()):\n    state[k[7:]] = state.pop(k)\nmodel.load_state_dict(state)",
    "state = LOAD\nfor k, v in list(state.items()):\n    del state[k]\n    state[k[7:]] = v\nmodel.load_state_dict(state)",
    "old = LOAD\nmine = model.state_dict()\nold = {k: v for k, v in old.items() if k in mine}\nmine.update(old)\n"
    "model.load_state_dict(mine)",
    "state = LOAD\nmodel.load_state_dict(OrderedDict((k[7:], v) for k, v in state.items()))",
    "state = copy.deepcopy(LOAD)\nmodel.load_state_dict(dict(state))",
    "state = LOAD\nepoch = state['epoch']\nprint(state['epoch'], len(state), state['w'].shape)\nmodel.load_state_dict(state['m'])",
    "state = LOAD\nmine = model.state_dict()\nfor k, v in state.items():\n    if mine[k].shape == v.shape:\n"
    "        mine[k] = v[:3].view(3, -1)\nmodel.load_state_dict(mine)",
    "for v in model.modules():\n    init(v.weight)\nstate = LOAD\nnew = {}\nfor k, v in state.items():\n    new[k] = v\nmodel.load_state_dict(new)",
    "state: dict = LOAD\nmodel.load_state_dict({**state})",
    "state = LOAD\nbest = state['best']\nprint('{}: {:.3f}'.format(path, best), f'{best:.2f}')\nmodel.load_state_dict(state['m'])",
    "state = LOAD\nargs.start = state['start']\nmodel.load_state_dict(state['m'])",
    "state = LOAD\nbest = state['best']\nmodel.load_state_dict(state['model'])",
    "path = LOAD\nmodel.load_state_dict(path['model'])",
    "state = LOAD\nstart = state['epoch']\nstate = read(path)\nmodel.load_state_dict(state['model'])",
    "state = LOAD\nmodel.load_state_dict(state['model'])\nbest = state['best_loss']\n"
    "for one in other:\n    state = {'model': model.state_dict()}\n    torch.save(state, path)",
    "state = LOAD\nfor k in model.state_dict().keys():\n    model.state_dict()[k].copy_(state[k])",
    "state = LOAD\nfor k in [k for k in state if 'head' in k]:\n    state.pop(k)\nmodel.load_state_dict(state)",
    "state = LOAD\nmodel.load_state_dict(OrderedDict([[k[7:], v.cpu()] for k, v in state.items()]))",
    "state = LOAD\nfor k, v in state.items():\n    print(k, type(v))\nmodel.load_state_dict(state)",
    # By names, and keys that no tensor could be.
    "state = LOAD\nmine = model.state_dict()\nfor k, v in state.items():\n    mine[k].copy_(v)",
    "state = LOAD\nother = LOAD\nfor k in other:\n    state['net.' + k] = other[k]\nmodel.load_state_dict(state)",
    "state = LOAD\nmodel.load_state_dict({k[8:]: state[k] for k in state if k.startswith('part')})",
    "state = LOAD\nfor k in state:\n    parts = k.split('.')\n    print('.'.join(parts))\nmodel.load_state_dict(state)",
    # Numbers, and what is on the CPU anyway.
    "state = LOAD\nprint('%d: %.3f' % (state['epoch'], state['cider']))\nmodel.load_state_dict(state['m'])",
    "state = LOAD\ntorch.cuda.set_rng_state(state['rng'])\nmodel.load_state_dict(state['m'])",
    "state = LOAD\nif state.get('normalize', False):\n    path = 'a'\nmodel.load_state_dict(state['m'])",
    "state = LOAD\nnorm = state.get('norm', False)\nif norm == 1 and not path:\n    path = 'a'\nmodel.load_state_dict(state['m'])",
    "state = LOAD\nnet = state.get('net', 'a')\nif net.startswith('a'):\n    path = 'a'\nmodel.load_state_dict(state['m'])",
    "state = LOAD\nrandom = torch.Generator()\nrandom.set_state(state['rng'])\nmodel.load_state_dict(state['m'])",
    "state = LOAD\nother.set_state(state['rng'])\nmodel.load_state_dict(state['m'])",
    "state = LOAD\nother = make(state['num_classes'], state['save_epoch'] + 1)\nmodel.load_state_dict(state['m'])",
]

ELSEWHERE = [
    "state = LOAD\nmodel.load_state_dict(state)\nreturn [k for k in state if k is not None]",
    "state = LOAD\nmodel.load_state_dict(state)\nreturn [[k, v] for k, v in state.items()]",
    "state = LOAD\nfor k in [v for v in state.values() if 'head' in k]:\n    f(k)\nmodel.load_state_dict(state)",
    "state = LOAD\nreturn state",
    "state = LOAD\nreturn f(state, 0, 1)",
    "state = LOAD\nprint('%s: %d' % (state['cider'], 1))\nmodel.load_state_dict(state['m'])",
    "state = LOAD\nfor k in state:\n    other(k[8:])\nmodel.load_state_dict(state)",
    "state = LOAD\nmodel.load_state_dict(state, assign=True)",
    "state = LOAD\nmodel.load_state_dict(state, **options)",
    "state = LOAD\nmodel.load_state_dict(state['model'])\nreturn state['best']",
    "state = LOAD\nmodel.load_state_dict(state['model'])\nprint('{}'.format(state['best']))",
    "state = LOAD\nmodel.load_state_dict(state['model'])\nprint('{0:.3f}'.format(state['best']))",
    "state = LOAD\nmodel.load_state_dict(state['model'])\nprint('{'.format(state['best']))",
    "state = LOAD\nmodel.load_state_dict(state['model'])\nprint(text.format(state['best']))",
    "state = LOAD\nmodel.load_state_dict(state['model'])\nprint(f'{state[0]} {state[1]:>3}')",
    "state = LOAD\nmodel.load_state_dict(state['model'])\nself.best = state['best']",
    "state = LOAD\nmodel.load_state_dict(state['model'])\nbest = state['best']\nif best > 3:\n    print(best)",
    "state = LOAD\nmodel.load_state_dict({k: v for k, v in state.items()})\nprint(state)",
    "state = LOAD\nfor k, v in state.items():\n    model.add(v)\nmodel.load_state_dict(state)",
    "state = LOAD\nnew = {}\nfor k, v in state.items():\n    new[k] = v\nmodel.load_state_dict(new)\ninit(v)",
    "state = LOAD\nfor v in state:\n    model.add(v)\nmodel.load_state_dict(state)",
    "state = LOAD\nfor k, v in state.items():\n    other.weight = v\nmodel.load_state_dict(state)",
    "state = LOAD\nfor k, v in state.items():\n    other[k] = v\nmodel.load_state_dict(state)\nprint(other)",
    "state = LOAD\nmodel.load_state_dict({k: v.mean() for k, v in state.items()})",
    "state = LOAD\nmodel.load_state_dict({k: v + other for k, v in state.items()})",
    "state = LOAD\nself.state = state\nmodel.load_state_dict(state)",
    "state = LOAD\nself.mine.update(state)\nmodel.load_state_dict(state)",
    "state = LOAD\ndef g():\n    return state\nmodel.load_state_dict(state)",
    "state = LOAD\nif other:\n    state = {}\nmodel.load_state_dict(state['model'])\nreturn state",
    "first, second = LOAD\nmodel.load_state_dict(first)",
    "model.load(LOAD)",
    "LOAD",
    "LOAD.eval()",
    "state = LOAD\nother = make(state.get('weights', False))\nmodel.load_state_dict(state['m'])",
    "state = LOAD\nweights = state.get('weights', False)\nif weights is not False:\n    other = make(weights)\n"
    "model.load_state_dict(state['m'])",
    "state = LOAD\nfor part in state['parts']:\n    a, b = part.split((1, 2))\nmodel.load_state_dict(state['m'])",
    "state = LOAD\nset_state(state['rng'])\nmodel.load_state_dict(state['m'])",
]


def _takers(body: str, rest: str = "", folder: Path | None = None) -> list[str | None]:
    text = BODY + "".join(f"    {line}\n" for line in body.replace("LOAD", "torch.load(path)").split("\n"))
    ctx = FileContext(Source.from_text(str((folder or Path()) / "file.py"), text + rest))
    call = next(one for one in ctx.tree.of_type(cst.Call) if dotted_name(one.func) == "torch.load")
    return [dotted_name(one) for one in takers_of_all(ctx, call)]


@pytest.mark.parametrize("body", COPIED)
def test_all_is_copied(body: str) -> None:
    assert set(_takers(body)) == {"model"}


@pytest.mark.parametrize("body", ELSEWHERE)
def test_something_may_go_elsewhere(body: str) -> None:
    assert _takers(body) == []


@pytest.mark.parametrize(
    ("returned", "use"),
    [
        ("state", "model.load_state_dict(f(model, other, path)['m'])"),
        ("state, 1", "s, n = f(model, other, path)\n    model.load_state_dict(s)\n    return n"),
        ("state", "f(model, other, path)\n    model.load_state_dict(f(model, other, path))"),
    ],
)
def test_what_is_returned_to_the_file_alone(returned: str, use: str) -> None:
    assert set(_takers(f"state = LOAD\nreturn {returned}", f"def g(model):\n    {use}\n")) == {"model"}


@pytest.mark.parametrize(
    ("returned", "use"),
    [
        ("state", "return f(model, other, path)"),
        ("state", "model.load_state_dict(f(model, other, path)['m'])\n    run(f)"),
        ("state, 1", "model.load_state_dict(f(model, other, path)[0])"),
        ("state, 1", "*s, n = f(model, other, path)\n    model.load_state_dict(s)"),
        ("state", "s = f(model, other, path)\n    s = s.to(device)"),
        ("f(state, other, path)", "pass"),
    ],
)
def test_what_is_returned_and_may_go_elsewhere(returned: str, use: str) -> None:
    assert _takers(f"state = LOAD\nreturn {returned}", f"def g(model):\n    {use}\n") == []


def test_a_method_whose_calls_are_known() -> None:
    text = (
        "import torch\nclass A:\n    def read(self, f):\n        return torch.load(f)\n"
        "    def go(self, model, f):\n        model.load_state_dict(self.read(f)['m'])\n"
    )
    for rest, takers in (("", 1), ("run(A().read)\n", 0)):
        ctx = FileContext(Source.from_text("file.py", text + rest))
        call = next(one for one in ctx.tree.of_type(cst.Call) if dotted_name(one.func) == "torch.load")
        assert len(takers_of_all(ctx, call)) == takers


def test_what_is_copied_into_any_tensor() -> None:
    assert _takers("state = LOAD\nfor k in state:\n    other[k].copy_(state[k])") == [None]


KEEPER = "class Keeper:\n    def {method}(self, given):\n        self.kept = given\n"


@pytest.mark.parametrize("method", ["copy_", "set_state", "setstate", "set_rng_state"])
@pytest.mark.parametrize(("own", "above"), [(True, ""), (False, ""), (False, "def make():\n")])
def test_what_a_class_of_the_project_may_keep(tmp_path: Path, method: str, own: bool, above: str) -> None:
    text = f"state = LOAD\nmodel.load_state_dict(state['m'])\nother.{method}(state['rng'])"
    assert "model" in _takers(text)
    keeper = above + indent(KEEPER.format(method=method), "    " if above else "")
    folder = write_files(tmp_path / "p", {"file.py": "", "keeper.py": "" if own else keeper})
    assert _takers(text, keeper if own else "", folder) == []


def test_a_generator_sets_its_own_state_whatever_a_class_does() -> None:
    text = "state = LOAD\nrandom = torch.Generator()\nrandom.set_state(state['rng'])\nmodel.load_state_dict(state['m'])"
    assert _takers(text, KEEPER.format(method="set_state")) == ["model"]


@pytest.mark.parametrize(("saved", "takers"), [("torch.zeros(3)", []), ("3", ["model"])])
@pytest.mark.parametrize("key", ["num_updates", "last_iter", "step"])
def test_a_count_that_the_program_saves_as_a_tensor(saved: str, takers: list[str], key: str) -> None:
    text = f"state = LOAD\nmodel.load_state_dict(state['m'])\nreturn 1 + state['{key}']"
    save = f"x = {saved}\ntorch.save({{'m': net.state_dict(), '{key}': x}}, 'a.pt')\n"
    assert _takers(text, save) == takers


def test_what_a_module_never_reads_may_be_for_others() -> None:
    text = "import torch\nx = torch.load(f)\nm.load_state_dict(x['m'])\nbest = x['best']\n"
    ctx = FileContext(Source.from_text("file.py", text))
    call = next(one for one in ctx.tree.of_type(cst.Call) if dotted_name(one.func) == "torch.load")
    assert takers_of_all(ctx, call) == []
