"""Tests a dozen operators on the device against the CPU; if one is wrong, nothing is simulated."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch

_C: Any = torch._C


def run_self_test() -> None:
    """Run the tests; raises an error that names the first that is wrong."""
    state = torch.get_rng_state()
    initialised = torch.cuda._initialized
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, try_it in _TRIALS.items():
            try:
                right = try_it()
            except Exception as error:
                problem = f"{type(error).__name__}: {error}".splitlines()[0]
                raise RuntimeError(f"{name} raised {problem}") from error
            if not right:
                raise RuntimeError(f"{name} is wrong")
    torch.set_rng_state(state)
    torch.cuda._initialized = initialised


def _same(on_device: torch.Tensor, on_cpu: torch.Tensor) -> bool:
    return on_device.is_cuda and not on_cpu.is_cuda and torch.equal(on_device.cpu(), on_cpu)


def _values() -> torch.Tensor:
    return torch.arange(1.0, 13.0).reshape(3, 4) / 7


def _raises(function: Callable[[], Any]) -> bool:
    try:
        function()
    except (RuntimeError, TypeError):
        return True
    return False


def _network(device: str) -> torch.Tensor:
    """A small network, forward and backward."""
    torch.default_generator.manual_seed(0)
    net: Any = torch.nn.Sequential(
        torch.nn.Conv2d(1, 3, 2), torch.nn.BatchNorm2d(3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(18, 4)
    ).to(device)
    with torch.no_grad():
        output = torch.nn.functional.log_softmax(net(_values().reshape(1, 1, 3, 4).to(device)), 1)
        # Not backward(): after it a process has threads of autograd's, and its forked children have no autograd.
        gradient: torch.Tensor = torch.ops.aten._log_softmax_backward_data(output, output, 1, torch.float32)
    return gradient


def _cell(device: str) -> torch.Tensor:
    """A recurrent layer; not with oneDNN, which would compile kernels for it at every start."""
    torch.default_generator.manual_seed(0)
    cell = torch.nn.LSTM(4, 5).to(device)
    enabled = _C._get_mkldnn_enabled()
    _C._set_mkldnn_enabled(False)
    try:
        return cell(_values().reshape(3, 1, 4).to(device))[0].detach()  # type: ignore[no-any-return]
    finally:
        _C._set_mkldnn_enabled(enabled)


def _view() -> bool:
    whole = _values().cuda()
    whole.t()[1].zero_()
    expected = _values()
    expected.t()[1].zero_()
    return _same(whole, expected)


def _out() -> bool:
    out = torch.empty(0, device="cuda")
    torch.add(_values().cuda(), 1, out=out)
    return _same(out, _values() + 1)


_TRIALS: dict[str, Callable[[], bool]] = {
    "making a tensor": lambda: _same(torch.zeros(2, 3, device="cuda"), torch.zeros(2, 3)),
    "copying to the device": lambda: _same(_values().cuda(), _values()),
    "the device of a tensor": lambda: _values().cuda().device == torch.device("cuda", 0),
    "adding": lambda: _same(_values().cuda() + 1, _values() + 1),
    "a product of matrices": lambda: _same(_values().cuda() @ _values().cuda().t(), _values() @ _values().t()),
    "a reduction": lambda: _same(_values().cuda().sum(1), _values().sum(1)),
    "a list of tensors": lambda: _same(torch.cat([_values().cuda()] * 2), torch.cat([_values()] * 2)),
    "writing through a view": _view,
    "an out= argument": _out,
    "reading a number": lambda: _values().cuda()[1, 2].item() == _values()[1, 2].item(),
    "mixing devices": lambda: _raises(lambda: _values().cuda() + _values()),
    "numpy()": lambda: _raises(lambda: _values().cuda().numpy()),
    "a network": lambda: _same(_network("cuda"), _network("cpu")),
    "autograd": lambda: (_values().cuda().requires_grad_() * 2).grad_fn is not None,
    "a recurrent layer": lambda: _same(_cell("cuda"), _cell("cpu")),
}
