"""What counts as the same, and what is said of what is not."""

from __future__ import annotations

import array
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from devlint.verify.comparing.differences import differences
from devlint.verify.comparing.memory_amounts import without_counters
from devlint.verify.comparing.observation import Observation
from devlint.verify.comparing.printed_output import Leniency, differing_lines
from devlint.verify.comparing.strictness import Strictness
from devlint.verify.comparing.tolerance import Tolerance, first_difference
from devlint.verify.program import CPU, SIMULATED, Limits, Program

EXACT = Strictness(placement=True)
ACROSS = Strictness(across_devices=True)
NEAR = Strictness(across_devices=True, tolerance_factor=100)


def told(before: str, after: str, across_devices: bool = False, tolerance: float = 0.0) -> list[str]:
    return [text for _, text in differing_lines(before, after, Leniency(across_devices, tolerance))]


@pytest.mark.parametrize(
    ("before", "after", "across_devices", "tolerance"),
    [
        ("loss 1.25\n", "loss  1.25\n", False, 0),
        ("on cuda:0\n", "on cuda\n", False, 0),
        ("on cuda:0\n", "on cpu\n", True, 0),
        ("tensor([1.], device='cuda:0')\n", "tensor([1.])\n", True, 0),
        ("tensor([1.,\n        2.], device='cuda:0')\nend\n", "tensor([1., 2.])\nend\n", True, 0),
        ("torch.cuda.FloatTensor\n", "torch.FloatTensor\n", True, 0),
        ("loss 1.2501\n", "loss 1.2502\n", True, 1e-4),
        ("loss nan, -inf\n", "loss nan, -inf\n", True, 1e-4),
        ("1e-05 of 3\n", "2e-05 of 3\n", True, 1e-2),
    ],
)
def test_text_that_is_the_same(before: str, after: str, across_devices: bool, tolerance: float) -> None:
    assert told(before, after, across_devices, tolerance) == []


@pytest.mark.parametrize(
    ("before", "after", "across_devices", "tolerance", "said"),
    [
        ("on cuda:1\n", "on cuda:0\n", False, 0, "'on cuda:1' became 'on cuda'"),
        ("on cuda:0\n", "on cpu\n", False, 0, "'on cuda' became 'on cpu'"),
        ("loss 1.25\n", "loss 1.26\n", False, 0, "1.25 became 1.26 in 'loss 1.25'"),
        ("loss 1.2500\n", "loss 1.2600\n", True, 1e-4, "1.2500 became 1.2600 in 'loss 1.2500'"),
        ("loss 1.0\n", "loss nan\n", True, 1e-4, "1.0 became nan in 'loss 1.0'"),
        ("a\nb\n", "a\n", True, 0, "'b' is printed no more"),
        ("a\n", "a\nb\n", False, 0, "'b' is printed besides"),
        ("epoch 1\n", "step 1\n", True, 1, "'epoch 1' became 'step 1'"),
    ],
)
def test_text_that_is_not(before: str, after: str, across_devices: bool, tolerance: float, said: str) -> None:
    assert told(before, after, across_devices, tolerance) == [said]


def test_every_line_is_told_with_its_number() -> None:
    assert [number for number, _ in differing_lines("1\n2\n3\n", "1\n5\n6\n", Leniency())] == [2, 3]


@pytest.mark.parametrize(
    ("before", "after", "fewer"),
    [
        ("mem 67108864, 64.0 MiB, 64MB", "mem 0, 0.0 MiB, 0MB", ("mem 0, 0.0 MiB, 0MB",) * 2),
        ("loss 0.5 max mem: 64", "loss 0.5", ("loss 0.5",) * 2),
        ("a 64MB of memory b", "a b", ("a b",) * 2),
        ("loss 0.5 lr: 1", "loss 0.5", ("loss 0.5 lr: 1", "loss 0.5")),
        ("loss 0.5 max mem: 64", "loss 0.6", ("loss 0.5 max mem: 0", "loss 0.6")),
        ("v64 64x", "v64", ("v64 64x", "v64")),
    ],
)
def test_what_counters_of_memory_say_is_not_compared(before: str, after: str, fewer: tuple[str, str]) -> None:
    assert without_counters(before, after) == fewer


def test_lines_that_are_left_out_keep_the_numbers_of_the_others() -> None:
    allowed = Leniency(across=True, left_out=(["on cuda:0", "gone"], ["other"]))
    assert list(differing_lines("on cuda\n1\ngone\n2\ngone\n", "1\nother\n3\n", allowed)) == [
        (4, "2 became 3 in '2'"),
        (5, "'gone' is printed no more"),
    ]


