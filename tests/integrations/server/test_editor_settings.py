"""What editors send as settings."""

from __future__ import annotations

from devlint.integrations.server.editor_settings import OPTIONS, OWN, EditorSettings, read_settings


def test_nothing_is_the_defaults() -> None:
    for nothing in ((), (None,), ({}, None), ({"devlint": {"select": [], "target": None}},)):
        assert read_settings(*nothing) == (EditorSettings(), [])


def test_later_layers_go_over_earlier_ones_wherever_they_are_wrapped() -> None:
    found, problems = read_settings(
        {"settings": {"enable": False, "debounce": 0, "ignore": ["DEV1"]}},
        {"devlint": {"enable": True, "run": "onSave"}},
        {"showUnsafeFixes": False, "torchMinVersion": "2.6", "config": "~/devlint.toml", "isolated": True},
    )
    assert problems == []
    assert (found.enable, found.run, found.debounce, found.show_unsafe_fixes) == (True, "onSave", 0, False)
    assert found.overrides == {"ignore": ["DEV1"], "torch-min-version": "2.6"}
    assert (found.config, found.isolated) == ("~/devlint.toml", True)


def test_what_is_wrong_is_said_and_the_rest_counts() -> None:
    found, problems = read_settings(
        {"enabel": True, "enable": 1, "debounce": -1, "run": "always", "config": 3, "isolated": "yes", "path": "x"},
        {"showSyntaxErrors": False},
        7,
    )
    assert found == EditorSettings(show_syntax_errors=False)
    assert problems == [
        "expected a table of settings, not 7",
        "unknown setting 'enabel' (did you mean 'enable'?)",
        "'enable': expected true or false, not 1",
        "'debounce': expected milliseconds from 0 to 60000, not -1",
        "'run': expected 'onType' or 'onSave', not 'always'",
        "'config': expected a path, not 3",
        "'isolated': expected true or false, not 'yes'",
    ]


def test_names_are_those_that_editors_like() -> None:
    assert {"extendSelect", "torchMinVersion", "deviceImport"} <= set(OPTIONS)
    assert not set(OPTIONS) & set(OWN)
    assert "unsafeFixes" not in OPTIONS  # an editor makes no fix that nobody has chosen
