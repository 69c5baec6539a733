"""Run devlint and count the lines of Python that run, in devlint and elsewhere: always the same number.

    python benchmarks/speed_count.py FILE check some.py         the two counts are written to FILE, as JSON

What Python's own import machinery does is not counted, for it depends on what is compiled already. LibCST's parser is
native, but for each node it makes it runs an ``__init__`` of Python's, and that is counted.
"""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

Trace = Callable[[FrameType, str, Any], Any] | None


def count(arguments: list[str]) -> dict[str, int]:
    """Run devlint in this process with these arguments."""
    own = other = 0

    def in_devlint(frame: FrameType, event: str, argument: object) -> Trace:
        nonlocal own
        if event == "line":
            own += 1
        return in_devlint

    def elsewhere(frame: FrameType, event: str, argument: object) -> Trace:
        nonlocal other
        if event == "line":
            other += 1
        return elsewhere

    def enter(frame: FrameType, event: str, argument: object) -> Trace:
        if frame.f_code.co_filename.startswith("<frozen"):
            return None
        module = str(frame.f_globals.get("__name__"))
        return in_devlint if module.partition(".")[0] in ("devlint", "__main__") else elsewhere

    sys.argv[1:] = arguments
    sys.settrace(enter)
    try:
        runpy.run_module("devlint", run_name="__main__", alter_sys=True)
    except SystemExit as leaving:
        if leaving.code not in (None, 0, 1):
            raise
    finally:
        sys.settrace(None)
    return {"devlint": own, "libraries": other}


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.write_text(json.dumps(count(sys.argv[2:])), encoding="utf-8")
