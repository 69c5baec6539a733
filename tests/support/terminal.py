"""What programs in a real terminal need."""

from __future__ import annotations

import signal


def hear_interrupts() -> None:
    """Let Ctrl-C end this process, even if the tests run in the background, where a shell has it ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
