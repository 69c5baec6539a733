"""A task that kills every worker which begins it."""

from __future__ import annotations

import os
import signal

from devlint.fleet.partitions import PartitionTask


class DeadlyTask(PartitionTask):
    """Where it writes to is asked by workers only; the process that made it may ask, too."""

    maker: int = 0

    @property
    def output(self) -> str:  # type: ignore[override]
        """Where the tables go."""
        if os.getpid() != self.maker:
            os.kill(os.getpid(), signal.SIGKILL)
        return str(self.__dict__["output"])
