"""Errors meant for the user, each one line; the command line ends with exit code 2."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class DevlintError(Exception):
    """Base of all errors meant for the user; its text is one line."""


class ConfigError(DevlintError):
    """A configuration that cannot be used, with the file (or the command line) it came from."""

    def __init__(self, origin: str, problem: str) -> None:
        super().__init__(f"{origin}: {problem}")
        self.origin = origin
        self.problem = problem


class SelectorError(DevlintError):
    """A rule code or prefix that no rule has."""


class FileChangedError(DevlintError):
    """The file on disk is no longer the one that was read, so nothing was written."""


class Stopped(BaseException):
    """Nobody waits for the result any more. It is no error, so nothing that handles errors stops it."""


def readable(value: object) -> str:
    """A value for a message, as TOML would write it, shortened to 60 characters."""
    text = {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """The end of a message that suggests the choice most like ``word``; empty if none is similar."""
    import difflib

    known = list(choices)
    # `1` and `0` first: in a code, they are what a letter that looks like them stands for.
    typed = word.upper().translate(str.maketrans("ILO", "110"))
    found = [one for one in known if one == typed] or difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f" (did you mean {found[0]!r}?)" if found else ""
