"""Programs in a real terminal."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def in_terminal(command: list[str], folder: Path, environment: Mapping[str, str]) -> Any:
    """Python with this command line, started in a terminal of 40 rows and 120 columns."""
    import pexpect

    return pexpect.spawn(
        sys.executable,
        command,
        cwd=str(folder),
        env=environment,
        encoding="utf-8",
        timeout=300,
        dimensions=(40, 120),
        preexec_fn=_hear_interrupts,
    )


def _hear_interrupts() -> None:
    """Let Ctrl-C end this process, even if the tests run in the background, where a shell has it ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
