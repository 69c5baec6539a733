from __future__ import annotations

from itertools import product
from textwrap import dedent

import pytest

from devlint.analysis.apis.environment_writes import environment_writes
from devlint.analysis.apis.visible_devices import visible_devices_set_after
from devlint.analysis.cuda.initialization_order import Execution
from devlint.analysis.names.scopes import scopes
from devlint.core.target import Target
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext
from tests.fixes.device.test_resolver import ACCELERATOR, PROGRAMS, programs, unmarked
from tests.support import engine
from tests.support.rule_cases import found, places, rule
from tests.support.sampling import some

CODE = "DEV302"
HEAD = "import os\nimport torch\n"
SET = 'os.environ["CUDA_VISIBLE_DEVICES"] = "1"'

SILENT = [
    SET,
    f"{SET}\nx = torch.cuda.is_available()",
    f"x = torch.zeros(2)\n{SET}",
    f"torch.manual_seed(0)\ntorch.cuda.manual_seed_all(0)\n{SET}",
    f"n = torch.cuda.device_count()\n{SET}",
    f"torch.cuda.empty_cache()\n{SET}",
    f'device = torch.device("cuda")\n{SET}',
    f"def f():\n    return torch.cuda.is_available()\n{SET}",
    f"f = lambda: torch.cuda.is_available()\n{SET}",
    f"if flag:\n    x = y.cuda()\n{SET}",
    f"for x in xs:\n    x.cuda()\n{SET}",
    f"x = flag and torch.cuda.is_available()\n{SET}",
    f"x = y.cuda() if flag else y\n{SET}",
    f"try:\n    x = y.cuda()\nexcept RuntimeError:\n    pass\n{SET}",
    f"x = [y.cuda() for y in ys]\n{SET}",
    f"x = y.to(device)\n{SET}",
    f'x = torch.load(f, map_location="cuda")\n{SET}',
    f"if not torch.cuda.is_available():\n    {SET}",
    f"if torch.cuda.is_available():\n    pass\nelse:\n    {SET}",
    f"import subprocess\nx = torch.cuda.is_available()\n{SET}\nsubprocess.run(x)",
    f"import torch.multiprocessing as mp\nx = torch.cuda.is_available()\n{SET}\nmp.spawn(f)",
    f'x = torch.cuda.is_available()\nos.system("python x.py")\n{SET}',
    'x = torch.cuda.is_available()\nos.environ["OMP_NUM_THREADS"] = "1"',
    'x = torch.cuda.is_available()\nenv = os.environ.copy()\nenv["CUDA_VISIBLE_DEVICES"] = "1"',
    'old = os.environ.get("A")\nx = torch.cuda.is_available()\nos.environ["CUDA_VISIBLE_DEVICES"] = old',
    f"def main():\n    {SET}\n    train()\ndef train():\n    x.cuda()\nmain()",
    f"def choose():\n    {SET}\ndef main():\n    choose()\n    x.cuda()\nif __name__ == '__main__':\n    main()",
    f"def choose():\n    {SET}\nchoose()\nx.cuda()\nchoose()",
    f"def choose():\n    {SET}\ndef f(g):\n    g()\nf(choose)\nx.cuda()\nchoose()",
    f"def choose():\n    {SET}\nif __name__ == '__main__':\n    x = torch.cuda.is_available()",
    f"def f():\n    if flag:\n        return\n    x.cuda()\nf()\n{SET}",
    f"def f():\n    yield torch.cuda.is_available()\nf()\n{SET}",
    f"def f():\n    x.cuda()\ndef g():\n    {SET}\n",
    f"class T:\n    def __init__(self):\n        {SET}\nt = T()\nx = torch.cuda.is_available()",
    f"class T:\n    def a(self):\n        x.cuda()\n    def b(self):\n        {SET}\n",
    f"@functools.cache\ndef f():\n    x.cuda()\nf()\n{SET}",
    f"if torch.version.cuda:\n    pass\n{SET}",
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"{HEAD}{text}\n") == ()


