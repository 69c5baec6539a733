from __future__ import annotations

import pytest

from devlint.core.target import Target
from tests.support.rule_cases import check, fixed, found, places

CODE = "DEV504"
TEST = "torch.cuda.is_available()"
ACCELERATOR = Target("accelerator", torch_min_version=(2, 6))
PROJECT = Target("project", "get_device()", "from lib import get_device")

SILENT = [
    "launch(x.data_ptr(), torch.cuda.current_stream().cuda_stream)",
    "with torch.cuda.stream(s):\n    pass",
    "if torch.cuda.is_available():\n    s = torch.cuda.Stream()",
    "s = torch.cuda.Stream() if torch.cuda.is_available() else None",
    "s = torch.cuda.Stream() if use_cuda else None",
    "class CudaPrefetcher:\n    def __init__(self):\n        self.stream = torch.cuda.Stream()",
    "def time_cuda(f):\n    start = torch.cuda.Event(enable_timing=True)",
    "def f(s: torch.cuda.Stream) -> torch.cuda.Event: pass",
    "ok = isinstance(s, torch.cuda.Stream)",
    "s = torch.Stream()\ne = torch.Event()",
    "torch.cuda.synchronize()",
    "if x.is_cuda:\n    x.record_stream(torch.cuda.current_stream())",
    "if self.event:\n    torch.cuda.current_stream().wait_event(self.event)",
    "if side is not None:\n    torch.cuda.current_stream().wait_stream(side)",
    "with torch.cuda.stream(s):\n    e = torch.cuda.Event()",
    "if device.type == 'xpu':\n    e = torch.xpu.Event()\nelse:\n    e = torch.cuda.Event()",
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"import torch\n{text}\n") == ()


REPORTED = [
    ("graph = torch.cuda.CUDAGraph()\nwith torch.cuda.graph(graph):\n    y = f(x)", [2]),
    ("with torch.cuda.graph(graph):\n    y = f(x)", [2]),
    ("s = torch.cuda.Stream()\nwith torch.cuda.stream(s):\n    f()\ngraph = torch.cuda.CUDAGraph()", [2, 5]),
    ("f = torch.cuda.make_graphed_callables(f, (x,))", [2]),
    ("streams = [torch.cuda.Stream() for _ in range(2)]", [2]),
    ("s = torch.cuda.current_stream()", [2]),
    ("f(torch.cuda.default_stream())", [2]),
    ("s = torch.cuda.Stream()\nreturned = s", [2]),
    ("s = torch.cuda.Stream()\ns.query()", [2]),
    ("s = torch.cuda.Stream()\nif s.query():\n    pass", [2]),
    ("s = torch.cuda.Stream()\ns = other", [2]),
    ("a = b = torch.cuda.Stream()", [2]),
    ("s = torch.cuda.Stream()\nx = torch.cuda.current_stream()", [2]),
    ("class A:\n    def f(self):\n        self.s = torch.cuda.Stream()\n    def g(self):\n        return self.s", [4]),
    ("class A:\n    def f(self):\n        self.s = torch.cuda.Stream()\n    def g(self):\n        self.s = 1", [4]),
]


@pytest.mark.parametrize(("text", "rows"), REPORTED)
def test_no_fix(text: str, rows: list[int]) -> None:
    assert places(CODE, f"import torch\n{text}\n") == [(row, "none") for row in rows]


ONCE_PER_FUNCTION = [
    ("def time_gpu(f):\n    start = torch.cuda.Event(enable_timing=True)", [3]),
    ("start = torch.cuda.Event(enable_timing=True)", [2]),
    ("start, end = torch.cuda.Event(), torch.cuda.Event()\ntorch.cuda.current_stream().wait_event(end)", [2]),
    ("def f():\n    e = torch.cuda.Event()\ndef g():\n    e = torch.cuda.Event()", [3, 5]),
]


@pytest.mark.parametrize(("text", "rows"), ONCE_PER_FUNCTION)
def test_events_are_reported_once_per_function(text: str, rows: list[int]) -> None:
    assert places(CODE, f"import torch\n{text}\n") == [(row, "safe") for row in rows]


