"""Pauses the cyclic garbage collector while a file is parsed and analyzed."""

from __future__ import annotations

import gc


class _Pause:
    """The collector rests in its block, and works again after it if it did before."""

    # A class, since ``contextlib`` takes a look at a clean file longer than the look itself.

    def __enter__(self) -> None:
        self._was_enabled = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._was_enabled:
            gc.enable()


def gc_paused() -> _Pause:
    """Pause the collector: a syntax tree is many objects without cycles, and each collection visits all new ones."""
    return _Pause()
