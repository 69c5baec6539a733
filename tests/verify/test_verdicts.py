"""From two programs to a verdict, in words, and in every format."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from devlint.verify import reports
from devlint.verify.comparing.verdict import Outcome, Verdict, Word, exit_code
from devlint.verify.matrix import Task, verify
from devlint.verify.observer import Observer
from devlint.verify.program import Program
from tests.support.torch_build import is_cuda_build, needs_positions

TRAIN = """\
import torch
torch.manual_seed(0)
device = {device}
net = torch.nn.Linear(3, 2){net}
x = torch.randn(4, 3){x}
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(2):
    loss = net(x).pow(2).mean()
    loss.backward()
    optimizer.step()
print("%.4f" % loss.item())
"""
CHOSEN = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'
ORIGINAL = TRAIN.format(device="'cuda'", net=".cuda()", x=".cuda()")
GOOD = TRAIN.format(device=CHOSEN, net=".to(device)", x=".to(device)")

SCHEDULED = (
    GOOD.replace("for step", "scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 9)\nfor step")
    + "{step}\ndel scheduler\n"
)
SAVING = GOOD + "torch.save({tensor}, 'a.pt')\n"
CHILD = """\
import subprocess, sys
subprocess.run([sys.executable, "-c", "{code}"], check=True)
"""
ASKED_CHILD = """\
import subprocess, sys
code = "import torch; torch.ones(1).cuda()"
print(subprocess.run([sys.executable, "-c", code], capture_output=True).returncode)
"""
CHILD_OF_CUDA = "import torch; print(torch.ones(1).cuda().item())"
THREAD = """\
import threading
import torch
found = []
thread = threading.Thread(target=lambda: found.append(torch.ones(2, device={device}).sum().item()))
thread.start()
thread.join()
print(found)
"""
CAUGHT = """\
import sys, traceback, torch
x = torch.ones(2)
try:
    {move}
except Exception:
    traceback.print_exc()
    print("giving up", file=sys.stderr)
    sys.exit(3)
