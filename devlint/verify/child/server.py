"""A server process that imports torch once and forks a child for each program.

Started as ``python -m devlint.verify.child.server [--network]`` in the folder that holds those of all runs; requests
and answers are JSON, one a line.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import json
import os
import sys

from devlint.verify.child.supervise import adopt_orphans, supervise
from devlint.verify.namespaces import can_separate, separate

PRELOADED = ("numpy", "torch", "torch._dynamo", "torch.distributed", "torch.utils.data")
"""Modules that most programs import."""


def main() -> None:
    """Serve requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints is no answer
    adopt_orphans()
    network = "--network" in sys.argv
    if can_separate(network):
        separate((os.getcwd(),), network)
    for name in PRELOADED:
        if importlib.util.find_spec(name.partition(".")[0]) is not None:
            importlib.import_module(name)
    import torch

    torch.set_num_threads(1)
    importlib.import_module("devlint.verify.child.observe")
    gc.collect()
    gc.freeze()
    answers.write(json.dumps({"torch": torch.__version__, "accelerators": _accelerators()}) + "\n")
    answers.flush()
    for line in sys.stdin:
        answers.write(json.dumps(supervise(json.loads(line))) + "\n")
        answers.flush()


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