STREAMS = [
    (
        "with torch.cuda.stream(torch.cuda.Stream()):\n    y = x + 1",
        f"with torch.cuda.stream(torch.cuda.Stream() if {TEST} else None):\n    y = x + 1",
    ),
    ("s = torch.cuda.Stream()", f"s = torch.cuda.Stream() if {TEST} else None"),
    (
        "s = torch.cuda.Stream(priority=-1)\nwith torch.cuda.stream(s):\n    y = x + 1\ns.synchronize()",
        f"s = torch.cuda.Stream(priority=-1) if {TEST} else None\nwith torch.cuda.stream(s):\n    y = x + 1\n"
        f"if {TEST}:\n    s.synchronize()",
    ),
    (
        "def f(x):\n    s = torch.cuda.Stream()\n    s.wait_stream(torch.cuda.current_stream())\n"
        "    with torch.cuda.stream(s):\n        y = x + 1\n    torch.cuda.current_stream().wait_stream(s)\n"
        "    y.record_stream(torch.cuda.current_stream())\n    return y",
        f"def f(x):\n    s = torch.cuda.Stream() if {TEST} else None\n    if {TEST}:\n"
        "        s.wait_stream(torch.cuda.current_stream())\n"
        f"    with torch.cuda.stream(s):\n        y = x + 1\n    if {TEST}:\n"
        "        torch.cuda.current_stream().wait_stream(s)\n"
        "        y.record_stream(torch.cuda.current_stream())\n    return y",
    ),
    (
        "class P:\n    def __init__(self):\n        self.stream = torch.cuda.Stream()\n    def load(self):\n"
        "        with torch.cuda.stream(self.stream):\n            self.x = self.x.cuda()\n    def next(self):\n"
        "        torch.cuda.current_stream().wait_stream(self.stream)\n        if self.x is not None:\n"
        "            self.x.record_stream(torch.cuda.current_stream())",
        f"class P:\n    def __init__(self):\n        self.stream = torch.cuda.Stream() if {TEST} else None\n"
        "    def load(self):\n"
        "        with torch.cuda.stream(self.stream):\n            self.x = self.x.cuda()\n    def next(self):\n"
        f"        if {TEST}:\n            torch.cuda.current_stream().wait_stream(self.stream)\n"
        f"        if self.x is not None and {TEST}:\n"
        "            self.x.record_stream(torch.cuda.current_stream())",
    ),
]


@pytest.mark.parametrize(("before", "after"), STREAMS)
def test_streams(before: str, after: str) -> None:
    check(CODE, f"import torch\n{before}\n", f"import torch\n{after}\n", "safe")
    check(CODE, f"import torch\n{before}\n", f"import torch\n{after}\n", "safe", target=PROJECT)
    assert {kind for _, kind in places(CODE, f"import torch\n{before}\n", ACCELERATOR)} == {"unsafe"}


def test_a_function_for_cuda_that_the_program_calls_anyway() -> None:
    before = (
        "import torch\ndef record_cuda(x):\n    x.record_stream(torch.cuda.current_stream())\n"
        "s = torch.cuda.Stream()\nrecord_cuda(x)\n"
    )
    after = before.replace("    x.rec", f"    if {TEST}:\n        x.rec").replace(
        "Stream()", f"Stream() if {TEST} else None"
    )
    check(CODE, before, after, "safe")
    used = before.replace("x.record_stream", "return f")
    assert [kind for _, kind in places(CODE, used)] == ["none"]


def test_two_streams() -> None:
    before = (
        "import torch\na = torch.cuda.Stream()\nb = torch.cuda.Stream()\na.wait_stream(torch.cuda.current_stream())\n"
        "b.wait_stream(a)\ntorch.cuda.current_stream().wait_stream(b)\n"
    )
    after = (
        f"import torch\na = torch.cuda.Stream() if {TEST} else None\nb = torch.cuda.Stream() if {TEST} else None\n"
        f"if {TEST}:\n    a.wait_stream(torch.cuda.current_stream())\n    b.wait_stream(a)\n"
        "    torch.cuda.current_stream().wait_stream(b)\n"
    )
    check(CODE, before, after, "safe", "safe")


CURRENT = [
    ("torch.cuda.current_stream().synchronize()", f"if {TEST}:\n    torch.cuda.current_stream().synchronize()"),
    ("torch.cuda.current_stream().wait_stream(s)", f"if {TEST}:\n    torch.cuda.current_stream().wait_stream(s)"),
    (
        "x.record_stream(torch.cuda.current_stream())",
        f"if {TEST}:\n    x.record_stream(torch.cuda.current_stream())",
    ),
]