"""

# What is made of the original, and the verdicts: on the CPU, and on the simulated GPU.
NO_CUDA_ERROR = "RuntimeError" if is_cuda_build() else "AssertionError"
NO_CUDA = "Found no NVIDIA driver" if is_cuda_build() else "Torch not compiled"
PAIRS = {
    "good": (ORIGINAL, GOOD, ("newly works on CPU", ""), ("same", "")),
    "the same program": (ORIGINAL, ORIGINAL, ("fails in both the same way", NO_CUDA), ("same", "")),
    "a move dropped": (
        ORIGINAL,
        GOOD.replace("3).to(device)", "3)"),
        ("newly works on CPU", ""),
        ("newly fails", "RuntimeError: Expected all tensors to be on the same device"),
    ),
    "everything on the CPU": (
        ORIGINAL,
        GOOD.replace(CHOSEN, '"cpu"'),
        ("newly works on CPU", ""),
        ("device differs", "forward of Linear (event 2, before.py:8): cuda:0 became cpu"),
    ),
    "a wrong seed": (
        ORIGINAL,
        GOOD.replace("seed(0)", "seed(1)"),
        ("value differs", "forward of Linear (event 1, before.py:8): the sum"),
        ("value differs", "seed of a device with 0 (event 1, before.py:2) became seed of a device with 1, after.py:2"),
    ),
    "a wrong step": (
        ORIGINAL,
        GOOD.replace("0.1", "0.2"),
        ("value differs", "step of SGD (event 3, before.py:10)"),
        ("value differs", "step of SGD (event 4, before.py:10)"),
    ),
    "more copies": (
        ORIGINAL,
        GOOD + "x.cpu(); x.cpu()\n",
        ("newly works on CPU", ""),
        ("slower by 2 extra copies", "3 became 5; most at"),
    ),
    "an error": (GOOD, GOOD + "1 / 0\n", ("newly fails", "ZeroDivisionError"), ("newly fails", "ZeroDivisionError")),
    "an error everywhere": (
        GOOD + "[][1]\n",
        GOOD + "\n[][1]\n",
        ("fails in both the same way", "IndexError"),
        ("fails in both the same way", "IndexError"),
    ),
    "another error": (GOOD + "[][1]\n", GOOD + "1 / 0\n", ("newly fails", "ZeroDiv"), ("newly fails", "ZeroDiv")),
    "the time": (
        GOOD + "import time\nprint(time.time())\n",
        GOOD.replace("import torch", "import torch, time") + "print(time.time())\n",
        ("same", ""),
        ("same", ""),
    ),
    "a seed of its own": (
        "import torch, os\ntorch.manual_seed(int.from_bytes(os.urandom(4), 'big'))\nx = torch.nn.Linear(2, 2)(torch.ones(2))\n",
        "import torch, os\ntorch.manual_seed(int.from_bytes(os.urandom(4), 'big'))\nx = torch.nn.Linear(2, 2)(torch.ones(2)) + 1\n",
        ("cannot be compared", "the original differs from run to run"),
        ("cannot be compared", "the original differs from run to run"),
    ),
    "a step of a scheduler dropped": (
        SCHEDULED.format(step="scheduler.step()"),
        SCHEDULED.format(step="pass"),
        ("value differs", "2 schedule, "),
        ("value differs", "2 schedule, "),
    ),
    "a checkpoint with other devices": (
        SAVING.format(tensor="net.state_dict()"),
        SAVING.format(tensor="{k: v.cpu() for k, v in net.state_dict().items()}"),
        ("same", ""),
        ("device differs", "before.py:12): cuda:0 became cpu"),
    ),
    "a checkpoint with another number": (
        ORIGINAL + "torch.save({'epoch': 1, 'net': net.state_dict()}, 'a.pt')\n",
        GOOD + "torch.save({'epoch': 2, 'net': net.state_dict()}, 'a.pt')\n",
        ("newly works on CPU", ""),
        ("value differs", "['epoch'] 1 became 2"),
    ),
    "a checkpoint with other keys": (
        ORIGINAL + "torch.save({'net.' + key: value for key, value in net.state_dict().items()}, 'a.pt')\n",
        GOOD + "torch.save(net.state_dict(), 'a.pt')\n",
        ("newly works on CPU", ""),
        ("value differs", "['bias'] is new (and"),
    ),
    "a checkpoint that tells a device and the time": (
        "import time\n" + ORIGINAL + "torch.save({'x': x, 'device': 'cuda', 'time': time.time()}, 'a.pt')\n",
        "import time\n" + GOOD + "torch.save({'x': x, 'device': x.device, 'time': time.time()}, 'a.pt')\n",
        ("newly works on CPU", ""),
        ("same", ""),
    ),
    "a number that is logged": (
        ORIGINAL + "import logging\nlogging.warning('%s: %.3f on %s', __file__, loss, x.device)\n",
        GOOD + "import logging\nlogging.warning('%s: %.3f on %s', __file__, -loss, x.device)\n",
        ("newly works on CPU", ""),
        ("value differs", ""),
    ),
    "a log that tells a place and a device": (
        ORIGINAL + "import logging\nlogging.warning('%s: %.3f on %s', __file__, loss.item(), 'cuda')\n",
        GOOD + "import logging\nlogging.warning('%s: %.3f on %s', __file__, loss.item(), x.device)\n",
        ("newly works on CPU", ""),
        ("same", ""),
    ),
    "another exit code": (
        ORIGINAL + "import sys\nsys.exit(3)\n",
        GOOD + "import sys\nsys.exit(0)\n",
        ("newly works on CPU", ""),
        ("value differs", "the exit code 3 became 0"),
    ),
    "an array with other contents": (
        "import numpy\n" + ORIGINAL + "numpy.save('a.npy', x.cpu().numpy())\n",
        "import numpy\n" + GOOD + "numpy.save('a.npy', x.cpu().numpy() * 2)\n",
        ("newly works on CPU", ""),
        ("value differs", "the file a.npy has other contents"),
    ),
    "a checkpoint of a child on another device": (
        CHILD.format(code="import torch; torch.save(torch.ones(2, device='cuda'), 'a.pt')"),
        CHILD.format(code="import torch; torch.save(torch.ones(2), 'a.pt')"),
        ("newly works on CPU", ""),
        ("value differs", "the file a.pt has other contents"),
    ),
    "a file with other contents": (
        GOOD + "open('log.csv', 'w').write('a,1')\n",
        GOOD + "open('log.csv', 'w').write('a,2')\n",
        ("value differs", "the file log.csv has other contents"),
        ("value differs", "the file log.csv has other contents"),
    ),
    "an extra operator": (
        GOOD,
        GOOD + "y = x + 1\n",
        ("value differs", "1 × add of float32 on cpu besides (first at after.py:12)"),
        ("value differs", "1 × add of float32 on cuda:0 besides (first at after.py:12)"),
    ),
    "gradients where there were none": (
        GOOD + "with torch.no_grad():\n    y = net(x)\n",
        GOOD + "with torch.enable_grad():\n    y = net(x)\n",
        ("value differs", "requires_grad False became True"),
        ("value differs", "requires_grad False became True"),
    ),
    "memory counters": (
        ORIGINAL + "print(torch.cuda.max_memory_allocated())\n",
        GOOD + "z = torch.ones(999, device=device)\nprint(torch.cuda.max_memory_allocated() if z.is_cuda else 0)\n",
        ("newly works on CPU", ""),
        ("same", ""),
    ),
    "memory in mebibytes": (
        ORIGINAL + "print(f'{torch.cuda.memory_allocated() / 2**20:.1f} MiB')\n",
        GOOD + "print(f'{torch.cuda.memory_allocated() / 2**20:.1f} MiB')\n",
        ("newly works on CPU", ""),
        ("same", ""),
    ),
    "what is printed because there is CUDA": (
        ORIGINAL + "if torch.cuda.is_available():\n    print(torch.cuda.get_device_name())\n",
        GOOD + "if torch.cuda.is_available():\n    print(torch.cuda.get_device_name())\n",
        ("newly works on CPU", ""),
        ("same", ""),
    ),
    "what is printed only now because there is CUDA": (
        ORIGINAL + "print(torch.cuda.get_device_name())\n",
        GOOD + "if torch.cuda.is_available():\n    print(torch.cuda.get_device_name())\n",
        ("newly works on CPU", ""),
        ("same", ""),
    ),
    "another number beside memory": (
        ORIGINAL + "print(torch.cuda.memory_allocated(), 3)\n",
        GOOD + "print(torch.cuda.memory_allocated(), 0)\n",
        ("value differs", "3 became 0"),
        ("value differs", "3 became 0"),
    ),
    "a message with the number of a card": (
        "import torch\nx = torch.ones(2, device='cuda')\nraise ValueError(f'card {x.get_device()} is bad')\n",
        f"import torch\nx = torch.ones(2, device={CHOSEN})\nraise ValueError(f'card {{x.get_device()}} is bad')\n",
        ("fails in both the same way", "ValueError"),
        ("fails in both the same way", "ValueError"),
    ),
    "a clock": (
        GOOD + "print('epoch 1 took 0.1 s, 12.5 it/s')\n",
        GOOD + "print('epoch 1 took 0.2 s, 11.5 it/s')\n",
        ("same", ""),
        ("same", ""),
    ),
    "a child that dies for want of CUDA": (
        CHILD.format(code="import torch; torch.ones(1).cuda()"),
        CHILD.format(code="import torch; torch.ones(2).cuda()"),
        ("fails in both the same way", "both for want of CUDA"),
        ("same", ""),
    ),
    "a child that dies for want of CUDA, and nobody asks": (
        "import torch\nx = torch.ones(2).cuda()\n" + CHILD.format(code=CHILD_OF_CUDA).replace(", check=True", ""),
        f"import torch\nx = torch.ones(2).to({CHOSEN})\n"
        + CHILD.format(code=CHILD_OF_CUDA).replace(", check=True", ""),
        (
            "cannot be compared",
            f"for want of CUDA, the rewritten program or a process that it starts prints: {NO_CUDA_ERROR}",
        ),
        ("same", ""),
    ),
    "a child that dies for want of CUDA, and tells nobody but its parent": (
        "import torch\nx = torch.ones(2).cuda()\n" + ASKED_CHILD,
        f"import torch\nx = torch.ones(2).to({CHOSEN})\n" + ASKED_CHILD,
        ("cannot be compared", "for want of CUDA, the rewritten program or a process that it starts"),
        ("same", ""),
    ),
    "a thread that dies for want of CUDA": (
        THREAD.format(device="'cuda'"),
        THREAD.format(device=CHOSEN),
        ("newly works on CPU", ""),
        ("same", ""),
    ),
    "an exit code after the crash": (
        CAUGHT.format(move="x.cuda()"),
        CAUGHT.format(move="x.cuda().to('cuda:0')"),
        ("fails in both the same way", "exits with 3"),
        ("same", ""),
    ),
    "a message with a device and a folder": (
        GOOD + "import os\nraise ValueError(f'cuda:0 in {os.getcwd()} of GPU 0')\n",
        GOOD + "import os\nraise ValueError(f'cpu in {os.getcwd()} of GPU 1')\n",
        ("fails in both the same way", "ValueError"),
        ("fails in both the same way", "ValueError"),
    ),
    "autocast": (
        GOOD.replace("    loss =", "    with torch.autocast('cuda', torch.float16):\n     loss =").replace(
            CHOSEN, '"cuda"'
        ),
        GOOD.replace("    loss =", "    with torch.autocast(device.type, torch.float16):\n     loss ="),
        ("newly works on CPU", ""),
        ("same", ""),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_the_verdicts(name: str, observer: Observer, tmp_path: Path) -> None:
    before, after, on_cpu, simulated = PAIRS[name]
    verdict = verify(observer, task(tmp_path, before, after), ("cpu", "simulated"))
    observer.forget()
    for outcome, (title, detail) in zip(verdict.outcomes, (on_cpu, simulated)):
        assert (outcome.title, detail in outcome.detail) == (title, True), verdict


@needs_positions
def test_devices_that_mix_are_told_with_where_the_tensor_was_made(observer: Observer, tmp_path: Path) -> None:
    mixing = GOOD.replace("3).to(device)", "3)")
    (outcome,) = verify(observer, task(tmp_path, ORIGINAL, mixing), ("simulated",)).outcomes
    assert outcome.detail.endswith("; on the CPU is what was made at after.py:5: torch.randn(4, 3)")


@needs_positions
def test_lines_are_those_of_the_original_where_people_see_only_that(observer: Observer, tmp_path: Path) -> None:
    folders = [tmp_path / "original", tmp_path / "copy"]
    definition = "device = torch.device('cuda')\n"
    mixing = (
        ORIGINAL.replace("import torch\n", f"import torch\n\n{definition}", 1)
        + "torch.ones(3, device=device) + torch.ones(3)\n"
    )
    for folder, text in zip(folders, (ORIGINAL, mixing)):
        (folder / "src").mkdir(parents=True)
        (folder / "src/program.py").write_text(text)
    programs = [
        Program(
            str(one / "src/program.py"), project=str(one), started_in=str(one / "src"), original_project=str(folders[0])
        )
        for one in folders
    ]
    (outcome,) = verify(observer, Task("program", *programs), ("simulated",)).outcomes
    added = mixing.count("\n")
    assert (
        f"(line {added} as rewritten); on the CPU is what was made at program.py:{added} as rewritten" in outcome.detail
    )
    folders[0].joinpath("src/program.py").write_text(f"{ORIGINAL}torch.ones(3).cuda() + torch.ones(3).cuda()\n")
    (outcome,) = verify(observer, Task("program", *programs), ("simulated",)).outcomes
    assert f"(line {added - 2}); on the CPU is what was made at program.py:{added - 2}: torch.ones(3)" in outcome.detail


def task(folder: Path, before: str, after: str) -> Task:
    paths = [folder / "before.py", folder / "after.py"]
    for path, text in zip(paths, (before, after)):
        path.write_text(text)
    return Task(folder.name, *(Program(str(path)) for path in paths))


@needs_positions
def test_devices_that_the_original_mixes_are_told_so_too(observer: Observer, tmp_path: Path) -> None:
    text = "import torch\n\n\ndef mask():\n    return torch.ones(3)\n\n\nm = mask().float().view(3)\n"
    text += "print(m.clone() * torch.ones(3).cuda())\n"
    (outcome,) = verify(observer, task(tmp_path, text, f"{text}# the same\n"), ("simulated",)).outcomes
    assert outcome.title == "fails in both the same way"
    assert outcome.detail.endswith("; on the CPU is what was made at after.py:5: torch.ones(3)")


def test_a_program_must_run_on_the_cpu_exactly_when_it_is_said_to(observer: Observer, tmp_path: Path) -> None:
    still = Task("still", *(Program(str(path)) for path in [tmp_path / "before.py"] * 2), runs_on_cpu=True)
    (tmp_path / "before.py").write_text(ORIGINAL)
    (outcome,) = verify(observer, still, ("cpu",)).outcomes
    assert outcome.word is Word.NEWLY_FAILS and outcome.detail.startswith(
        "still fails on the CPU: RuntimeError: Found no NVIDIA driver"
        if is_cuda_build()
        else "still fails on the CPU: Assertion"
    )


VERDICTS = [
    Verdict(
        "a.py", (Outcome("cpu", Word.NEWLY_WORKS), Outcome("simulated cuda", Word.SLOWER, "1 became 3", (), 2)), 1.5
    ),
    Verdict("b <.py", (Outcome("cpu", Word.DEVICE, "x: cuda:0 became cpu \x00", ("a note",)),)),
    Verdict("c.py", (Outcome("-", Word.UNCOMPARED, "is no script"),)),
]


def test_the_table() -> None:
    assert "\n".join(map(reports.line, VERDICTS)).splitlines() == [
        "ok      a.py: cpu: newly works on CPU; simulated cuda: slower by 2 extra copies",
        "        simulated cuda: 1 became 3",
        "DIFFERS b <.py: cpu: device differs",
        "        cpu: x: cuda:0 became cpu \x00",
        "        cpu: a note",
        "?       c.py: cannot be compared",
        "        is no script",
    ]
    assert reports.summary(VERDICTS) == "1 of 3 hold, 1 differ, 1 cannot be compared."


def test_json_and_junit() -> None:
    loaded = json.loads(reports.as_json(VERDICTS))
    assert [one["holds"] for one in loaded] == [True, False, False]
    assert loaded[0]["settings"][1]["verdict"] == "slower by 2 extra copies"
    root = ElementTree.fromstring(reports.as_junit(VERDICTS))
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("4", "1", "1")
    assert [case.get("name") for case in root.iter("testcase")] == ["cpu", "simulated cuda", "cpu", "-"]


@pytest.mark.parametrize(
    ("verdicts", "code"), [(VERDICTS[:1], 0), (VERDICTS[:2], 1), (VERDICTS, 1), (VERDICTS[2:], 2), ([], 2)]
)
def test_the_exit_code(verdicts: list[Verdict], code: int) -> None:
    assert exit_code(verdicts) == code
