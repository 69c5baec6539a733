"""The simulation as a Python interface: it comes and goes, and refuses what it cannot do."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch

from devlint.verify import Simulation, SimulationError, install, simulated_cuda


def test_it_comes_and_goes() -> None:
    before = {name: getattr(torch, name) for name in ("zeros", "Generator", "compile", "Stream")}
    method, available = torch.Tensor.to, torch.cuda.is_available()
    for _ in range(2):
        with simulated_cuda() as simulation:
            assert torch.cuda.is_available()
            assert torch.zeros(2, device="cuda").add(1).tolist() == [1, 1]
            assert simulation.counters.operators["add.Tensor"] == 1
        assert {name: getattr(torch, name) for name in before} == before
        assert (torch.Tensor.to, torch.cuda.is_available()) == (method, available)
        assert "is_pinned" in dir(torch.Tensor) and "to" not in vars(torch.Tensor)
        with pytest.raises((RuntimeError, AssertionError)):
            torch.zeros(2, device="cuda").add(1)


def test_torch_forgets_what_it_has_asked_a_device() -> None:
    """torch.accelerator.get_device_capability and torch._inductor keep the first answer for good."""
    for _ in range(2):
        with simulated_cuda():
            assert torch.float32 in torch.accelerator.get_device_capability()["supported_dtypes"]
        with pytest.raises(RuntimeError, match="none is available|driver"):
            torch.accelerator.get_device_capability()


def test_a_simulation_inside_one_is_the_same_one() -> None:
    with simulated_cuda(2) as outer:
        with simulated_cuda(2) as inner:
            assert inner is outer
        assert torch.cuda.device_count() == 2
        assert install(2) is outer
        with pytest.raises(SimulationError, match=r"2 device\(s\) with shared random numbers are simulated already"):
            install(1)
    assert Simulation.current is None


@pytest.mark.parametrize("devices", [-1, 65])
def test_a_wrong_number_of_devices(devices: int) -> None:
    with pytest.raises(SimulationError, match="between 0 and 64 devices can be simulated"):
        install(devices)


def test_a_wrong_stream() -> None:
    with pytest.raises(SimulationError, match="shared or separate streams, not 'other'"):
        install(rng="other")


def test_a_torch_that_answers_wrongly_is_refused_and_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    from devlint.verify.sim import self_test

    monkeypatch.setitem(self_test._TRIALS, "counting", lambda: 1 + 1 == 3)
    with pytest.raises(
        SimulationError, match=r"CUDA cannot be simulated on torch 2\.\S+: RuntimeError: counting is wrong"
    ):
        install()
    assert Simulation.current is None
    assert torch.Tensor.cuda is torch._C.TensorBase.cuda


def test_a_build_without_the_libraries_of_linux_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from devlint.verify.sim import cpp_hooks

    monkeypatch.setattr(cpp_hooks, "_FOLDER", str(tmp_path))
    with pytest.raises(SimulationError, match="CUDA cannot be simulated on torch 2.*libc10 is not there"):
        install()
    assert Simulation.current is None


def test_beside_a_real_gpu_nothing_is_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    with pytest.raises(SimulationError, match="torch sees a real GPU.*CUDA_VISIBLE_DEVICES=simulated"):
        install()
    assert Simulation.current is None


@pytest.mark.parametrize(
    ("setting", "count"), [("simulated", 3), ("", 0), ("-1", 0), ("0", 1), ("2,0", 2), ("0,0", 1), ("0,7,1", 1)]
)
def test_visible_devices(monkeypatch: pytest.MonkeyPatch, setting: str, count: int) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", setting)
    with simulated_cuda(3):
        assert torch.cuda.device_count() == count
        assert torch.cuda.is_available() == torch.accelerator.is_available() == (count > 0)


@pytest.mark.filterwarnings("ignore:ComplexHalf")
def test_fourier_transforms_of_half_precision_have_the_lengths_of_cufft() -> None:
    with simulated_cuda():
        x = torch.ones(8, 5, device="cuda", dtype=torch.float16)
        assert torch.fft.fft(x, dim=0).dtype is torch.complex32
        assert torch.fft.irfft(torch.fft.rfft(x[:, :4])).shape == (8, 4)
        for transform in (torch.fft.rfft2, torch.fft.fft, lambda x: torch.fft.irfft(x[:, :3] * 1j, n=5)):
            with pytest.raises(RuntimeError, match="cuFFT only supports dimensions whose sizes are powers of two"):
                transform(x)
        assert torch.fft.fft(x.float()).dtype is torch.complex64


def test_properties_name_the_card_of_the_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second of two cards is the second one, too, where a program sees it alone."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    with simulated_cuda(devices=2):
        properties = torch.cuda.get_device_properties(0)
        assert (properties.pci_bus_id, str(properties.uuid)[-2:]) == (1, "01")


def test_separate_streams_are_as_on_real_hardware() -> None:
    with simulated_cuda(2, rng="separate"):
        torch.manual_seed(1)
        on_cpu = torch.rand(3)
        torch.manual_seed(1)
        first = torch.rand(3, device="cuda")
        assert torch.equal(torch.rand(3), on_cpu), "drawing on the device does not move the CPU's stream"
        torch.cuda.manual_seed(1)
        assert torch.equal(torch.rand(3, device="cuda"), first)
        torch.cuda.manual_seed_all(1)
        assert torch.equal(torch.rand(3, device="cuda:1").cpu(), first.cpu())
        state = torch.cuda.get_rng_state(1)
        again = torch.nn.functional.dropout(torch.ones(9, device="cuda:1"))
        torch.cuda.set_rng_state(state, 1)
        assert torch.equal(torch.nn.functional.dropout(torch.ones(9, device="cuda:1")), again)


def test_no_device_is_a_cuda_build_without_a_visible_gpu() -> None:
    with simulated_cuda(0):
        assert (torch.cuda.is_available(), torch.cuda.device_count()) == (False, 0)
        assert torch.backends.cuda.is_built()
        assert not torch.accelerator.is_available()
        assert torch.randn(2).device.type == "cpu"
        for move in (lambda: torch.ones(1).cuda(), lambda: torch.ones(1, device="cuda"), torch.cuda.current_device):
            with pytest.raises(RuntimeError, match="No CUDA GPUs are available"):
                move()


def test_importing_the_interface_does_not_import_torch() -> None:
    import subprocess

    code = "import sys, devlint.verify, devlint.integrations.pytest_plugin, devlint.cli.commands.simulate; print('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"


def test_the_lines_that_move_tensors_are_noted_where_that_is_asked_for() -> None:
    simulation = install(trace=True)
    try:
        on_device = torch.ones(2).cuda()
        on_device.sum().item()
        with simulation.counters.paused():
            on_device.cpu()
        lines = {kind: line for kind, file, line in simulation.counters.sites if file == __file__}
        assert set(lines) == {"h2d", "sync"}
        assert lines["sync"] == lines["h2d"] + 1
        assert simulation.counters.copies == {"h2d": 1}
        assert simulation.counters.bytes == {"h2d": 8}
        simulation.counters.clear()
        assert not simulation.counters.copies
    finally:
        simulation.uninstall()
