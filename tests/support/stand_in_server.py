"""The server of ``devlint verify`` for which the simulated GPU is a real one.

What is done for a real GPU is done, but for CUDA itself: its setting, the replay of random numbers, the counting of copies.
"""

from __future__ import annotations

import os

from devlint.verify.child import computer, server
from devlint.verify.simulation import child_environment, install

DEVICES = 2
_make_repeatable = computer._make_repeatable


def _make_repeatable_there() -> None:
    install(DEVICES, "separate")
    os.environ.update(child_environment(DEVICES, "separate"))
    _make_repeatable()


if __name__ == "__main__":
    computer._make_repeatable = _make_repeatable_there
    server._accelerators = lambda: ["cuda"]
    server.main()
