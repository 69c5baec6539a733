"""A server process that imports torch once and forks a child for each program.

Started as ``python -m devlint.verify.child.server [--network]`` in the folder that holds those of all runs; requests
and answers are JSON, one a line. A request is a program with the number of its run, ``{"cancel": number}`` or, as the
last one, ``{"end": true}``.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import sys
from collections.abc import Iterator
from typing import Any

from devlint.verify.child.preloading import preload, preload_for
from devlint.verify.child.supervise import adopt_orphans
from devlint.verify.child.watchers import Watchers
from devlint.verify.namespaces import can_have_own_network, can_separate, separate

_GLANCE = 0.1
"""Seconds between two looks for watchers that have ended."""


def main() -> None:
    """Serve requests until standard input ends."""
    answers = os.dup(1)
    os.dup2(2, 1)  # whatever a library prints is no answer
    adopt_orphans()
    network = "--network" in sys.argv
    if can_separate(network):
        separate((os.getcwd(),), network)
    watchers = Watchers(answers, not network and can_have_own_network())
    preload()
    import torch

    torch.set_num_threads(1)
    importlib.import_module("devlint.verify.child.observe")
    gc.collect()
    gc.freeze()
    watchers.answer({"torch": torch.__version__, "accelerators": _accelerators()})
    for request in _requests(watchers):
        if "end" in request:
            break
        if "cancel" in request:
            watchers.cancel(request["cancel"])
        else:
            preload_for(request["program"])
            watchers.start(request)
    watchers.end()


def _requests(watchers: Watchers) -> Iterator[dict[str, Any]]:
    """The requests from standard input, until it ends."""
    text = b""
    while True:
        if select.select([0], [], [], _GLANCE if watchers.are_busy else None)[0]:
            more = os.read(0, 1 << 16)
            if not more:
                return
            *lines, text = (text + more).split(b"\n")
            yield from map(json.loads, lines)
        watchers.collect()


def _accelerators() -> list[str]:
    """The real accelerators of this computer, asked in a child because asking may initialise one."""
    import torch

    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        found = [name for name in ("cuda", "xpu") if hasattr(torch, name) and getattr(torch, name).is_available()]
        if torch.backends.mps.is_available():
            found.append("mps")
        os.write(writer, json.dumps(found).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return [str(name) for name in json.loads(text or b"[]")]


if __name__ == "__main__":
    main()
