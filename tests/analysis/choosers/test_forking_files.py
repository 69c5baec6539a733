"""Nothing asks for CUDA in a program before it forks processes that use it, whatever leads them to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
MARKS = {"README.md": "", "requirements.txt": ""}
WORK = (
    "import torch\n\n\ndef run():\n    return torch.ones(2).cuda()\n\n\ndef again():\n"
    "    return torch.zeros(2).cuda()\n\n\nif __name__ == '__main__':\n    print(run(), again())\n"
)
AGENT = (
    "import torch\n\n\nclass Agent:\n    def __init__(self, name):\n        self.name = name\n\n"
    "    def act(self, x):\n        return x.cuda()\n\n    def move(self):\n        return torch.ones(2).cuda()\n\n"
    "    def __call__(self, x):\n        return self.act(x)\n\n    def title(self):\n        return self.name.title()\n"
)


def fork(imports: str, work: str, run: str = "work") -> str:
    return (
        f"from multiprocessing import Process\n{imports}\n\n\ndef work(*args):\n    {work}\n\n\n"
        f"if __name__ == '__main__':\n    one = Process(target={run}, args=(1,))\n    one.start()\n"
    )


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        (fork("import train", "print(train.run())"), False),
        (fork("from train import run", "print(run())"), False),
        (fork("import train", "print(train.run())", "lambda: work()"), False),
        (fork("import train", "print(args)"), True),
        (fork("import train", "print(sorted(args))", "print"), True),
    ],
)
def test_a_script_that_another_file_imports(tmp_path: Path, text: str, asks: bool) -> None:
    fixed = fix_files(write_files(tmp_path / "p", {**MARKS, "train.py": WORK, "start.py": text}))["train.py"]
    assert (f"\n{DEVICE}\n" in fixed) is asks


POOL = "from concurrent.futures import ProcessPoolExecutor\nfrom agent import Agent\n\nwith ProcessPoolExecutor(2) as pool:\n    print(list(pool.map({}, range(4))))\n"
ENV = (
    "from multiprocessing import Process\nimport agent\n\n\nclass Env(Process):\n    def __init__(self, agent):\n"
    "        super().__init__()\n        self.agent = agent\n\n    def run(self):\n        print(self.agent.{}())\n"
)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        (fork("from agent import Agent", "args[0].move()"), False),
        (fork("from agent import Agent", "pass", "Agent('a').move"), False),
        (fork("from agent import Agent", "print(args[0].title())"), True),
        (POOL.format("Agent('a')"), False),
        (POOL.format("Agent('a').title"), True),
        (ENV.format("move"), False),
        (ENV.format("title"), True),
        (fork("import torch.multiprocessing as mp\nmp.set_start_method('spawn')", "args[0].move()"), True),
    ],
)
def test_an_instance_that_is_made_before(tmp_path: Path, text: str, asks: bool) -> None:
    fixed = fix_files(write_files(tmp_path / "p", {**MARKS, "agent.py": AGENT, "start.py": text})).get("agent.py", "")
    assert (f"self.{DEVICE}" in fixed) is asks


def test_an_instance_that_the_same_file_makes(tmp_path: Path) -> None:
    files = {**MARKS, "agent.py": AGENT + fork("", "args[0].move()")}
    fixed = fix_files(write_files(tmp_path / "p", files))["agent.py"]
    assert "self.device" not in fixed and "x.to(get_device())" in fixed
