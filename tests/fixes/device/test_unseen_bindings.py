"""Names that what a file does not show may bind: a safe fix relies on none of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

AVAILABLE = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'
DEVICE = f"import sys\nimport torch\ndevice = {AVAILABLE}\n"
MOVED = "x = torch.ones(2).cuda()\nprint(device)\n"
IN_FUNCTION = "def f():\n    return torch.ones(2).cuda(), device\n"
NOT_A_DEVICE = {"names.py": "device = 5\nother = 1\n"}

REBOUND = [
    (DEVICE + 'globals()["device"] = 6\n' + MOVED, {}),
    (DEVICE + "globals().update(device=6)\n" + MOVED, {}),
    (DEVICE + "globals().update(options)\n" + MOVED, {}),
    (DEVICE + "def configure(**options):\n    globals().update(options)\nconfigure(device=6)\n" + IN_FUNCTION, {}),
    (DEVICE + 'setattr(sys.modules[__name__], "device", 6)\n' + MOVED, {}),
    (DEVICE + 'exec("device = 6")\n' + MOVED, {}),
    (DEVICE + "exec(code)\n" + MOVED, {}),
    (DEVICE + "𝐝𝐞𝐯𝐢𝐜𝐞 = 6\n" + MOVED, {}),
    (DEVICE + "def f(ｄevice):\n    return torch.ones(2).cuda(), device\n", {}),
    (DEVICE + "def g():\n    global ｄevice\n    ｄevice = 6\ng()\n" + IN_FUNCTION, {}),
    (DEVICE + "from names import *\n" + MOVED, NOT_A_DEVICE),
    (DEVICE + "from names import *\n" + IN_FUNCTION, NOT_A_DEVICE),
    (DEVICE + "from names import *\n" + MOVED, {"names.py": "from inner import *\n", "inner.py": "device = 5\n"}),
    (DEVICE + "from names import *\n" + MOVED + "y = torch.ones(2).to(device)\n", {"names.py": "device = 'cpu'\n"}),
    (DEVICE + "from library import *\n" + MOVED, {}),
    (DEVICE + IN_FUNCTION, {"other.py": "import case\ncase.device = 5\nprint(case.f())\n"}),
]
KEPT = [
    (DEVICE + 'globals()["other"] = 6\n' + MOVED, {}),
    ('import torch\nglobals()["device"] = 6\n' + DEVICE + MOVED, {}),
    (DEVICE + 'exec("device = 6", {})\n' + MOVED, {}),
    (DEVICE + "from names import *\n" + MOVED, {"names.py": "__all__ = ['other']\ndevice = 5\nother = 1\n"}),
    ("from names import *\n" + DEVICE + MOVED, NOT_A_DEVICE),
    (DEVICE + "from names import *\n" + MOVED, {"names.py": "other = 1\n"}),
    (DEVICE + "exec(open('configuration.py').read())\n" + MOVED + "y = torch.ones(2).to(device)\n", {}),
    (DEVICE + IN_FUNCTION, {"other.py": "import case\nprint(case.device)\n"}),
]


@pytest.mark.parametrize(("text", "others"), REBOUND)
def test_a_device_that_may_be_something_else_is_not_relied_on(
    tmp_path: Path, text: str, others: dict[str, str]
) -> None:
    fixed = case_fixed(tmp_path, text, others)
    assert "cuda()" not in fixed and "ones(2).to(" in fixed
    assert "ones(2).to(device)" not in fixed.replace("y = torch.ones(2).to(device)", "")


@pytest.mark.parametrize(("text", "others"), KEPT)
def test_a_device_that_is_certain_is_used(tmp_path: Path, text: str, others: dict[str, str]) -> None:
    fixed = case_fixed(tmp_path, text, others)
    assert fixed == text.replace("cuda()", "to(device)")


NEW = [
    # What the file does, and the name of the device that is defined for it.
    ("from names import *\n", NOT_A_DEVICE, "torch_device"),
    ("from names import *\n", {"names.py": "other = 1\n"}, "device"),
    ("globals().update(options)\n", {}, None),
    ('print("device" in globals())\n', {}, "torch_device"),
    ('print(eval("device"))\n', {}, "torch_device"),
    ('print(eval("devices"), "device")\n', {}, "device"),
    ("print(ｄevice)\n", {}, "torch_device"),
]


@pytest.mark.parametrize(("line", "others", "name"), NEW)
def test_a_new_device_has_a_name_that_nothing_else_means(
    tmp_path: Path, line: str, others: dict[str, str], name: str | None
) -> None:
    use = "x = torch.ones(2).cuda()\n"
    fixed = case_fixed(tmp_path, "import torch\n" + use + line + use, others)
    given = name or '"cuda" if torch.cuda.is_available() else "cpu"'
    assert fixed.count(f"x = torch.ones(2).to({given})\n") == 2
    assert (f"{name} = {AVAILABLE}\n" in fixed) is (name is not None)


PROPERTIES = [
    # How a class has its device, and whether its methods may ask for it.
    ("    @property\n    def device(self):\n        return self._device\n", True),
    ("    @property\n    def device(self):\n        return next(self.parameters()).device\n", True),
    ("    @cached_property\n    def device(self):\n        return torch.device('cuda')\n", True),
    ("    @property\n    @abstractmethod\n    def device(self): ...\n", True),
    ("    @property\n    def device(self):\n        raise NotImplementedError\n", True),
    ("    @property\n    def device(self): ...\n", False),
    ("    @property\n    def device(self):\n        return None\n", False),
    ("    @property\n    def device(self):\n        return 'phone'\n", False),
    ("    @property\n    def device(self):\n        return 'cpu'\n", False),
    ("    @classmethod\n    def device(cls):\n        return torch.device('cuda')\n", False),
    ("    _device = None\n    @property\n    def device(self):\n        return self._device\n", False),
    (
        "    def reset(self):\n        self._device = 3\n    @property\n    def device(self):\n        return self._device\n",
        False,
    ),
    (
        "    _device = None\n    @property\n    def device(self):\n        if self._device is None:\n"
        "            self._device = torch.device('cuda')\n        return self._device\n",
        True,
    ),
]
SETTER = (
    "    @property\n    def device(self):\n        return self._device\n"
    "    @device.setter\n    def device(self, value):\n        self._device = value\n"
)


@pytest.mark.parametrize(("body", "is_device"), PROPERTIES)
def test_a_property_that_is_no_device(tmp_path: Path, body: str, is_device: bool) -> None:
    method = "    def f(self):\n        return torch.ones(2).cuda()\n"
    head = "import torch\nfrom functools import cached_property\nfrom abc import abstractmethod\n"
    fixed = case_fixed(tmp_path, f"{head}class C:\n{body}{method}", {})
    assert ("torch.ones(2).to(self.device)" in fixed) is is_device
    assert "torch.ones(2).cuda()" not in fixed


@pytest.mark.parametrize(("body", "is_device"), PROPERTIES)
def test_a_property_of_a_base_in_another_file(tmp_path: Path, body: str, is_device: bool) -> None:
    text = "import torch\nfrom base import B\nclass C(B):\n    def f(self):\n        return torch.ones(2).cuda()\n"
    fixed = case_fixed(tmp_path, text, {"base.py": f"import torch\nclass B:\n{body}"})
    assert ("torch.ones(2).to(self.device)" in fixed) is is_device
    assert "torch.ones(2).cuda()" not in fixed


@pytest.mark.parametrize("value", ["None", "'later'", "'cpu'", "[]"])
def test_a_property_that_is_given_something_else(tmp_path: Path, value: str) -> None:
    method = "    def f(self):\n        return torch.ones(2).cuda()\n"
    text = f"import torch\nclass C:\n{SETTER}{method}c = C()\nc.device = torch.device('cuda')\n"
    assert "torch.ones(2).to(self.device)" in case_fixed(tmp_path / "right", text, {})
    assert "torch.ones(2).to(self.device)" not in case_fixed(tmp_path / "wrong", f"{text}c.device = {value}\n", {})


def case_fixed(folder: Path, text: str, others: dict[str, str]) -> str:
    """A file of a project after its safe fixes."""
    write_files(folder, {"case.py": text, "setup.py": "", **others})
    return fix_files(folder)["case.py"]


@pytest.mark.parametrize(
    ("line", "is_defined"),
    [
        ("json.dump(locals(), file)", False),
        ("print(sorted(vars()))", False),
        ("return Net(**locals())", False),
        ("return {k: v for k, v in locals().items() if k != 'x'}", False),
        ("return {k: v for k, v in locals().items() if isinstance(v, int)}", True),
        ("return '{a}'.format(**locals()), '%(a)s' % locals()", True),
        ("return locals()['a'], 'a' in locals(), locals().get('a')", True),
        ("return eval(a, globals(), locals())", True),
        ("return vars(a)", True),
    ],
)
def test_a_function_that_reads_all_its_names_gets_no_other(tmp_path: Path, line: str, is_defined: bool) -> None:
    text = f"import json\nimport torch\n\n\ndef f(a, file):\n    x = torch.ones(2).cuda()\n    y = torch.ones(3).cuda()\n    {line}\n"
    fixed = case_fixed(tmp_path, text, {})
    assert ("device = " in fixed) is is_defined
    assert "cuda()" not in fixed


@pytest.mark.parametrize("line", ["print(list(globals()))", "def f():\n    return dict(globals())"])
def test_a_module_that_reads_all_its_names_gets_no_other(tmp_path: Path, line: str) -> None:
    fixed = case_fixed(tmp_path, f"import torch\nx = torch.ones(2).cuda()\ny = torch.ones(3).cuda()\n{line}\n", {})
    assert "device = " not in fixed and "cuda()" not in fixed


_TWICE = "import torch\n\n\ndef one(x):\n    return x.cuda()\n\n\ndef two(x):\n    return x.cuda() + 1\n"


@pytest.mark.parametrize(
    ("run", "name"),
    [
        ("from tools import one\nfrom cards import get_device\n", "get_device"),
        ("from tools import *\n", "get_device"),
        ("from cards import get_device\nfrom tools import *\n", "default_device"),
        ("from cards import *\nfrom tools import *\nget_device()\n", "default_device"),
        ("import tools\nmade = [getattr(tools, one)(x) for one in tools.__dict__ if one.islower()]\n", None),
        ("import tools\nprint(tools.__dict__['one'](x))\n", "get_device"),
    ],
)
def test_no_new_function_where_another_file_takes_all_names(tmp_path: Path, run: str, name: str | None) -> None:
    write_files(tmp_path, {"README.md": "", "tools.py": _TWICE, "cards.py": "def get_device(): ...\n", "run.py": run})
    after = fix_files(tmp_path)["tools.py"]
    assert f"def {name}():" in after if name is not None else after.count("    device = torch.device(") == 2


@pytest.mark.parametrize(("first", "name"), [("from cards import device\n", "torch_device"), ("", "device")])
def test_no_new_device_that_hides_another_by_a_star_import(tmp_path: Path, first: str, name: str) -> None:
    tools = "import torch\n\n\ndef one(x, mean=torch.ones(1).cuda()):\n    return x.cuda() - mean\n"
    cards = "device = 3\n"
    run = f"{first}from tools import *\nprint(one(1), device)\n"
    main = "\n\nif __name__ == '__main__':\n    one(1)\n"
    write_files(tmp_path, {"README.md": "", "tools.py": tools + main, "cards.py": cards, "run.py": run})
    assert f"\n{name} = torch.device(" in fix_files(tmp_path)["tools.py"]
