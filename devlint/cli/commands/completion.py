"""``devlint completion``, and the completions of rule codes and names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import click

_SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> int:
    """Print the script that makes SHELL complete devlint's commands and options.

    In ~/.bashrc: eval "$(devlint completion bash)"; in ~/.zshrc: eval "$(devlint completion zsh)"; in
    ~/.config/fish/config.fish: devlint completion fish | source
    """
    from click.shell_completion import ShellComplete, get_completion_class

    found = get_completion_class(shell)
    assert found is not None
    script = found(context.find_root().command, {}, "devlint", "_DEVLINT_COMPLETE")
    text = ShellComplete.source(script)  # not the class's own, which asks bash for its version
    # What is completed may be a list with commas: only the first one ends the kind of a line.
    click.echo(text.replace('(string split "," $completion)', '(string split --max 1 "," $completion)'))
    return 0


def codes(_context: object, _parameter: object, incomplete: str) -> list[Any]:
    """Codes of rules and their groups, after those that a comma list has already."""
    from click.shell_completion import CompletionItem

    from devlint.config.selection import catalogue

    before, comma, last = incomplete.rpartition(",")
    word = last.strip()
    groups = [("ALL", "every rule"), *_groups(rule.code for rule in catalogue())]
    choices = [*groups, *((one, rule.summary) for rule in catalogue() for one in (rule.code, rule.name))]
    return [CompletionItem(before + comma + one, help=summary) for one, summary in choices if _begins(one, word)]


def rules(_context: object, _parameter: object, incomplete: str) -> list[Any]:
    """Codes and names of rules."""
    from click.shell_completion import CompletionItem

    from devlint.config.selection import catalogue

    words = [(word, rule.summary) for rule in catalogue() for word in (rule.code, rule.name)]
    return [CompletionItem(word, help=summary) for word, summary in words if _begins(word, incomplete)]


def _begins(choice: str, typed: str) -> bool:
    """Whether a code or name begins with what was typed; names are offered once something was."""
    return choice.startswith(typed.upper() or ("DEV", "ALL")) or (bool(typed) and choice.startswith(typed.lower()))


def _groups(all_codes: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The prefixes ``DEV0``, ``DEV1`` …"""
    for prefix in sorted({code[:4] for code in all_codes}):
        yield prefix, f"the rules {prefix}xx"
