"""A rule has one address, wherever it is told."""

from __future__ import annotations

from devlint.core.addresses import DOCUMENTATION, rule_address
from devlint.core.catalogue import RULES
from devlint.core.toml import load_toml
from tests.support.paths import PACKAGE, ROOT


def test_the_address_of_a_rule() -> None:
    assert rule_address("DEV101") == DOCUMENTATION + "rules/DEV101/"
    assert DOCUMENTATION.startswith("https://") and DOCUMENTATION.endswith("/")


def test_every_rule_has_an_address_of_its_own() -> None:
    assert len({rule_address(info.code) for info in RULES}) == len(RULES)


def test_the_package_tells_the_same_address() -> None:
    urls = load_toml(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    assert urls["Documentation"] == DOCUMENTATION
    assert [name for name, url in urls.items() if not url.startswith(DOCUMENTATION)] == []


def test_no_other_module_has_the_address() -> None:
    host = DOCUMENTATION.split("/")[2]
    modules = [path for path in PACKAGE.rglob("*.py") if host in path.read_text(encoding="utf-8")]
    assert modules == [PACKAGE / "core/addresses.py"]