def test_silent_without_torch() -> None:
    assert found(CODE, f"import os\nx = y.cuda()\n{SET}\n") == ()


SAME_STATEMENT = 'os.environ["CUDA_VISIBLE_DEVICES"] = str(torch.cuda.current_device())'
FOUND = [
    f"x = torch.cuda.is_available()\n{SET}",
    f'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n{SET}',
    f"x = y.cuda()\n{SET}",
    f'x = y.to("cuda")\n{SET}',
    f'x = y.to(torch.device("cuda:0"))\n{SET}',
    f'x = torch.zeros(2, device="cuda")\n{SET}',
    f"x = torch.cuda.FloatTensor(2)\n{SET}",
    f"torch.cuda.set_device(0)\n{SET}",
    f"x = torch.accelerator.is_available()\n{SET}",
    f"assert torch.cuda.is_available()\n{SET}",
    f"if torch.cuda.is_available():\n    {SET}",
    f"if torch.cuda.is_available() and flag:\n    {SET}",
    f"x = torch.cuda.is_available() and flag\n{SET}",
    f"if a:\n    x.cuda()\nelse:\n    y.cuda()\n{SET}",
    f"if a:\n    x.cuda()\nelse:\n    raise SystemExit\n{SET}",
    f"try:\n    x = y.cuda()\nexcept RuntimeError:\n    raise\n{SET}",
    f"with torch.no_grad():\n    x = y.cuda()\n{SET}",
    f"for x in xs:\n    x.cuda()\n    {SET}",
    f"x = [y for y in z.cuda()]\n{SET}",
    f"def f(x=torch.cuda.is_available()):\n    pass\n{SET}",
    f"class A:\n    x = torch.cuda.is_available()\n{SET}",
    f"def f():\n    x.cuda()\nf()\n{SET}",
    f"def f():\n    if flag:\n        return x.cuda()\n    return y.cuda()\nf()\n{SET}",
    f"def main():\n    x.cuda()\n    {SET}\nmain()",
    f"def main():\n    {SET}\nx.cuda()\nmain()",
    f"def main():\n    {SET}\nx = torch.cuda.is_available()\nif __name__ == '__main__':\n    main()",
    f"def main():\n    x.cuda()\n    choose()\ndef choose():\n    {SET}\nif __name__ == '__main__':\n    main()",
    f"x = torch.cuda.is_available()\ndef choose():\n    {SET}",
    f"x = torch.cuda.is_available()\nclass A:\n    def choose(self):\n        {SET}",
    'x = torch.cuda.is_available()\nos.environ.setdefault("CUDA_VISIBLE_DEVICES", "1")',
    'x = torch.cuda.is_available()\nos.environ.update({"CUDA_VISIBLE_DEVICES": "1"})',
    'x = torch.cuda.is_available()\nos.putenv("CUDA_VISIBLE_DEVICES", "1")',
    'x = torch.cuda.is_available()\nos.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"',
    'x = torch.cuda.is_available()\nos.environ["CUDA_VISIBLE_DEVICE"] = "1"',
    'x = 1; y = torch.cuda.is_available(); os.environ["CUDA_VISIBLE_DEVICES"] = "1"',
    SAME_STATEMENT,
]
PROGRAMS_FOUND = [f"{HEAD}{text}" for text in FOUND]


@pytest.mark.parametrize("text", FOUND)
def test_found(text: str) -> None:
    assert [kind for _, kind in places(CODE, f"{HEAD}{text}\n")] == ["none"]


def test_words() -> None:
    (one,) = found(CODE, f"{HEAD}x = y.cuda()\nif True:\n    {SET}\n")
    assert (one.location.row, one.location.column) == (5, 5)
    assert one.message == "Too late to have an effect: `y.cuda()` in line 3 has started CUDA"


