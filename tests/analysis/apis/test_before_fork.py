"""Nothing asks for CUDA in a program that has not asked yet, before it forks what uses it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

MARK = {"README.md": ""}
DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
HEAD = "import torch\nimport torch.nn as nn\nfrom multiprocessing import Process\n\n\n"
WORK = "def work(*args):\n    print(torch.ones(2).cuda(), torch.zeros(2).cuda())\n\n\n"
START = "Process(target=work).start()"
CLASS = (
    "class Worker(Process):\n    def run(self):\n        net = nn.Linear(2, 2).cuda()\n"
    "        print(net(torch.ones(2).cuda()))\n"
)


def fixed(tmp_path: Path, files: dict[str, str], name: str = "main.py") -> str:
    return fix_files(write_files(tmp_path / "p", {**MARK, **files}))[name]


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (f"    loss = nn.MSELoss().cuda()\n    {START}\n    print(loss)", True),
        (f"    net = nn.Linear(2, 2).cuda()\n    loss = nn.MSELoss().cuda()\n    {START}\n    print(net, loss)", False),
        (f"    {START}\n    loss = nn.MSELoss().cuda()\n    print(loss, nn.Linear(2, 2).cuda())", False),
    ],
)
def test_a_loss_without_weights_starts_no_cuda(tmp_path: Path, body: str, kept: bool) -> None:
    text = fixed(
        tmp_path, {"main.py": f"{HEAD}{WORK}def main():\n{body}\n\n\nif __name__ == '__main__':\n    main()\n"}
    )
    assert ("nn.MSELoss().cuda()" in text) is kept


def test_a_function_that_only_makes_losses(tmp_path: Path) -> None:
    losses = "def losses():\n    return nn.MSELoss().cuda()\n\n\n"
    main = f"if __name__ == '__main__':\n    print(losses())\n    {START}\n"
    assert "nn.MSELoss().cuda()" in fixed(tmp_path, {"main.py": f"{HEAD}{WORK}{losses}{main}"})


LAMBDAS = {
    "a move": ("lambda x: torch.ones(x).cuda()", True),
    "a place": ("lambda x: torch.ones(x, device='cuda')", True),
    "a loss": ("lambda x: nn.MSELoss().cuda()", False),
}


@pytest.mark.parametrize(("made", "asks"), LAMBDAS.values(), ids=LAMBDAS)
def test_a_lambda_asks_for_cuda_where_it_moves(tmp_path: Path, made: str, asks: bool) -> None:
    main = f"def main():\n    make = {made}\n    Process(target=print, args=(make,)).start()\n    {START}\n"
    text = fixed(tmp_path, {"main.py": f"{HEAD}{WORK}{main}\n\nmain()\n"})
    assert (made not in text) is asks
    assert "def main():\n    make = " in text


FLAG = (
    "import argparse\n{head}def work(args):\n    x = torch.ones(2)\n    if args.cuda:\n        x = x.cuda()\n"
    "    print(x)\n\n\nif __name__ == '__main__':\n    parser = argparse.ArgumentParser()\n"
    "    parser.add_argument('--cuda', action='store_true')\n    parser.add_argument('--single', action='store_true')\n"
    "    args = parser.parse_args()\n{body}\n"
)
SINGLE = "        net = nn.Linear(2, 2)\n        if args.cuda:\n            net.cuda()\n        print(net)\n"


@pytest.mark.parametrize(
    ("body", "above"),
    [
        (f"    if args.single:\n{SINGLE}    else:\n        Process(target=work, args=(args,)).start()", False),
        (f"    if args.single:\n{SINGLE}    else:\n        work(args)", True),
    ],
)
def test_a_device_above_one_branch_is_asked_in_the_other(tmp_path: Path, body: str, above: bool) -> None:
    text = fixed(tmp_path, {"main.py": FLAG.format(head=HEAD, body=body)})
    assert ("\n    device = torch.device(" in text.partition("__main__")[2]) is above


SHOWN = "def show():\n    print(torch.ones(2).cuda())\n\n\ndef more():\n    print(torch.ones(2).cuda())\n\n\n"
BEGIN = "if __name__ == '__main__':\n    one = Worker()\n    one.start()\n    show()\n"


@pytest.mark.parametrize(
    ("files", "asks"),
    [
        ({"main.py": f"{HEAD}{CLASS}\n\n{SHOWN}{BEGIN}"}, False),
        ({"worker.py": HEAD + CLASS, "main.py": f"import torch\nfrom worker import Worker\n\n\n{SHOWN}{BEGIN}"}, False),
        (
            {
                "worker.py": HEAD + "class Worker(Process):\n    def run(self):\n        print(1)\n",
                "main.py": f"import torch\nfrom worker import Worker\n\n\n{SHOWN}{BEGIN}",
            },
            True,
        ),
    ],
)
def test_classes_of_processes(tmp_path: Path, files: dict[str, str], asks: bool) -> None:
    assert (f"\n{DEVICE}\n" in fixed(tmp_path, files)) is asks


SERVER = (
    "{}\nimport torch\n\n\nclass Server:\n    def __init__(self, net):\n        self.net = net\n\n    def start(self):\n"
    "        self.net.cuda()\n\n    def answer(self, x):\n        return self.net(x.cuda())\n\n\n"
    "if __name__ == '__main__':\n    server = Server(torch.nn.Linear(2, 2))\n{}\n"
)
PARALLEL = "    Parallel(n_jobs=2{})(delayed(server.answer)(x) for x in [torch.ones(2)])"


@pytest.mark.parametrize(
    ("imports", "body", "asks"),
    [
        ("import daemon", "    with daemon.DaemonContext():\n        server.start()", False),
        ("from joblib import Parallel, delayed", PARALLEL.format(", backend='multiprocessing'"), False),
        ("from joblib import Parallel, delayed", PARALLEL.format(""), True),
        ("from pathos.multiprocessing import ProcessPool", "    ProcessPool(2).map(server.answer, [1])", False),
    ],
)
def test_libraries_that_fork(tmp_path: Path, imports: str, body: str, asks: bool) -> None:
    text = fixed(tmp_path, {"main.py": SERVER.format(imports, body)})
    assert ("self.device = " in text) is asks


def test_a_daemon_of_another_file(tmp_path: Path) -> None:
    main = "import daemon\nimport torch\nfrom server import Server\n\nserver = Server(torch.nn.Linear(2, 2))\n"
    main += "with daemon.DaemonContext():\n    server.start()\n"
    server = SERVER.format("", "    server.start()").partition("\n\nif __name__")[0]
    assert "self.device = " not in fixed(tmp_path, {"server.py": server, "main.py": main}, "server.py")
