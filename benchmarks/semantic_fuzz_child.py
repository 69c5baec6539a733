"""Runs programs from standard input, on one kind of computer, and writes what each computed: see semantic_fuzz.py."""

from __future__ import annotations

import contextlib
import io
import json
import sys
import warnings

import torch

sys.path.insert(0, ".")  # for tests.support


def main() -> None:
    """Run them all; the argument says where: identity, plain or simulated."""
    mode = sys.argv[1]
    programs = json.load(sys.stdin)
    if mode == "identity":
        from tests.support import identity_cuda

        identity_cuda.install()
        torch.cuda.is_available = lambda: False  # what both must agree about is the plain CPU
        torch.cuda.device_count = lambda: 0
    elif mode == "simulated":
        from devlint.verify import install

        install()
    json.dump([observed(text, with_devices=mode == "simulated") for text in programs], sys.stdout)


def observed(text: str, with_devices: bool) -> str:
    """What a program prints and computes, or the error that it ends with."""
    torch.manual_seed(0)
    out = io.StringIO()
    names: dict[str, object] = {"__name__": "__main__"}
    try:
        with contextlib.redirect_stdout(out), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(text, "<program>", "exec"), names)
    except Exception as error:
        return f"{out.getvalue()}\nraises {type(error).__name__}: {error}"
    said = [out.getvalue()]
    for name, value in sorted(names.items()):
        if isinstance(value, torch.Tensor):
            where = f" on {value.device}" if with_devices else ""
            said.append(f"{name}: {value.dtype} {value.requires_grad} {value.detach().cpu().tolist()}{where}")
        elif isinstance(value, torch.nn.Module) and with_devices:
            said.append(f"{name}: {[str(one.device) for one in value.parameters()]}")
        elif isinstance(value, (int, float, tuple)):
            said.append(f"{name}: {value}")
    return "\n".join(said)


main()
