"""``devlint --version``: devlint, and what it runs with."""

from __future__ import annotations

import click

from devlint import __version__


def show_version(context: click.Context, _parameter: object, wanted: bool) -> None:
    """Print the versions and leave; torch is asked for its own without being imported."""
    if not wanted or context.resilient_parsing:
        return
    import platform

    python = f"{platform.python_implementation()} {platform.python_version()}"
    click.echo(f"devlint {__version__}\n{python}\nLibCST {_version('libcst')}\ntorch {_version('torch')}")
    context.exit()


def _version(package: str) -> str:
    """The version of a package in the environment of devlint."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed beside devlint" + " (nor needed)" * (package == "torch")
