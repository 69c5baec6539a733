"""The toy experiment, with few steps (Zhendong-Wang/Diffusion-Policies-for-Offline-RL)."""

import pathlib
import sys
from unittest import mock

from made_up import stand_in

stand_in("matplotlib")
import matplotlib.pyplot as plots  # noqa: E402

plots.subplots = lambda *_, **__: (mock.MagicMock(), mock.MagicMock())
source = pathlib.Path("run_toy_bc.py").read_text()
for many, few in (("num_epochs = 1000", "num_epochs = 1"), ("int(10000)", "int(400)"), ("T = 50", "T = 3")):
    assert many in source
    source = source.replace(many, few)
sys.argv = ["run_toy_bc.py"]
exec(compile(source, "run_toy_bc.py", "exec"), {"__name__": "__main__"})