OWN = """
    import os
    import torch
    def choose():
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    def main():
        choose()
        net = Net().cuda()
    if __name__ == "__main__":
        main()

    import os
    import torch
    def main(args):
        os.environ["CUDA_VISIBLE_DEVICES"] = args.gpu
        net = Net().cuda()
    if __name__ == "__main__":
        main(parse())

    import argparse, os
    import torch
    args = argparse.ArgumentParser().parse_args()
    os.environ["CUDA_VISIBLE_DEVICES"] = args.gpu
    x = torch.zeros(2).cuda()

    import os
    import torch
    def choose(gpu):
        os.environ["CUDA_VISIBLE_DEVICES"] = gpu
    class Trainer:
        def __init__(self, gpu):
            choose(gpu)
            self.x = torch.zeros(2).cuda()
        def run(self):
            return self.x + torch.ones(2).cuda()
    if __name__ == "__main__":
        Trainer("1").run()

    import os
    import torch
    def run(x):
        if x.gpu:
            os.environ["CUDA_VISIBLE_DEVICES"] = x.gpu
        y = x.cuda()
        def inner(z):
            return z.cuda() + y
        return inner
    run(1)

    import os
    import torch
    import torch.nn as nn
    if __name__ == "__main__":
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
        net = nn.Linear(2, 3).cuda()
        x = torch.zeros(2).cuda()

    import os
    import torch
    device = torch.device("cuda")
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    x = torch.zeros(2).to(device)

    import os
    import torch
    def setup(gpu):
        os.environ["CUDA_VISIBLE_DEVICES"] = gpu
        return True
    use_cuda = True
    def main():
        ok = setup("1")
        x = torch.zeros(2)
        if use_cuda:
            x = x.cuda()
    main()
"""
RULES = [rule(code) for code in ("DEV101", "DEV102", "DEV103", "DEV104", "DEV105", "DEV106", "DEV201", "DEV202")]
TARGETS = [Target(), ACCELERATOR]
STEPS = sorted(path.stem for path in PROGRAMS.glob("*.txt"))
EVERY = [unmarked(lines, "+") for _, lines in programs(*STEPS)] + [f"{one}\n" for one in dedent(OWN).split("\n\n")]


def late(text: str) -> int:
    return len(found(CODE, text))


def misspelled(text: str) -> str:
    return text.replace('"CUDA_VISIBLE_DEVICES"', '"CUDA_VISIABLE_DEVICES"')


@pytest.mark.parametrize("text", [one for one in EVERY if '"CUDA_VISIBLE_DEVICES"' in one])
def test_a_misspelled_choice_is_not_late_once_it_is_mended(text: str) -> None:
    rules = [*RULES, rule("DEV301")]
    result = engine.fix(Source.from_text("case.py", misspelled(text)), rules, Target())
    assert "VISIABLE" not in result.text
    assert late(result.text) <= late(text)


SAYS_SO = "before the program sets its visible GPUs"


@pytest.mark.parametrize("text", EVERY)
def test_no_fix_makes_a_choice_of_devices_late(text: str) -> None:
    """A fix asks for CUDA in places of its own; none is above a line that chooses the GPUs, unless its caveat says so."""
    for target, unsafe in some(list(product(TARGETS, (False, True))), 4):
        result = engine.fix(Source.from_text("case.py", text), RULES, target, unsafe)
        warned = any(one.fix is not None and SAYS_SO in one.fix.message for one in result.applied)
        assert late(result.text) <= late(text) or (unsafe and warned)


@pytest.mark.parametrize("text", [*EVERY, *PROGRAMS_FOUND])
def test_where_a_choice_is_late_the_resolver_would_not_have_asked(text: str) -> None:
    """What DEV302 takes for the start of CUDA is a place where the resolver knows that it must not ask.

    So the two agree about every place that the resolver speaks of: one in the same function, or in the module.
    """
    ctx = FileContext(Source.from_text("case.py", text))
    writes = [one for one in environment_writes(ctx) if "_VISIBLE_DEVICE" in (one.name or "") and one.own]
    execution = Execution(ctx, {id(one.node) for one in writes})
    table = scopes(ctx)
    for write in writes:
        start = execution.started_before(write.node)
        there = table.function_of(start) if start is not None else None
        if start is not None and there in (None, table.function_of(write.node)):
            assert visible_devices_set_after(ctx, start) or SAME_STATEMENT in text
