"""``devlint server``, as a person meets it who starts it by hand."""

from __future__ import annotations

import sys

import pytest

from devlint.cli import main


def test_without_the_extra_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [one for one in sys.modules if one.startswith("devlint.integrations.server.")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("pygls", "lsprotocol"):
        with monkeypatch.context() as patched:
            for loaded in [one for one in sys.modules if one.partition(".")[0] == name]:
                patched.delitem(sys.modules, loaded)
            patched.setitem(sys.modules, name, None)  # type: ignore[arg-type]
            with pytest.raises(SystemExit) as left:
                main(["server"])
        assert left.value.code == 2
        assert capsys.readouterr().err == "error: the server needs pygls 2: pip install 'devlint[server]'\n"


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["server", "--help"])
    assert left.value.code == 0
    assert "language server protocol" in capsys.readouterr().out
