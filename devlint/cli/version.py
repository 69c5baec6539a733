"""``devlint --version``: devlint, and what it runs with; knows no click."""

from __future__ import annotations

from devlint import __version__


def versions() -> str:
    """One line for each; torch is asked for its own without being imported."""
    import platform

    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"devlint {__version__}\n{python}\nLibCST {_version('libcst')}\ntorch {_version('torch')}\n"


def _version(package: str) -> str:
    """The version of a package in the environment of devlint."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed beside devlint" + " (nor needed)" * (package == "torch")
