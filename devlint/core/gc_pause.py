"""Python's search for objects that hold each other in circles, put off while there is a tree."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_search() -> Iterator[None]:
    """Not to search: a tree is many objects, none of them in a circle, and each search looks at all that are new."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