@pytest.mark.parametrize(("before", "after"), CURRENT)
def test_the_current_stream(before: str, after: str) -> None:
    check(CODE, f"import torch\n{before}\n", f"import torch\n{after}\n", "safe")


def test_other_names_of_torch() -> None:
    check(
        CODE,
        "from torch.cuda import Stream\ns = Stream()\n",
        f"import torch\nfrom torch.cuda import Stream\ns = Stream() if {TEST} else None\n",
        "safe",
    )


def test_what_dev501_finds_is_not_found_again() -> None:
    text = "import torch\ns = torch.cuda.Stream()\ntorch.cuda.synchronize()\nprint(torch.cuda.current_stream())\n"
    assert [one.location.row for one in found("DEV501", text)] == [3]
    assert [one.location.row for one in found(CODE, text)] == [2]


EVENT = "torch.cuda.Event(enable_timing=True)"
EVENTS = [
    (
        f"def f():\n    a = {EVENT}\n    b = {EVENT}\n    a.record()\n    net()\n    b.record()\n"
        "    torch.cuda.synchronize()\n    return a.elapsed_time(b) / 1000\n",
        f"def f():\n    if {TEST}:\n        a = {EVENT}\n        b = {EVENT}\n        a.record()\n    net()\n"
        f"    if {TEST}:\n        b.record()\n        torch.cuda.synchronize()\n"
        f"    return a.elapsed_time(b) / 1000 if {TEST} else torch.nan\n",
    ),
    (
        f"try:\n    a = {EVENT}\n    a.record()\nexcept Exception as e:\n    print(name, e)\n    raise e\n",
        f"try:\n    if {TEST}:\n        a = {EVENT}\n        a.record()\nexcept Exception as e:\n    print(name, e)\n"
        "    raise e\n",
    ),
    (
        f"for one in range(3):\n    a, b = {EVENT}, {EVENT}\n    a.record()\n    net()\n    b.record()\n"
        "    total += 1e-3 * a.elapsed_time(b)\n",
        f"for one in range(3):\n    if {TEST}:\n        a, b = {EVENT}, {EVENT}\n        a.record()\n    net()\n"
        f"    if {TEST}:\n        b.record()\n    total += 1e-3 * a.elapsed_time(b) if {TEST} else torch.nan\n",
    ),
    (
        f"def f(x):\n    if x:\n        a = {EVENT}\n        a.record()\n    else:\n        net()\n"
        f"        a = {EVENT}\n        a.record()\n",
        f"def f(x):\n    if x:\n        if {TEST}:\n            a = {EVENT}\n            a.record()\n    else:\n"
        f"        net()\n        if {TEST}:\n            a = {EVENT}\n            a.record()\n",
    ),
    (
        f"def f():\n    a = {EVENT}\n    a.record()\n    if torch.cuda.is_available():\n        a.record()\n",
        f"def f():\n    a = {EVENT} if {TEST} else None\n    if {TEST}:\n        a.record()\n"
        f"    if {TEST}:\n        a.record()\n",
    ),
    (
        f"def f():\n    a = {EVENT}\n    a.record()\n    return [a.elapsed_time(a) for _ in range(2)]\n",
        f"def f():\n    a = {EVENT} if {TEST} else None\n    if {TEST}:\n        a.record()\n"
        f"    return [(a.elapsed_time(a) if {TEST} else torch.nan) for _ in range(2)]\n",
    ),
    (
        f"def f(timed):\n    if timed:\n        a = {EVENT}\n        a.record()\n    net()\n"
        "    if timed:\n        a.record()\n",
        f"def f(timed):\n    if timed:\n        a = {EVENT} if {TEST} else None\n        if {TEST}:\n"
        f"            a.record()\n    net()\n    if timed and {TEST}:\n        a.record()\n",
    ),
    (
        f"def f():\n    a = {EVENT}\n    b = {EVENT}\n    net()\n    a.record()\n    return n / a.elapsed_time(b)\n",
        f"def f():\n    if {TEST}:\n        a = {EVENT}\n        b = {EVENT}\n    net()\n"
        f"    if {TEST}:\n        a.record()\n    return n / (a.elapsed_time(b) if {TEST} else torch.nan)\n",
    ),
    (
        f"def f():\n    a, b = {EVENT}, {EVENT}\n    total = 0\n    def stop():\n        nonlocal total\n"
        "        b.record(torch.cuda.current_stream())\n        b.synchronize()\n        total += a.elapsed_time(b)\n",
        f"def f():\n    a, b = {EVENT} if {TEST} else None, {EVENT} if {TEST} else None\n    total = 0\n"
        f"    def stop():\n        nonlocal total\n        if {TEST}:\n"
        "            b.record(torch.cuda.current_stream())\n            b.synchronize()\n"
        f"        total += a.elapsed_time(b) if {TEST} else torch.nan\n",
    ),
    (
        "class Timer:\n    def __init__(self):\n        self.a = torch.cuda.Event()\n        self.b = None\n"
        "    def start(self):\n        self.a.record()\n",
        f"class Timer:\n    def __init__(self):\n        self.a = torch.cuda.Event() if {TEST} else None\n"
        f"        self.b = None\n    def start(self):\n        if {TEST}:\n            self.a.record()\n",
    ),
    (
        "e = torch.cuda.Event()\ns = torch.cuda.Stream()\ns.record_event(e)\ne.wait()\n",
        f"e = torch.cuda.Event() if {TEST} else None\ns = torch.cuda.Stream() if {TEST} else None\n"
        f"if {TEST}:\n    s.record_event(e)\n    e.wait()\n",
    ),
    (
        f"a = b = None\na, b = {EVENT}, {EVENT}\na.record()\nif torch.cuda.is_available():\n"
        "    print(a.elapsed_time(b))\n",
        f"a = b = None\na, b = {EVENT} if {TEST} else None, {EVENT} if {TEST} else None\n"
        f"if {TEST}:\n    a.record()\nif torch.cuda.is_available():\n    print(a.elapsed_time(b))\n",
    ),
]


