"""Under watch: which expressions are told to have made tensors on the wrong device, and that programs go on."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from devlint.verify.observing.program_text import expression_text
from devlint.verify.observing.seen import Counted, Seen
from tests.support.program_server import ProgramServer
from tests.support.torch_build import needs_positions
from tests.support.watched_programs import WorkingProgram, watched

HEAD = """\
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

device = torch.device("cuda")
x = torch.ones(3, device=device)
"""

# What the program goes on with after HEAD, the expressions that made what met, and how often each did.
MEETINGS: dict[str, tuple[str, dict[str, int]]] = {
    "a factory": ("print(x + torch.arange(3))", {"torch.arange(3)": 1}),
    "counted": ("y = torch.ones(3)\nfor _ in range(5):\n    x = x * y\nprint(x)", {"torch.ones(3)": 5}),
    "through views and casts": ("y = torch.arange(6).view(2, 3).float()[0]\nprint(x + y)", {"torch.arange(6)": 1}),
    "through copies": (
        "import copy\ny = copy.deepcopy(torch.ones(3)).clone().detach()\nprint(x + y)",
        {"torch.ones(3)": 1},
    ),
    "from NumPy": ("y = torch.from_numpy(np.ones(3))\nprint(x + y)", {"torch.from_numpy(np.ones(3))": 1}),
    "a legacy constructor": ("y = torch.LongTensor([1, 2, 3])\nprint(x + y)", {"torch.LongTensor([1, 2, 3])": 1}),
    "a type of CUDA": ("y = torch.ones(3)\nprint(torch.cuda.FloatTensor(y).device)", {"torch.ones(3)": 1}),
    "a bare tensor": ("y = torch.Tensor([1, 2, 3])\nprint(x + y)", {"torch.Tensor([1, 2, 3])": 1}),
    "a variable": (
        "y = torch.autograd.Variable(torch.ones(3), requires_grad=True)\n(x * y).sum().backward()\nprint(y.grad)",
        {"torch.ones(3)": 1},
    ),
    "a list": ("print(torch.cat([x, torch.zeros(2)]))", {"torch.zeros(2)": 1}),
    "moved to the CPU": ("y = x.cpu()\nprint(x + y)", {"x.cpu()": 1}),
    "computed from two": (
        "a = torch.ones(3)\nb = torch.zeros(3)\nc = a + b\nprint(x + c)",
        {"a + b": 1},
    ),
    "in place, on the CPU": ("y = torch.zeros(3)\ny += x\nprint(y.device, y)", {"torch.zeros(3)": 1}),
    "into out=": ("y = torch.zeros(3)\ntorch.add(x, x, out=y)\nprint(y)", {"torch.zeros(3)": 1}),
    "an assignment to an index": (
        "y = torch.zeros(3)\ny[torch.tensor([1], device=device)] = 2.0\nprint(y)",
        {"torch.zeros(3)": 1},
    ),
    "a module": ("net = nn.Linear(3, 2)\nprint(net(x).shape)", {"nn.Linear(3, 2)": 2}),
    "a module of the user": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(3, 2, bias=False)\n\n    def forward(self, x):\n        return self.fc(x)\n\n\n"
        "net = Net()\nprint(net(x).shape)",
        {"Net()": 1},
    ),
    "an attribute that does not move with its module": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(3, 3)\n        self.scale = torch.ones(3)\n\n"
        "    def forward(self, x):\n        return self.fc(x) * self.scale\n\n\n"
        "net = Net().to(device)\nprint(net(x).shape)",
        {"torch.ones(3)": 1},
    ),
    "the state of an RNN": (
        "rnn = nn.GRU(3, 4).to(device)\nh = torch.zeros(1, 1, 4)\nprint(rnn(x.view(1, 1, 3), h)[1].device)",
        {"torch.zeros(1, 1, 4)": 1},
    ),
    "a loss": (
        "target = torch.tensor([1])\nprint(F.cross_entropy(x.view(1, 3), target))",
        {"torch.tensor([1])": 1},
    ),
    "a custom function": (
        "class Twice(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, a, b):\n"
        "        ctx.save_for_backward(a, b)\n        return a * b\n\n    @staticmethod\n"
        "    def backward(ctx, grad):\n        a, b = ctx.saved_tensors\n        return grad * b, grad * a\n\n\n"
        "x.requires_grad_()\ny = torch.ones(3)\nTwice.apply(x, y).sum().backward()\nprint(x.grad)",
        {"torch.ones(3)": 1},
    ),
    "in a thread": (
        "import threading\n\n\ndef work():\n    print(x + torch.ones(3))\n\n\n"
        "thread = threading.Thread(target=work)\nthread.start()\nthread.join()",
        {"torch.ones(3)": 1},
    ),
    "loaded": (
        "import io\nfile = io.BytesIO()\ntorch.save({'a': torch.ones(3)}, file)\nfile.seek(0)\n"
        "print(x + torch.load(file)['a'])",
        {"torch.load(file)": 1},
    ),
    "a batch": (
        "data = torch.utils.data.TensorDataset(torch.ones(4, 3))\n"
        "for (batch,) in torch.utils.data.DataLoader(data, batch_size=2):\n    print(batch + x)",
        {"for (batch,) in torch.utils.data.DataLoader(data, batch_size=2):": 2},
    ),
}

# Nothing of this meets: PyTorch allows it.
ALLOWED = {
    "a tensor without dimensions": "print(x * torch.tensor(2.0))",
    "types of CUDA": (
        "print(isinstance(x, torch.cuda.FloatTensor), x.type(torch.cuda.LongTensor), torch.cuda.FloatTensor(2).shape)"
    ),
    "a default type": 'torch.set_default_tensor_type("torch.FloatTensor")\nprint(x + 1)',
    "what is saved": (
        "import io\ny = nn.Flatten()(torch.ones(2, 3))\nfile = io.BytesIO()\ntorch.save({'y': y, 'x': x}, file)\n"
        "file.seek(0)\nprint({name: one.__dict__ for name, one in torch.load(file, map_location=device).items()})"
    ),
    "an index": "print(x[torch.tensor([0, 1])])",
    "a copy": "y = torch.zeros(3)\ny.copy_(x)\nx.copy_(y)\nprint(y)",
    "packed lengths": (
        "rnn = nn.GRU(3, 4).to(device)\n"
        "packed = nn.utils.rnn.pack_padded_sequence(torch.ones(2, 1, 3, device=device), torch.tensor([2]))\n"
        "print(rnn(packed)[1].device)"
    ),
    "a sparse tensor that is moved": "y = torch.eye(3).to_sparse().to(device)\nprint(torch.sparse.mm(y, x.view(3, 1)))",
    "a loop of training": (
        "net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2)).to(device)\n"
        "steps = torch.optim.Adam(net.parameters())\nfor _ in range(3):\n"
        "    net(torch.randn(4, 3, device=device)).sum().backward()\n    steps.step()\nprint(net[0].weight.device)"
    ),
}


@pytest.fixture(scope="module")
def server() -> Iterator[ProgramServer]:
    with ProgramServer() as server:
        yield server


def observe(server: ProgramServer, folder: Path, text: str) -> tuple[str, Seen]:
    path = folder / "program.py"
    path.write_text(HEAD + text + "\n")
    result, seen = watched(server, WorkingProgram("program", path), path)
    assert result.code == 0, result.stderr
    return result.stdout, seen


def told(found: list[Counted]) -> list[tuple[str, int]]:
    return [(expression_text(one.at), one.count) for one in found]


@pytest.mark.skipif(sys.version_info >= (3, 11), reason="Python keeps the columns of expressions, too")
def test_before_python_3_11_its_line_is_told(server: ProgramServer, tmp_path: Path) -> None:
    _, seen = observe(server, tmp_path, "y = torch.zeros(3)\nprint(x + y)")
    assert {expression_text(one.made): one.count for one in seen.misplaced if one.made is not None} == {
        "y = torch.zeros(3)": 1
    }


@needs_positions
@pytest.mark.parametrize(("text", "expected"), MEETINGS.values(), ids=MEETINGS)
def test_what_met_is_told_where_it_was_made(
    server: ProgramServer, tmp_path: Path, text: str, expected: dict[str, int]
) -> None:
    output, seen = observe(server, tmp_path, text)
    assert output
    assert {expression_text(one.made): one.count for one in seen.misplaced if one.made is not None} == expected


@pytest.mark.parametrize("text", ALLOWED.values(), ids=ALLOWED)
def test_what_pytorch_allows_is_not_told(server: ProgramServer, tmp_path: Path, text: str) -> None:
    _, seen = observe(server, tmp_path, text)
    assert (seen.misplaced, seen.device_used) == ([], True)


def test_the_numbers_are_those_of_the_mended_program(server: ProgramServer, tmp_path: Path) -> None:
    text = (
        "torch.manual_seed(3)\n{0}y = torch.rand(3)\nnet = nn.BatchNorm1d(3)\nfor _ in range(2):\n"
        "    net(torch.stack([F.dropout(x, 0.5), y]))\ny += x\nprint(net.running_mean.tolist(), y.tolist())"
    )
    output, _ = observe(server, tmp_path, text.format(""))
    path = tmp_path / "mended.py"
    mended = text.format("").replace("rand(3)", "rand(3).to(device)").replace("1d(3)", "1d(3).to(device)")
    path.write_text(HEAD + mended + "\n")
    assert server.run(WorkingProgram("mended", path).request(path)).stdout == output


@needs_positions
def test_variables_and_shapes_are_told(server: ProgramServer, tmp_path: Path) -> None:
    _, seen = observe(server, tmp_path, "weights = torch.ones(1, 3)\n\n\ndef f(w):\n    return x * w\n\n\nf(weights)")
    (one,) = seen.misplaced
    assert (one.names, one.tensors) == (["w", "weights"], ["float32[1, 3]"])
    (meeting,) = one.meetings
    assert meeting.at is not None
    assert (expression_text(meeting.at), meeting.operation, meeting.device) == ("x * w", "mul", "cuda:0")


def test_the_variable_is_told_of_whose_tensor_a_module_made_another(server: ProgramServer, tmp_path: Path) -> None:
    text = (
        "layers = nn.Sequential(nn.ReflectionPad2d(1), nn.Conv2d(1, 1, 3)).to(device)\nimage = torch.ones(1, 1, 4, 4)\n"
    )
    _, seen = observe(server, tmp_path, f"{text}print(layers(image))")
    (one,) = seen.misplaced
    assert one.names == ["image"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("layers = {'w': torch.ones(3)}\nprint(x + layers['w'])", ['layers["w"]']),
        ("pair = torch.ones(3), 2\nprint(x + pair[0])", ["pair[0]"]),
        ("y = torch.ones(3)\nprint(x - -y)", ["y"]),
        ("y = torch.ones(3)\nprint(x + torch.autograd.Variable(y))", ["y"]),
        (
            "from collections import UserDict\nbatch = UserDict(ids=torch.ones(3))\nprint(x + batch['ids'])",
            ['batch["ids"]'],
        ),
        (
            "class Net(nn.Module):\n    def forward(s, a, b):\n        return a * b\n\n\nw = torch.ones(3)\nNet()(w, x)",
            ["a", "w"],
        ),
    ],
)
def test_the_variables_are_told_that_hold_it(
    server: ProgramServer, tmp_path: Path, text: str, names: list[str]
) -> None:
    _, seen = observe(server, tmp_path, text)
    assert [one.names for one in seen.misplaced] == [names]


@needs_positions
def test_the_variables_are_told_that_hold_what_it_met_and_the_arguments_on_its_device(
    server: ProgramServer, tmp_path: Path
) -> None:
    _, seen = observe(server, tmp_path, "def f(a, b, c):\n    d = a * 2\n    return d + c\n\n\nf(x, 1, torch.ones(3))")
    (one,) = seen.misplaced
    (meeting,) = one.meetings
    assert [(name, expression_text(place)) for name, place in meeting.partners] == [
        ("d", "d + c"),
        ("a", "d + c"),
    ]


@needs_positions
def test_waits_and_moves_are_counted(server: ProgramServer, tmp_path: Path) -> None:
    text = (
        "for _ in range(3):\n    x.sum().item()\n    if x.sum() > 1:\n        y = x.cpu()\n    z = y.to(device)\n"
        "    w = z.to(device)\n    v = torch.zeros(3).to(device)\nx.to('cpu')\n"
    )
    _, seen = observe(server, tmp_path, text)
    waits = {(one.what, expression_text(one.at)): one.count for one in seen.waits}
    assert waits == {
        ("item()", "x.sum().item()"): 3,
        ("a condition", "x.sum() > 1"): 3,
        ("a copy to the host", "x.cpu()"): 3,
        ("a copy to the host", "x.to('cpu')"): 1,
    }
    assert told(seen.back_and_forth) == [("y.to(device)", 3)]
    assert [one.size for one in seen.back_and_forth] == [36]
    assert told(seen.idle_moves) == [("z.to(device)", 3)]
    assert told(seen.discarded) == [("x.to('cpu')", 1)]
    assert told(seen.moved_at_once) == [("torch.zeros(3).to(device)", 3)]


@needs_positions
def test_a_module_moves_in_place(server: ProgramServer, tmp_path: Path) -> None:
    text = "net = nn.Linear(3, 2)\nnet.to(device)\nnet.to(device=device)\nnet.cuda()\nprint(net(x).device)\n"
    _, seen = observe(server, tmp_path, text)
    assert seen.discarded == []
    assert told(seen.idle_moves) == [("net.to(device=device)", 2), ("net.cuda()", 2)]


@needs_positions
def test_what_a_library_moves_of_itself_is_no_move_of_the_program(server: ProgramServer, tmp_path: Path) -> None:
    text = (
        "net = nn.Linear(3, 1).to(device)\nscaler = torch.amp.GradScaler('cuda')\n"
        "for _ in range(2):\n    scaler.scale(net(x).sum())\n"
    )
    _, seen = observe(server, tmp_path, text)
    assert told(seen.idle_moves) == []


MOVES_OF_OTHERS = {
    "of a custom function, by the watcher": (
        "class Twice(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, a, b):\n        return a * b\n\n"
        "    @staticmethod\n    def backward(ctx, grad):\n        return grad, None\n\n\n"
        "y = torch.ones(3, requires_grad=True)\nTwice.apply(y, x).sum().backward()\nprint(y.grad)"
    ),
    "of what a type of CUDA is made of, by the watcher": "y = torch.ones(3)\nprint(torch.cuda.FloatTensor(y))",
    "of a check of gradients, by torch": (
        "y = torch.ones(3, dtype=torch.double, requires_grad=True)\nz = x.double().requires_grad_()\n"
        "print(torch.autograd.gradcheck(lambda a, b: a * b, (y, z)))"
    ),
}


@pytest.mark.parametrize("text", MOVES_OF_OTHERS.values(), ids=MOVES_OF_OTHERS)
def test_moves_that_are_not_the_programs_are_not_told(server: ProgramServer, tmp_path: Path, text: str) -> None:
    _, seen = observe(server, tmp_path, text)
    assert [one.is_moved_elsewhere for one in seen.misplaced] == [False]
    assert [one for one in seen.copies if one.what == "to the device"] == []


@needs_positions
def test_numpy_reads_what_is_on_the_device(server: ProgramServer, tmp_path: Path) -> None:
    output, seen = observe(server, tmp_path, "print(x.numpy())")
    assert (output, told(seen.numpy)) == ("[1. 1. 1.]\n", [("x.numpy()", 1)])


@needs_positions
def test_parameters_that_no_optimizer_has(server: ProgramServer, tmp_path: Path) -> None:
    text = (
        "net = nn.Sequential(nn.Linear(3, 3)).to(device)\nsteps = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "net.append(nn.Linear(3, 1, bias=False).to(device))\nother = nn.Linear(3, 1).to(device)\n"
        "more = torch.optim.SGD(other.parameters(), lr=0.1)\n"
        "for _ in range(2):\n    (net(x) + other(x)).sum().backward()\n    steps.step()\n    more.step()"
    )
    _, seen = observe(server, tmp_path, text)
    assert [(one.what, *pair) for one, pair in zip(seen.late_parameters, told(seen.late_parameters))] == [
        ("weight", "nn.Linear(3, 1, bias=False)", 2)  # the second steps of both optimizers
    ]


def test_parameters_of_what_is_no_longer_trained_are_in_no_optimizer_for_good_reason(
    server: ProgramServer, tmp_path: Path
) -> None:
    text = (
        "net = nn.Linear(3, 1).to(device)\nsteps = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "other = nn.Linear(3, 1).to(device)\nother(x).sum().backward()\n"
        "for _ in range(3):\n    steps.zero_grad()\n    net(x).sum().backward()\n    steps.step()"
    )
    _, seen = observe(server, tmp_path, text)
    assert seen.late_parameters == []


def test_a_program_that_dies_tells_what_was_seen(server: ProgramServer, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    for ending in ("raise SystemExit(3)", "1 / 0", "import os\nos._exit(3)", "import os\nos.kill(os.getpid(), 9)"):
        path.write_text(f"{HEAD}x + torch.ones(3)\nx + torch.zeros(3)\n{ending}\n")
        result, seen = watched(server, WorkingProgram("program", path), path)
        assert result.code != 0
        assert [one.count for one in seen.misplaced] == [1, 1]


def test_a_program_that_is_killed_tells_what_was_counted_until_then(server: ProgramServer, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        f"{HEAD}import os, time\nfor _ in range(30):\n    x + torch.ones(3)\n    time.sleep(0.1)\nos.kill(os.getpid(), 9)\n"
    )
    _, seen = watched(server, WorkingProgram("program", path), path)
    assert [one.count > 10 for one in seen.misplaced] == [True]
    path.write_text(f"{HEAD}import os\nos.kill(os.getpid(), 9)\n")
    _, seen = watched(server, WorkingProgram("program", path), path)
    assert (seen.processes, seen.misplaced) == (1, [])


@needs_positions
def test_without_mending_the_first_meeting_ends_the_program(server: ProgramServer, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(f"{HEAD}print(x + torch.ones(3))\nprint(x + torch.zeros(3))\n")
    result, seen = watched(server, WorkingProgram("program", path), path, mends=False)
    assert "Expected all tensors to be on the same device" in result.stderr
    assert [expression_text(one.made) for one in seen.misplaced if one.made] == ["torch.ones(3)"]


def test_worker_processes_tell_too(server: ProgramServer, tmp_path: Path) -> None:
    text = (
        "class Data(torch.utils.data.Dataset):\n    def __len__(self):\n        return 4\n\n"
        "    def __getitem__(self, index):\n        torch.ones(2).to(torch.device('cpu'))\n        return torch.ones(3)\n\n\n"
        "for batch in torch.utils.data.DataLoader(Data(), num_workers=2, multiprocessing_context='fork'):\n"
        "    print(batch + x)"
    )
    _, seen = observe(server, tmp_path, text)
    assert seen.processes == 3
    assert told(seen.idle_moves) == [("torch.ones(2).to(torch.device('cpu'))", 4)]
    assert [(one.kind, one.count) for one in seen.misplaced] == [("loader", 4)]
