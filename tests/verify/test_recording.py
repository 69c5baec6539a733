"""What is recorded of a run: the program's own operations, and values that tell tensors apart."""

from __future__ import annotations

from array import array
from contextlib import closing, nullcontext
from pathlib import Path

import torch

from devlint.verify.child.operator_counter import OperatorCounter
from devlint.verify.child.tensor_values import Values
from tests.support.autograd_threads import backward_at_each_depth


def values(folder: Path, within_tolerance: bool = False) -> closing[Values]:
    return closing(Values(str(folder / "values"), nullcontext, within_tolerance))


def test_what_the_harness_reads_is_not_counted(tmp_path: Path) -> None:
    with values(tmp_path) as log, OperatorCounter() as counter:
        doubled = torch.ones(3) * 2
        log.record(doubled, keep=True)
    assert counter.counts == {"mul float32 cpu": 1}
    assert list(counter.lines.values()) == ["test_recording.py:22"]


def test_operators_are_counted_in_the_threads_of_autograd_too() -> None:
    counters: list[OperatorCounter] = []

    def counter() -> OperatorCounter:
        counters.append(OperatorCounter())
        return counters[-1]

    backward_at_each_depth(torch.cos, counter)
    assert len(counters) > 60
    for each in counters[:-1]:
        assert {"cos float32 cpu", "sin float32 cpu"} <= each.counts.keys()
        assert set(each.lines.values()) == {"autograd_threads.py:39"}


def test_records_tell_tensors_apart(tmp_path: Path) -> None:
    some = [
        torch.tensor([1.0, 2.0]),
        torch.tensor([2.0, 1.0]),
        torch.tensor([0.0, 3.0]),
        torch.tensor([-0.0, 3.0]),
        torch.tensor([float("nan"), 3.0]),
        torch.tensor([1 + 2j]),
    ]
    with values(tmp_path) as log:
        digests = [log.record(tensor)["digest"] for tensor in some]
        assert digests == [log.record(tensor.clone())["digest"] for tensor in some]
    assert len(set(digests)) == len(some) - 1, "a complex number is a pair"


def test_values_are_written_as_they_are(tmp_path: Path) -> None:
    """The memory of what they are converted to must live until then: allocators write into what is free."""
    with values(tmp_path) as log:
        records = [log.record(torch.full((2, 2), 1.5), keep=True) for _ in range(20)]
    written = array("d", (tmp_path / "values").read_bytes())
    assert [record["at"] for record in records] == [32 * number for number in range(20)]
    assert written.tolist() == [1.5] * 80


def test_amounts_are_added_up_only_for_comparisons_within_a_tolerance(tmp_path: Path) -> None:
    for tensor in (torch.tensor([1.0, -2.0]), torch.tensor([1, -2]), torch.tensor([1.0, -2.0]).bfloat16()):
        for wanted, sums in ((False, [-1]), (True, [-1, 3])):
            with values(tmp_path, wanted) as log:
                assert log.record(tensor)["sums"] == sums
