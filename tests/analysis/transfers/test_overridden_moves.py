"""Classes of other files with a `cuda` of their own, which a program uses without saying that it makes one."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint import fix

OWN_CUDA = "class Trainer:\n    def cuda(self):\n        return self\n    def fit(self):\n        pass\n"
OWN_TO = OWN_CUDA + "    def to(self, device):\n        self.device = device\n"


@pytest.mark.parametrize(
    ("trainer", "line", "is_safe"),
    [
        (OWN_CUDA, "trainer.cuda()\n    trainer.fit()", False),
        (OWN_CUDA, "trainer.cuda().fit()", False),
        (OWN_TO, "trainer.cuda().fit()", False),
        (OWN_TO, "trainer.cuda()\n    trainer.fit()", True),
        (OWN_TO, "trainer.cuda().eval()", True),
    ],
)
def test_a_receiver_that_has_the_methods_of_such_a_class(
    tmp_path: Path, trainer: str, line: str, is_safe: bool
) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "trainers.py").write_text(trainer)
    program = tmp_path / "main.py"
    program.write_text(f"import torch\n\n\ndef run(config):\n    trainer = config.make().build()\n    {line}\n")
    assert (".cuda()" not in fix(program, isolated=True).text) is is_safe
    assert ".cuda()" not in fix(program, isolated=True, unsafe=True).text


COPIES = "class Batch:\n    def cuda(self):\n        return Batch({k: v.cuda() for k, v in vars(self).items()})\n"
HEIR = "class Data:\n    pass\n\n\nclass Batch(Data):\n    def cuda(self, *args):\n        return type(self)(self.x.cuda())\n"
KEEPS = "class Batch:\n    def cuda(self):\n        self.x = self.x.cuda()\n        return self\n"
GIVEN = "class Batch:\n    def cuda(self, *args):\n        return (one.to(self.device) for one in args)\n"
MOVES = COPIES + "    def to(self, device):\n        return Batch(self.x.to(device))\n"


@pytest.mark.parametrize(
    ("batch", "line", "is_safe"),
    [
        (COPIES, "x = prepare(rows)", False),
        (HEIR, "x = prepare(rows)", False),
        (COPIES, "x = rows[0]", False),
        (COPIES, "x = torch.zeros(2)", True),
        (COPIES, "x = torch.nn.Linear(1, 1)", True),
        (COPIES, "x = prepare(rows)\n    x.eval()", True),
        (KEEPS, "x = prepare(rows)", True),
        (GIVEN, "x = prepare(rows)", True),
        (COPIES, "x = prepare(rows)\n    x = (x * 2.0 - 1.0).unsqueeze(0)", True),
        (COPIES, "x = prepare(rows)\n    x = (x * 2.0 - 1.0).copy()", False),
        (MOVES, "x = prepare(rows)", True),
    ],
)
def test_a_batch_may_be_of_a_class_whose_cuda_gives_a_copy(
    tmp_path: Path, batch: str, line: str, is_safe: bool
) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "batches.py").write_text(batch)
    program = tmp_path / "main.py"
    text = f"import torch\n\n\ndef collate(rows, prepare, use_gpu):\n    {line}\n    if use_gpu:\n        x = x.cuda()\n    return x\n"
    program.write_text(text)
    assert (".cuda()" not in fix(program, isolated=True).text) is is_safe


@pytest.mark.parametrize(
    ("batch", "entry", "is_safe"),
    [
        (KEEPS, "{'x': Batch(row), 'y': row}", False),
        (KEEPS, "[Batch(row)]", False),
        (KEEPS, "Batch(row)", True),
        (KEEPS + "    def to(self, device):\n        return self\n", "{'x': Batch(row)}", True),
        ("import torch\n\n\n" + KEEPS.replace("Batch", "Batch(torch.nn.Module)"), "{'x': Batch(row)}", True),
    ],
)
def test_an_entry_may_be_of_a_class_without_a_to(tmp_path: Path, batch: str, entry: str, is_safe: bool) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "batches.py").write_text(batch)
    (tmp_path / "data.py").write_text(f"from batches import Batch\n\n\ndef collate(row):\n    return {entry}\n")
    program = tmp_path / "main.py"
    program.write_text("import torch\n\n\ndef run(batch):\n    batch['x'] = batch['x'].cuda()\n    return batch\n")
    assert (".cuda()" not in fix(program, isolated=True).text) is is_safe
    assert ".cuda()" not in fix(program, isolated=True, unsafe=True).text


def test_what_one_of_several_classes_makes_may_have_its_own_cuda(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("")
    net = "import torch\n\n\nclass {}(torch.nn.Module):\n    def {}(self, x=None):\n        return self\n"
    (tmp_path / "nets.py").write_text(net.format("Plain", "forward") + "\n\n" + net.format("Match", "cuda"))
    program = tmp_path / "main.py"
    text = (
        "import torch\nfrom nets import Match, Plain\n\n\ndef run(kind):\n    if kind:\n        net = Plain()\n    else:\n"
        "        net = {}()\n    net = net.cuda()\n    return net\n"
    )
    for made, is_safe in (("Match", False), ("Plain", True)):
        program.write_text(text.format(made))
        assert (".cuda()" not in fix(program, isolated=True).text) is is_safe
        assert (".cuda()" not in fix(program, isolated=True, unsafe=True).text) is is_safe


OWN = (
    "import contextlib\nimport torch\n\n\n"
    + KEEPS
    + ("\n\nKINDS = {'a': Batch}\n\n\n@contextlib.contextmanager\ndef opened():\n    yield Batch()\n")
)


@pytest.mark.parametrize(
    ("lines", "is_safe"),
    [
        ("def run(x: Batch):\n    return x.cuda()", False),
        ("def run(x: Optional[data.Batch] = None):\n    return x.cuda()", False),
        ("def run(xs: list[Batch]):\n    return [x.cuda() for x in xs]", False),
        ("def run(x: torch.Tensor):\n    return x.cuda()", True),
        ("def run(x):\n    if isinstance(x, (list, Batch)):\n        x = x.cuda()\n    return x", False),
        ("def run(x):\n    if isinstance(x, Batch):\n        return x\n    return x.cuda()", True),
        ("def run(x):\n    match x:\n        case Batch():\n            return x.cuda()", False),
        (
            "def run(x):\n    match x:\n        case Batch():\n            return x\n        case _:\n            return x.cuda()",
            True,
        ),
        ("with data.opened() as x:\n    x = x.cuda()", False),
        ("x = data.KINDS['a']().cuda()", False),
    ],
)
def test_a_value_that_is_said_to_be_of_such_a_class(tmp_path: Path, lines: str, is_safe: bool) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "data.py").write_text(OWN)
    program = tmp_path / "main.py"
    program.write_text(f"import torch\nimport data\nfrom typing import Optional\nfrom data import Batch\n\n\n{lines}\n")
    assert (".cuda()" not in fix(program, isolated=True).text) is is_safe


@pytest.mark.parametrize(
    ("line", "is_safe"),
    [
        ("Batch.cuda = lambda self: 3", False),
        ("setattr(Batch, 'cuda', moved)", False),
        ("Batch.cuda = False", True),
        ("setattr(Batch, 'size', 3)", True),
    ],
)
def test_a_class_that_gets_a_cuda_of_its_own(tmp_path: Path, line: str, is_safe: bool) -> None:
    program = tmp_path / "main.py"
    program.write_text(f"import torch\n\n\nclass Batch:\n    pass\n\n\n{line}\nx = Batch()\nprint(x.cuda())\n")
    assert ("x.cuda()" not in fix(program, isolated=True).text) is is_safe


@pytest.mark.parametrize(("line", "is_safe"), [("cuda = partial(move, 3)", False), ("cuda = True", True)])
def test_a_class_whose_body_binds_cuda(tmp_path: Path, line: str, is_safe: bool) -> None:
    program = tmp_path / "main.py"
    text = f"import torch\nfrom tools import *\n\n\nclass Batch:\n    {line}\n\n\nx = Batch()\nprint(x.cuda())\n"
    program.write_text(text)
    assert ("x.cuda()" not in fix(program, isolated=True).text) is is_safe


def test_a_property_of_a_configuration_moves_nothing(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("")
    settings = tmp_path / "settings.py"
    program = tmp_path / "main.py"
    text = "import torch\n\n\ndef run(x, args):\n    if args.cuda:\n        x = x.cuda()\n    return x + 1\n"
    for decorator, is_safe in (("    @property\n", True), ("", False)):
        settings.write_text(f"class Settings:\n{decorator}    def cuda(self):\n        return self.on\n")
        program.write_text(text)
        assert (".cuda()" not in fix(program, isolated=True).text) is is_safe


SCALED = (
    "import torch\n\n\nclass Scaled(torch.nn.Module):\n    def cuda(self, device=None):\n"
    "        super().cuda(device)\n        self.factor = self.factor.cuda()\n"
)
REGISTER = (
    "import torch\n\n\nclass Trainer:\n    def __init__(self, model):\n        self.model = model\n\n"
    "    def register(self, model=None):\n        {}\n"
)


@pytest.mark.parametrize(
    ("module", "lines", "is_safe"),
    [
        (SCALED, "self.model.cuda()", False),
        (SCALED, "model.cuda()\n        self.model = torch.nn.DataParallel(model)", False),
        (SCALED, "self.model = model\n        self.model.cuda()", False),
        (SCALED, "if self.many:\n            model = torch.nn.DataParallel(model)\n        model.cuda()", False),
        (SCALED, "model = model.cuda()\n        model.train()", False),
        (SCALED, "x = model.cuda()\n        return x", True),
        (SCALED, "net = torch.nn.DataParallel(model)\n        net.cuda()", True),
        (SCALED, "net = torch.nn.Linear(1, 1)\n        net.cuda()", True),
        (SCALED, "from torchvision import models\n        net = models.resnet18()\n        net.cuda()", True),
        (SCALED.replace("def cuda", "def cpu"), "model.cuda()", True),
        (SCALED + "\n    def to(self, *given):\n        return self.cuda()\n", "model.cuda()", True),
        (KEEPS, "model.cuda()", True),
        (SCALED.replace("self.factor = self.factor.cuda()", "return self.net.cuda()"), "model.cuda()", True),
        (SCALED.replace("self.factor = self", "self"), "model.cuda()", True),
        (SCALED.replace("self.factor = self.factor.cuda()", "self.is_on = True"), "model.cuda()", False),
    ],
)
def test_a_module_of_no_known_class_may_have_its_own_cuda(
    tmp_path: Path, module: str, lines: str, is_safe: bool
) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "nets.py").write_text(module)
    program = tmp_path / "trainer.py"
    program.write_text(REGISTER.format(lines))
    assert (".cuda()" not in fix(program, isolated=True).text) is is_safe
    assert ".cuda()" not in fix(program, isolated=True, unsafe=True).text


def test_a_file_by_itself_knows_the_classes_that_it_imports(tmp_path: Path) -> None:
    (tmp_path / "nets.py").write_text(SCALED)
    program = tmp_path / "main.py"
    for made, is_safe in (("Scaled()", False), ("torch.nn.Linear(1, 1)", True)):
        program.write_text(
            f"import torch\nfrom nets import Scaled\n\n\ndef run(net):\n    net.cuda()\n    return net\n\n\nrun({made})\n"
        )
        assert (".cuda()" not in fix(program, isolated=True).text) is is_safe


@pytest.mark.parametrize(("own", "is_safe"), [("cuda", False), ("cpu", True)])
def test_a_module_that_is_chosen_by_its_name(tmp_path: Path, own: str, is_safe: bool) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "nets.py").write_text(SCALED.replace("def cuda", f"def {own}"))
    program = tmp_path / "main.py"
    program.write_text(
        "import torch\nimport nets\n\n\ndef run(kind):\n    net = getattr(nets, kind)()\n    return net.cuda()\n"
    )
    assert (".cuda()" not in fix(program, isolated=True).text) is is_safe


def test_what_a_line_further_down_makes_says_nothing_of_what_is_moved(tmp_path: Path) -> None:
    own = "import torch\n\n\nclass Rows(tuple):\n    def cuda(self):\n        return Rows(x.cuda() for x in self)\n\n\n"
    text = "use_cuda = torch.cuda.is_available()\n\n\ndef run(x, flat):\n{}    return x\n\n\nrun(Rows(), 1)\n"
    move = "    if use_cuda:\n        x = x.cuda()\n"
    stack = "    x = torch.stack(x)\n"
    program = tmp_path / "main.py"
    for lines, is_safe in (
        (f"{move}{stack}", False),
        (f"    if flat:\n    {stack}{move}", False),
        (f"{stack}{move}", True),
    ):
        program.write_text(own + text.format(lines))
        assert ("        x = x.cuda()" not in fix(program, isolated=True).text) is is_safe


KEPT = (
    "import torch\nfrom torch import nn\n\n\nclass Kept({}):\n    def {}(self, device=None):\n        return self\n\n\n"
    "class Table(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.weight = Kept(torch.zeros(3))\n"
)


@pytest.mark.parametrize(
    ("base", "method", "line", "is_safe"),
    [
        ("nn.Parameter", "cuda", "net = Table()\n    net.cuda()", False),
        ("nn.Parameter", "cuda", "net = Table().train()\n    net = net.cuda()\n    net.eval()", False),
        ("nn.Parameter", "cuda", "net = torch.zeros(3).cuda()", True),
        ("nn.Parameter", "cpu", "net = Table()\n    net.cuda()", True),
        ("torch.Tensor", "cuda", "net = torch.nn.DataParallel(Table())\n    net.cuda()", False),
        ("object", "cuda", "net = Table()\n    net.cuda()", True),
    ],
)
def test_a_parameter_that_stays_where_it_is(tmp_path: Path, base: str, method: str, line: str, is_safe: bool) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "layers.py").write_text(KEPT.format(base, method))
    program = tmp_path / "main.py"
    program.write_text(f"import torch\nfrom layers import Table\n\n\ndef run():\n    {line}\n    return net\n")
    assert (".cuda()" not in fix(program, isolated=True).text) is is_safe
    assert ".cuda()" not in fix(program, isolated=True, unsafe=True).text