def test_numbers_within_the_tolerance_of_their_type() -> None:
    assert Tolerance.of("float32", 0) == Tolerance() == Tolerance.of("int64", 100)
    assert Tolerance.of("float32", 1).allows(1.0, 1.00001) and not Tolerance.of("float32", 1).allows(1.0, 1.0001)
    assert Tolerance.of("bfloat16", 1).allows(1.0, 1.01) and Tolerance().allows(float("nan"), float("nan"))
    assert Tolerance().allows(0.0, -0.0) and not Tolerance.of("float32", 1).allows(1.0, float("nan"))


def test_the_first_difference_says_where_and_by_how_much() -> None:
    old, new = array.array("d", [1, 2, 3, 4, 5, 6]), array.array("d", [1, 2, 3, 4, 5.5, 7])
    assert first_difference(old, old, [2, 3], Tolerance()) is None
    assert first_difference(old, new, [2, 3], Tolerance(0.0, 0.75)) == (
        "6 became 7 at [1, 2], by 1 (allowed: 0.75 + 0 × the value)"
    )
    assert first_difference(old, new, [2, 3], Tolerance()) == (
        "5 became 5.5 at [1, 1], by 0.5 (none allowed), one of 2 of 6"
    )


def tensor(number: float = 1.0, **more: Any) -> dict[str, Any]:
    sums = {"digest": repr(number), "sums": [number, abs(number)]}
    return {"type": "tensor", "shape": [], "dtype": "float32", "device": "cuda:0", **sums, **more}


def seen(stdout: str = "", on_cpu: bool = False, values: tuple[float, ...] = (), **data: Any) -> Observation:
    data.setdefault("ending", {"kind": "ok", "code": 0})
    raw = array.array("d", values).tobytes()
    return Observation(
        Program("/p/x.py"), CPU if on_cpu else SIMULATED, Limits(), 0, None, 0.1, stdout, "", (), data, raw
    )


def words(before: Observation, after: Observation, strict: Strictness) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in differences(before, after, strict)]


def state(**values: dict[str, Any]) -> Observation:
    return seen(state=values)


def plain(kind: str, value: object) -> dict[str, Any]:
    return {"type": kind, "value": repr(value)}


@pytest.mark.parametrize(
    ("before", "after", "strict"),
    [
        (state(x=tensor()), state(x=tensor(), device=plain("str", "cuda")), EXACT),
        (state(x=tensor()), state(x=tensor(device="cpu")), ACROSS),
        (state(x=tensor(1.0)), state(x=tensor(1.0001)), NEAR),
        (state(pin=plain("bool", True)), state(pin=plain("bool", False)), EXACT),
        (state(n=plain("int", 2)), state(n=plain("int", 0)), ACROSS),
        (state(**{"net.w.grad": tensor(1.0)}), state(**{"net.w.grad": tensor(2.0)}), ACROSS),
        (state(**{"net.module.w": tensor(1.0)}), state(**{"net.w": tensor(1.0)}), ACROSS),
        (state(name=plain("str", "cuda:0")), state(name=plain("str", "cuda")), EXACT),
        (state(use=plain("bool", True)), state(), EXACT),
        (state(share=plain("float", 0.5)), state(), EXACT),
        (state(**{"cards[1]": plain("int", 1)}), state(), EXACT),
        (state(**{"gibibytes[0]": plain("float", 0.5)}), state(), ACROSS),  # counted where there is a GPU
        (seen(random={"torch": "a", "numpy": "b"}), seen(random={"torch": "a"}), EXACT),
        (seen(copies={"h2d": 1}), seen(copies={"h2d": 9}), EXACT),
        (seen(operators={"mm float32 cuda:0": 2}), seen(operators={"mm float32 cpu": 2}), ACROSS),
        (seen("from /p/x.py\n"), seen("from /p/x.py\n"), EXACT),
        (
            seen(events=[["forward", "DataParallel", []], ["step", "SGD", []]]),
            seen(events=[["forward", "Linear", []], ["step", "SGD", []]]),
            ACROSS,
        ),
    ],
)
def test_what_is_the_same(before: Observation, after: Observation, strict: Strictness) -> None:
    assert words(before, after, strict) == []


STEP = ["step", "SGD", [tensor(2.0)]]


