"""What `devlint observe` has kept becomes findings and fixes, of files as they were."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from devlint.config.finder import ConfigFinder
from devlint.config.observed import ObservedFiles, content_digest, write_observed
from devlint.core.errors import ConfigError
from devlint.core.observed_tensors import ObservedTensor
from devlint.engine.report import FileReport, Mode
from devlint.engine.runner import Runner
from devlint.verify.expression_place import ExpressionPlace
from devlint.verify.observing.seen import Seen, _misplaced
from devlint.verify.observing.store import observed_files

HEAD = "import torch\n\ndevice = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"


def observed(text: str, expression: str, kind: str, operation: str, *names: str) -> ObservedTensor:
    """What is kept of an expression of a program; of a loop, Python has the place of the whole statement."""
    nodes = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.expr, ast.For)) and (ast.get_source_segment(text, node) or "").startswith(expression)
    ]
    node = min(nodes, key=lambda one: len(ast.get_source_segment(text, one) or ""))
    place = node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0
    return ObservedTensor(kind, operation, *place, names, "cuda:0", "model.py:31", 4096)


def report(folder: Path, text: str, tensor: ObservedTensor, mode: Mode = Mode.DIFF, tried: bool = True) -> FileReport:
    path = folder / "program.py"
    path.write_bytes(text.encode())
    known = ObservedFiles({content_digest(text.encode()): (tensor,)}, tried)
    (found,) = Runner(ConfigFinder(isolated=True, observed=known), mode).run([str(path)])
    return found


@pytest.mark.parametrize(
    ("births", "moved", "kinds"),
    [
        ([("factory", 1), ("module", 2)], [], ["module"]),
        ([("factory", 1), ("module", 2)], [2], []),
        ([("factory", 1), ("library", 2)], [], ["joined"]),
    ],
)
def test_what_a_module_gives_waits_for_the_module(
    tmp_path: Path, births: list[tuple[str, int]], moved: list[int], kinds: list[str]
) -> None:
    path = tmp_path / "program.py"
    path.write_text("\n" * 9)

    def place(row: int) -> list[object]:
        return [str(path), row, 0, row, 0]

    meeting = {
        "births": [{"kind": kind, "operation": "", "place": place(row)} for kind, row in births],
        "values": [], "joined": place(3), "holders": [], "tensor": "", "at": None, "operation": "mul",
        "device": "cuda:0", "count": 1, "partners": [],
    }  # fmt: skip
    misplaced = _misplaced(iter([meeting]), {ExpressionPlace(*place(row)) for row in moved})  # type: ignore[arg-type]
    found = observed_files(Seen(misplaced)).of(path.read_bytes())
    assert [one.kind for one in found.tensors] == kinds if found is not None else not kinds


@pytest.mark.parametrize(("kind", "is_fixed"), [("library", True), ("joined", False)])
def test_what_is_computed_from_x_on_the_cpu_is_not_moved_to_x(tmp_path: Path, kind: str, is_fixed: bool) -> None:
    start = "    def __init__(self):\n        super().__init__()\n        self.out = nn.Linear(2, 2)\n"
    forward = "    def forward(self, x):\n        return self.out(x)\n"
    text = f"import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n{start}\n{forward}"
    found = report(tmp_path, text, observed(text, "self.out(x)", kind, ""))
    assert found.after_text == (text.replace("out(x)", "out(x).to(x.device)") if is_fixed else text)


def test_what_gives_a_tuple_is_not_moved(tmp_path: Path) -> None:
    text = f"{HEAD}a, b = g(x)\n"
    assert not report(tmp_path, text, observed(text, "g(x)", "joined", "")).changed


# Of a program after HEAD: the expression that was seen, its kind, the function, variables; and the line as fixed.
FIXES = {
    "a factory": (
        "y = torch.arange(3)\n", "torch.arange(3)", "factory", "arange", [],
        "y = torch.arange(3, device=device)\n",
    ),
    "a legacy constructor": (
        "y = torch.LongTensor([1]).float()\n", "torch.LongTensor([1])", "factory", "LongTensor", [],
        "y = torch.LongTensor([1]).to(device).float()\n",
    ),
    "a function of the program": (
        "def make():\n    return torch.ones(3)\n\n\ny = (torch.ones(1) + make())\n", "torch.ones(1) + make()", "joined", "", [],
        "def make():\n    return torch.ones(3)\n\n\ny = (torch.ones(1) + make()).to(device)\n",
    ),
    "an operator": (
        "y = -torch.ones(1)\n", "-torch.ones(1)", "joined", "", [],
        "y = (-torch.ones(1)).to(device)\n",
    ),
    "after letters of several bytes": (
        "y = {'größe': torch.ones(1)}\n", "torch.ones(1)", "factory", "ones", [],
        "y = {'größe': torch.ones(1, device=device)}\n",
    ),
    "a module": (
        "net = torch.nn.Linear(2, 2)  # the model\n", "torch.nn.Linear(2, 2)", "module", "Module", [],
        "net = torch.nn.Linear(2, 2).to(device)  # the model\n",
    ),
    "a factory with a generator": (
        "y = torch.randn(3, generator=g)\n", "torch.randn(3, generator=g)", "factory", "randn", [],
        "y = torch.randn(3, generator=g).to(device)\n",
    ),
    "where it met": (
        "def f(x, w):\n    return g(w, x.shape, w=w.float())\n", "g(w, x.shape, w=w.float())", "use", "mul", ["x", "w"],
        "def f(x, w):\n    return g(w.to(device), x.shape, w=w.to(device).float())\n",
    ),
    "where one of several met, by its own method": (
        "def f(t, d):\n    return t[0].equal(d['x']) and d['x'].equal(t[0])\n", "d['x'].equal(t[0])", "use", "equal",
        ['d["x"]'], "def f(t, d):\n    return t[0].equal(d['x']) and d['x'].to(device).equal(t[0])\n",
    ),
    "what is moved to the CPU for an operation on the device": (
        "y = torch.add(x, w.detach().cpu())\n", "w.detach().cpu()", "brought", "cpu", [],
        "y = torch.add(x, w.detach())\n",
    ),
    "what is moved there by its name": (
        "y = x + w.to('cpu')\n", "w.to('cpu')", "brought", "to", [],
        "y = x + w\n",
    ),
    "a batch that is a dictionary": (
        "for batch in loader:\n    net(**batch)\n", "for batch", "loader", "DataLoader", ["x", 'batch["x"]', "batch[1]"],
        "for batch in loader:\n    batch[\"x\"] = batch[\"x\"].to(device)\n    net(**batch)\n",
    ),
    "a batch that the loop takes apart": (
        "for batch in loader:\n    i, (a, b) = batch\n    f(a, b)\n", "for batch", "loader", "DataLoader", ["w", "b"],
        "for batch in loader:\n    i, (a, b) = batch\n    b = b.to(device)\n    f(a, b)\n",
    ),
    "a file": (
        "y = torch.load('f')\n", "torch.load('f')", "loaded", "load", [],
        "y = torch.load('f', map_location=device)\n",
    ),
    "a batch": (
        "for i, (a, b) in enumerate(loader):\n    f(a, b)\n", "for i", "loader", "DataLoader", ["target", "b"],
        "for i, (a, b) in enumerate(loader):\n    b = b.to(device)\n    f(a, b)\n",
    ),
}  # fmt: skip

# There is a finding, and no fix.
REPORTS = {
    "a batch whose tensors have no names": ("for batch in loader:\n    f(batch)\n", "for batch", "loader", "", ["x"]),
    "what is moved to the CPU in another type": ("y = x + w.to('cpu', t)\n", "w.to('cpu', t)", "brought", "to", []),
    "a tensor that the program moves to the CPU": ("y = x.cpu()\n", "x.cpu()", "moved", "cpu", []),
    "a file with a place": ("y = torch.load('f', place)\n", "torch.load('f', place)", "loaded", "load", []),
    "a factory with a device": (
        "y = torch.ones(1, device=place)\n", "torch.ones(1, device=place)", "factory", "ones", [],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expression", "kind", "operation", "names", "fixed"), FIXES.values(), ids=FIXES)
def test_a_fix(
    tmp_path: Path, text: str, expression: str, kind: str, operation: str, names: list[str], fixed: str
) -> None:
    text = HEAD + text
    found = report(tmp_path, text, observed(text, expression, kind, operation, *names))
    assert found.after_text == HEAD + fixed
    assert [one.code for one in found.applied if one.message.endswith(", 4,096 times")] == ["DEV402"]


AT_HAND = [
    ("def f(x):\n    t = torch.arange(4)\n    return x + t\n", "x", "x.device"),
    ("def f(x, device):\n    t = torch.arange(4)\n    return x + t\n", "x", "device"),
    ("def f(batch):\n    x = batch['x']\n    t = torch.arange(4)\n    return x + t\n", "x", "x.device"),
    ("def f(batch):\n    t = torch.arange(4)\n    x = batch['x']\n    return x + t\n", "x", ""),
    ("def f(batch):\n    x = batch['x'].cuda()\n    t = torch.arange(4)\n    return x + t\n", "x", "x.device"),
    ("def f(x):\n    t = torch.arange(4)\n    x = g(x)\n    return x + t\n", "x", ""),
    ("def f(x=None):\n    t = torch.arange(4)\n    return t if x is None else x + t\n", "x", ""),
    ("def f(x):\n    t = torch.arange(4)\n    return t if x is None else x + t\n", "x", ""),
    ("def f(x):\n    t = torch.arange(4)\n    return x + t if isinstance(x, torch.Tensor) else t\n", "x", ""),
    ("def f(x):\n    return x + make()\n\n\ndef make():\n    t = torch.arange(4)\n    return t\n", "x", ""),
    ("def f(t):\n    def g(x):\n        return x + t\n    t = torch.arange(4)\n    return g(t)\n", "x", ""),
    ("def f(b):\n    t = torch.arange(4)\n    return b['x'] + t\n", 'b["x"]', "b['x'].device"),
    ("def f(b):\n    t = torch.arange(4)\n    return b.x + t\n", "b.x", "b.x.device"),
    ("def f(b):\n    t = torch.arange(4)\n    y = b.y * 2\n    return b.x + t + y\n", "b.x", "b.x.device"),
    ("def f(b):\n    t = torch.arange(b.n + 4)[:4] + torch.arange(4)\n    return b.x + t\n", "b.x", "b.x.device"),
    ("def f(b):\n    t = torch.arange(4)\n    b.to(3)\n    return b.x + t\n", "b.x", ""),
    ("def f(b):\n    t = torch.arange(4)\n    move(b)\n    return b.x + t\n", "b.x", ""),
    ("def f(b):\n    t = torch.arange(4)\n    b.x = b.x.cuda()\n    return b.x + t\n", "b.x", ""),
    ("def f(b):\n    t = torch.arange(4)\n    b['x'], y = g()\n    return b['x'] + t\n", 'b["x"]', ""),
    ("def f(b):\n    t = torch.arange(4)\n    if 'x' in b:\n        return b['x'] + t\n", 'b["x"]', ""),
    ("def f(b):\n    t = torch.arange(4)\n    return b.x + t if b.has else t\n", "b.x", ""),
    ("def f(b):\n    t = torch.arange(4)\n    assert b.x is not None\n    return b.x + t\n", "b.x", ""),
    ("def f(b=None):\n    t = torch.arange(4)\n    return b.x + t\n", "b.x", ""),
    ("def f(b):\n    t = torch.arange(4)\n    b = g(b)\n    return b.x + t\n", "b.x", ""),
    ("def f(b):\n    t = torch.arange(4)\n    return b + t\n", "b[0]", ""),
    ("class A:\n    def __init__(self, x):\n        self.x = x\n\n    def f(self):\n        t = torch.arange(4)\n        return self.x + t\n", "self.x", "self.x.device"),
    ("class A:\n    def __init__(self):\n        self.x = None\n\n    def f(self):\n        t = torch.arange(4)\n        return self.x + t\n", "self.x", ""),
    ("class A:\n    def start(self, x):\n        self.x = x\n\n    def f(self):\n        t = torch.arange(4)\n        return self.x + t\n", "self.x", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "partner", "device"), AT_HAND)
def test_the_device_is_that_of_what_it_met_where_the_function_has_it(
    tmp_path: Path, text: str, partner: str, device: str
) -> None:
    text = f"import torch\n\n\n{text}"
    lines = [line.replace("'", '"') for line in text.splitlines()]
    row = next(row for row, line in enumerate(lines, 1) if f"{partner.removesuffix('[0]')} + " in line)
    tensor = observed(text, "torch.arange(4)", "factory", "arange", "t").replace(partners=((partner, row),))
    after = report(tmp_path, text, tensor).after_text
    assert after is not None
    assert f"torch.arange(4, device={device or 'device'})" in after
    assert device or "is_available()" in after


def test_the_device_is_that_of_what_it_meets_by_inference(tmp_path: Path) -> None:
    text = (
        "import torch\n\n\ndef f(x):\n    rows = torch.zeros(3, device=x.device)\n    x = x.float()\n"
        "    return torch.cat([x, torch.zeros(3)]), rows\n"
    )
    tensor = observed(text, "torch.zeros(3)", "factory", "zeros", "t")
    assert report(tmp_path, text, tensor).after_text == text.replace("zeros(3)]", "zeros(3, device=x.device)]")


@pytest.mark.parametrize(("text", "expression", "kind", "operation", "names"), REPORTS.values(), ids=REPORTS)
def test_a_finding_without_a_fix(
    tmp_path: Path, text: str, expression: str, kind: str, operation: str, names: list[str]
) -> None:
    text = HEAD + text
    found = report(tmp_path, text, observed(text, expression, kind, operation, *names))
    assert ("DEV402", None) in [(one.code, one.fix) for one in found.diagnostics]
    assert not any(one.code == "DEV402" for one in found.applied)


def test_a_fix_that_is_not_tried_is_unsafe(tmp_path: Path) -> None:
    text = f"{HEAD}y = torch.arange(3)\n"
    tensor = observed(text, "torch.arange(3)", "factory", "arange", "y")
    found = report(tmp_path, text, tensor, Mode.CHECK, tried=False)
    (one,) = found.diagnostics
    assert one.message == "`y` is made on the CPU here, and met cuda:0 at model.py:31, 4,096 times"
    assert str(one.location) == "4:5" and one.fix is not None and not one.fix.is_safe


def test_what_the_rule_finds_too_is_said_once(tmp_path: Path) -> None:
    text = "import torch\n\n\ndef scale(x, device):\n    x = x.to(device)\n    return x * torch.arange(4)\n"
    seen = observed(text, "torch.arange(4)", "factory", "arange")
    path = tmp_path / "program.py"
    path.write_bytes(text.encode())
    for known, said in (({}, "is made on the CPU and meets"), ({content_digest(text.encode()): (seen,)}, "met cuda:0")):
        finder = ConfigFinder({"extend-select": ["DEV402"]}, isolated=True, observed=ObservedFiles(known, True))
        (found,) = Runner(finder).run([str(path)])
        assert len(found.diagnostics) == 1 and said in found.diagnostics[0].message


def test_of_a_file_that_has_changed_nothing_is_said(tmp_path: Path) -> None:
    text = f"{HEAD}y = torch.arange(3)\n"
    tensor = observed(text, "torch.arange(3)", "factory", "arange", "y")
    path = tmp_path / "program.py"
    path.write_text(text)
    known = ObservedFiles({content_digest(b"other"): (tensor,)})
    (found,) = Runner(ConfigFinder(isolated=True, observed=known)).run([str(path)])
    assert found.diagnostics == ()


def test_a_suppression_and_a_place_that_is_not_there(tmp_path: Path) -> None:
    text = f"{HEAD}y = torch.arange(3)  # noqa: DEV402 - the loop moves it\n"
    tensor = observed(text, "torch.arange(3)", "factory", "arange", "y")
    assert report(tmp_path, text, tensor, Mode.CHECK).diagnostics == ()
    assert report(tmp_path, text, tensor.replace(row=99, end_row=99), Mode.CHECK).failures == ()


def test_before_python_3_11_there_are_lines_only(tmp_path: Path) -> None:
    text = f"{HEAD}y = torch.arange(3)\n"
    tensor = observed(text, "torch.arange(3)", "factory", "arange", "y").replace(column=-1, end_column=-1)
    (one,) = report(tmp_path, text, tensor, Mode.CHECK).diagnostics
    assert (str(one.location), str(one.end_location), one.fix) == ("4:1", "4:20", None)


def test_what_is_written_can_be_read(tmp_path: Path) -> None:
    tensor = ObservedTensor("factory", "ones", 1, 2, 3, 4, ("a", "b"), "cuda:0", "m.py:1", 7, (("x", 2), ("self.y", 9)))
    write_observed(str(tmp_path), {"0a": ("train.py", (tensor,))})
    assert ObservedFiles.read(str(tmp_path)).by_digest == {"0a": (tensor,)}
    assert (tmp_path / ".devlint/.gitignore").read_text() == "*\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "no such file; `devlint observe -- COMMAND` writes it"),
        ("[1]", "is not what `devlint observe` writes"),
        ('{"format": "devlint-observed", "version": 99}', "is of another version of devlint"),
    ],
)
def test_a_file_that_is_missing_or_wrong(tmp_path: Path, text: str | None, problem: str) -> None:
    if text is not None:
        (tmp_path / ".devlint").mkdir()
        (tmp_path / ".devlint/observed.json").write_text(text)
    with pytest.raises(ConfigError, match=problem):
        ConfigFinder(isolated=True, cwd=str(tmp_path), observed=True)
