"""A tensor at hand for what a function places by a name of its own."""

from __future__ import annotations

import pytest

from tests.support.rule_cases import fixed, places

ASKS = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
MADE = "torch.arange(n, device=device)"
CASES = [
    (f"    DEVICE\n    return x + {MADE}\n", "x"),
    (f"    DEVICE\n    y = {MADE}.view(-1, 1) * n\n    return y + x.float()\n", "x"),
    (f"    x = x.view(n, -1)\n    DEVICE\n    return x + {MADE}\n", "x"),
    (f"    DEVICE\n    a = x + {MADE}\n    return a, x * torch.ones(n, device=device)\n", "x"),
    (f"    DEVICE\n    a = x + {MADE}\n    return a, torch.ones(n, device=device)\n", None),
    (f"    DEVICE\n    print(device)\n    return x + {MADE}\n", None),
    (f"    DEVICE\n    return run(x + {MADE}, device)\n", None),
    (f"    DEVICE\n    return run(x + {MADE}, device=device)\n", None),
    (f"    DEVICE\n    return {MADE}\n", None),
    (f"    DEVICE\n    x = load()\n    return x + {MADE}\n", None),
    (f"    x = load() if n else x\n    DEVICE\n    return x + {MADE}\n", None),
    (f"    DEVICE\n    if n:\n        device = pick()\n    return x + {MADE}\n", None),
]


@pytest.mark.parametrize("device", ['torch.device("cuda")', '"cuda"'])
@pytest.mark.parametrize(("body", "tensor"), CASES)
def test_a_name_for_a_device(body: str, tensor: str | None, device: str) -> None:
    text = "import torch\n\n\ndef f(x, n):\n    n = n + x.shape[0]\n" + body.replace("DEVICE", f"device = {device}")
    after = fixed("DEV103", text)
    if tensor is None:
        assert ".device\n" not in after
    else:
        assert f"    device = {tensor}.device\n" in after
        assert [kind for _, kind in places("DEV103", text)] == ["safe"]


def test_a_device_of_the_module_or_the_instance_is_no_name_of_the_function() -> None:
    text = f'import torch\n\ndevice = torch.device("cuda")\n\n\ndef f(x, n):\n    return x + {MADE}\n'
    assert "x.device" not in fixed("DEV103", text)
    text = "import torch\n\n\nclass A:\n    def f(self, x, n):\n        self.device = torch.device('cuda')\n"
    text += f"        return x + {MADE.replace('=device', '=self.device')}\n"
    assert "x.device" not in fixed("DEV103", text)