@pytest.mark.parametrize(("before", "after"), EVENTS)
def test_events(before: str, after: str) -> None:
    assert fixed(CODE, f"import torch\n{before}", unsafe=False) == f"import torch\n{after}"


@pytest.mark.parametrize(
    "text",
    [
        "e = torch.cuda.Event()\nwait(e)",
        "events = [torch.cuda.Event() for _ in range(2)]",
        "e = torch.cuda.Event()\nwhile not e.query():\n    pass",
        "e = torch.cuda.Event()\nx = e.record()",
        "e = torch.cuda.Event()\ne.record()\ng = torch.cuda.CUDAGraph()",
        "def f():\n    e = torch.cuda.Event()\n    e.record()\n    s = torch.cuda.Stream()\n    return s",
        "def f():\n    e = torch.cuda.Event()\n    e.record()\n    return torch.cuda.current_stream()",
        "a = torch.cuda.Event()\nb = torch.cuda.Event()\nt = int(a.elapsed_time(b))",
        "a = torch.cuda.Event()\na = find()\na.record()",
        "class A:\n    def f(self):\n        self.a = torch.cuda.Event()\n        self.a.record()\n"
        "    def g(self):\n        self.a = find()",
        "e = torch.cuda.Event()\ne.record(s := find())",
        "def f():\n    e = torch.cuda.Event()\n    e.record()\n    dist.init_process_group('nccl')",
    ],
)
def test_events_that_the_program_cannot_do_without(text: str) -> None:
    before = f"import torch\nimport torch.distributed as dist\n{text}\n"
    assert fixed(CODE, before, unsafe=False).count(f"Event() if {TEST}") == 0


EVENTS = "a = torch.cuda.Event()\nb = torch.cuda.Event()\n"


@pytest.mark.parametrize(
    "text",
    [
        "t = a.elapsed_time(b)\nprint(round(t))",
        "t = a.elapsed_time(b) / 1000\nrate = 1 / t\nfor _ in range(int(rate)):\n    pass",
        "total += a.elapsed_time(b)\ncount = int(total)",
        "times.append(a.elapsed_time(b))\nx = int(sum(times) / len(times))",
        "times['x'] = a.elapsed_time(b)\nfor name, one in times.items():\n    print('%s %d' % (name, one))",
        "t, n = a.elapsed_time(b), 3\nx = math.ceil(t)",
        "print('%d' % a.elapsed_time(b))",
        "x = [int(one) for one in [a.elapsed_time(b)] for one in [one]]",
    ],
)
def test_a_time_that_becomes_a_whole_number(text: str) -> None:
    before = f"import math\nimport torch\n{EVENTS}{text}\n"
    assert fixed(CODE, before, unsafe=False) == before


