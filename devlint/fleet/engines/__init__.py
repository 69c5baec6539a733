"""Who does the partitions of a run: processes of this computer, Ray or Spark. All do the same with each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from devlint.fleet.partitions import PartitionOutcome, PartitionTask

Engine = Callable[[Sequence[PartitionTask], int], Iterator[PartitionOutcome]]
"""Does tasks by so many workers, and says what has become of each, in any order."""
ATTEMPTS = 3
"""How often a partition is begun whose worker dies on it."""
DIED = f"the worker died on it, {ATTEMPTS} times"