@pytest.mark.parametrize(
    ("before", "after", "strict", "kind", "text"),
    [
        (state(x=tensor()), state(x=tensor(device="cpu")), EXACT, "device", "x: cuda:0 became cpu"),
        (state(x=tensor()), state(), EXACT, "value", "x is no more"),
        (state(**{"losses[1]": plain("float", 0.5)}), state(), EXACT, "value", "losses[1] is no more"),
        (
            state(**{"net.w.grad": tensor(1.0)}),
            state(**{"net.w.grad": tensor(2.0)}),
            EXACT,
            "value",
            "net.w.grad: the sum 1 became 2, by 1 (none allowed)",
        ),
        (state(x=tensor()), state(x=tensor(dtype="float64")), EXACT, "value", "x: type float32 became float64"),
        (state(x=tensor()), state(x=tensor(shape=[1])), ACROSS, "value", "x: shape [] became [1]"),
        (state(n=plain("int", 2)), state(n=plain("int", 3)), EXACT, "value", "n: 2 became 3"),
        (
            state(f=plain("float", 2.0)),
            state(f=plain("float", 2.5)),
            ACROSS,
            "value",
            "f: 2 became 2.5, by 0.5 (none allowed)",
        ),
        (
            seen(events=[STEP], count=1),
            seen(events=[["step", "SGD", [tensor(2.5)]]], count=1),
            EXACT,
            "value",
            "step of SGD (event 1): the sum 2 became 2.5, by 0.5 (none allowed)",
        ),
        (
            seen(events=[STEP, STEP], count=2),
            seen(events=[STEP], count=1),
            ACROSS,
            "steps",
            "2 step became 1 step",
        ),
        (
            seen(random={"torch": "a"}),
            seen(random={"torch": "b"}),
            EXACT,
            "random",
            "the generator of random numbers (torch) ends in another state",
        ),
        (
            state(g=plain("generator", "a")),
            state(g=plain("generator", "b")),
            ACROSS,
            "random",
            "the generator of random numbers g ends in another state",
        ),
        (seen(files=["a"]), seen(files=["b"]), ACROSS, "files", "the file a is no more"),
        (
            seen(operators={"mm float32 cuda:0": 2}),
            seen(operators={"mm float32 cpu": 2}),
            EXACT,
            "device",
            "2 of 2 × mm of float32 on cuda:0 became float32 on cpu",
        ),
        (
            seen(operators={"mm float32 cuda:0": 2}),
            seen(operators={"mm float64 cuda:0": 2}),
            EXACT,
            "value",
            "2 of 2 × mm of float32 on cuda:0 became float64 on cuda:0",
        ),
        (seen("1\n"), seen("2\n"), EXACT, "output", "line 1 of the output: 1 became 2 in '1'"),
    ],
)
def test_what_is_not(before: Observation, after: Observation, strict: Strictness, kind: str, text: str) -> None:
    assert words(before, after, strict)[0] == (kind, text)


def test_kept_numbers_say_where() -> None:
    record = tensor(shape=[2], at=0, kind="d", length=2)
    before = seen(state={"x": record}, values=(1.0, 2.0))
    after = seen(state={"x": {**record, "digest": "other"}}, values=(1.0, 3.0))
    assert words(before, after, EXACT) == [("value", "x: 2 became 3 at [1], by 1 (none allowed)")]


def test_variables_are_named_with_the_line_that_has_last_set_them(tmp_path: Path) -> None:
    path = tmp_path / "p.py"
    path.write_text("net = x = 1\nfor x in (2, 3):\n    pass\ndef f():\n    x = 4\nclass C:\n    x = 5\n")
    before, after = (seen(state={"x": plain("int", n), "net.a": plain("int", n), "y": plain("int", n)}) for n in (2, 3))
    known, driven = (replace(before, program=Program(str(path), driver=driver)) for driver in (None, "d.py"))
    lines = ["x (set at p.py:2): 2 became 3", "net.a (set at p.py:1): 2 became 3", "y: 2 became 3"]
    assert [text for _, text in words(known, after, EXACT)] == lines
    states = ({f"program.{name}": value for name, value in one.state.items()} for one in (before, after))
    told, changed = (replace(driven, data={"state": state}) for state in states)
    assert [text for _, text in words(told, changed, EXACT)] == [f"program.{line}" for line in lines]


@pytest.mark.parametrize("told", ["/p/x.py", "/p", "/p/data/a.pt", "/copy/1/x.py", "/copy/1", "/copy/1/data/a.pt"])
def test_a_copy_may_name_the_place_of_the_original(told: str) -> None:
    copy = Program("/copy/1/x.py", project="/copy/1", original_project="/p")
    after = replace(seen(f"{told}\n", state={"x": plain("str", told)}), program=copy)
    original = told.replace("/copy/1", "/p")
    before = replace(
        seen(f"{original}\n", state={"x": plain("str", original)}), program=Program("/p/x.py", project="/p")
    )
    assert words(before, after, EXACT) == []
    assert after.without_paths("/elsewhere/a.pt") == "/elsewhere/a.pt"


def test_places_that_are_known_to_differ_are_left_out() -> None:
    strict = Strictness(not_compared=frozenset({"line 1 of the output", "t"}))
    assert words(seen("1\n", state={"t": plain("float", 1)}), seen("2\n", state={"t": plain("float", 2)}), strict) == []