@pytest.mark.parametrize("text", ["t = a.elapsed_time(b)\nx = int(n)", "t = a.elapsed_time(b)\nprint('%.2f' % t)"])
def test_a_time_that_stays_one(text: str) -> None:
    assert f"a.elapsed_time(b) if {TEST} else" in fixed(CODE, f"import torch\n{EVENTS}{text}\n", unsafe=False)


ANY = Target("accelerator", torch_min_version=(2, 10))
TIMED = [
    "start = torch.cuda.Event(enable_timing=True)\nend = torch.cuda.Event(enable_timing=True)\nstart.record()\nnet()\nend.record()\nend.synchronize()\nprint(start.elapsed_time(end))",
    "a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)\na.record(); b.record()\nt = a.elapsed_time(b)",
    "class Timer:\n    def __init__(self):\n        self.start = torch.cuda.Event()\n    def __enter__(self):\n        self.start.record()",
    "def f():\n    e = torch.cuda.Event(blocking=True)\n    while not e.query():\n        pass",
]  # fmt: skip
HANDED_ON = [
    "e = torch.cuda.Event(True)\ne.record()",
    "e = torch.cuda.Event()\ne.record(stream)",
    "e = torch.cuda.Event()\nwait(e)",
    "events = [torch.cuda.Event() for _ in range(2)]",
    "e = torch.cuda.Event()\ne.wait()",
    "e = torch.cuda.Event()\ne.record()\ng = torch.cuda.CUDAGraph()",
    "e = torch.cuda.Event()\nf = torch.cuda.Event()\ne.record()\nuse(f)",
]


@pytest.mark.parametrize("text", TIMED)
def test_events_that_take_the_time_are_those_of_any_accelerator(text: str) -> None:
    after = text.replace("torch.cuda.Event", "torch.Event")
    assert fixed(CODE, f"import torch\n{text}\n", target=ANY) == f"import torch\n{after}\n"
    assert fixed(CODE, f"import torch\n{text}\n", unsafe=False, target=ANY) == f"import torch\n{text}\n"


@pytest.mark.parametrize("text", HANDED_ON)
def test_events_for_streams_or_for_others_stay(text: str) -> None:
    assert fixed(CODE, f"import torch\n{text}\n", target=ANY) == f"import torch\n{text}\n"


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("def f(x, group):\n    group.broadcast(x, src=0, stream=torch.cuda.current_stream())", []),
        ("def f(x, group):\n    run(x, stream=torch.cuda.current_stream())", [3]),
        ("def f():\n    s = torch.cuda.Stream()\n    g = torch.cuda.CUDAGraph()", [4]),
        ("def f():\n    s = torch.cuda.Stream()\n\ndef h():\n    g = torch.cuda.CUDAGraph()", [3, 6]),
        ("def f(engine):\n    c = engine.create_execution_context()\n    s = torch.cuda.Stream()", []),
    ],
)
def test_what_only_cuda_takes(text: str, rows: list[int]) -> None:
    assert [row for row, _ in places(CODE, f"import torch\n{text}\n")] == rows


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("def f(t=True):\n    t = t and torch.cuda.is_available()\n    if t:\n        e = torch.cuda.Event()", []),
        ("def f(t=True):\n    if t:\n        e = torch.cuda.Event()\n    t = t and torch.cuda.is_available()", [4]),
        ("def f(t=True):\n    t = t or torch.cuda.is_available()\n    if t:\n        e = torch.cuda.Event()", [5]),
        (
            "def f(t, u):\n    t = t and torch.cuda.is_available()\n    if u:\n        t = u\n    if t:\n"
            "        e = torch.cuda.Event()",
            [7],
        ),
    ],
)
def test_a_parameter_that_is_narrowed(text: str, rows: list[int]) -> None:
    assert [row for row, _ in places(CODE, f"import torch\n{text}\n")] == rows
