"""Tasks that kill workers."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from devlint.fleet.partitions import TEMPORARY, PartitionTask


class DeadlyTask(PartitionTask):
    """Where it writes to is asked by workers only; the process that made it may ask, too."""

    maker: int = 0

    @property
    def output(self) -> str:  # type: ignore[override]
        """Where the tables go."""
        if os.getpid() != self.maker:
            os.kill(os.getpid(), signal.SIGKILL)
        return str(self.__dict__["output"])


class OnceDeadlyTask(PartitionTask):
    """It kills the first worker that asks whether to fix, which is in the middle of a partition."""

    mark: str = ""
    """The file that says that it has done so."""

    @property
    def fixing(self) -> bool:  # type: ignore[override]
        """Whether fixes are made."""
        if any(Path(self.output).glob(f"{TEMPORARY}{self.partition.number:06}-*")) and not Path(self.mark).exists():
            Path(self.mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return bool(self.__dict__["fixing"])
