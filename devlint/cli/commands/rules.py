"""``devlint rules`` and ``devlint explain``."""

from __future__ import annotations

import sys

import click

from devlint.cli.commands import completion
from devlint.cli.commands.click_options import options_for
from devlint.cli.output.style import Style
from devlint.cli.terminal import columns, use_colour
from devlint.config.selection import catalogue
from devlint.core.addresses import rule_address
from devlint.core.errors import SelectorError, did_you_mean
from devlint.core.rule_info import RuleInfo
from devlint.rules.manual import plain, refilled

_NARROWEST = 24
"""Columns of text, however narrow the terminal is."""


@click.command()
@click.option(
    "--output-format",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="How to print the list.",
)
def rules(output_format: str) -> int:
    """List all rules."""
    if output_format == "json":
        import json

        fields = ("code", "name", "summary", "fix", "default")
        known = ((rule, {field: getattr(rule, field) for field in fields}) for rule in catalogue())
        rows = [{**row, "url": rule_address(rule.code)} for rule, row in known]
        click.echo(json.dumps(rows, indent=2))
        return 0
    table = [(rule.code, rule.name, rule.fix, "on" if rule.default else "off", rule.summary) for rule in catalogue()]
    table.insert(0, ("code", "name", "fix", "default", "what it finds"))
    widths = [max(map(len, column)) for column in zip(*table)]
    margin = sum(widths[:-1]) + 2 * len(widths[:-1])
    wide = _width()
    is_narrow = wide is not None and wide < margin + _NARROWEST
    for row in table:
        start = "  ".join(cell.ljust(width) for cell, width in zip(row, widths[:-1]))
        indent = " " * (len("DEV101  ") if is_narrow else margin)
        text = refilled(row[-1], None if wide is None else wide - len(indent)).splitlines()
        click.echo(f"{start}\n{indent}" if is_narrow else f"{start}  ", nl=False)
        click.echo(f"\n{indent}".join(text))
    return 0


@click.command()
@click.argument("rule", shell_complete=completion.rules)
@options_for("explain")
def explain(rule: str, color: str) -> int:
    """Print the manual of RULE, which is a code such as DEV101 or a name such as cuda-method."""
    info = _find(rule)
    from devlint.engine.ruleset import load_rule

    style, wide = Style(use_colour(color, sys.stdout)), _width()
    click.echo(style(f"{info.code} {info.name}", "bold"))
    click.echo(f"Fix: {info.fix}. {'On' if info.default else 'Off'} by default.")
    click.echo(f"Page: {rule_address(info.code)}\n")
    manual = load_rule(info).__doc__ or info.summary
    click.echo(plain(manual, lambda title: style(title, "bold"), wide))
    click.echo("\n" + refilled(f"Where there is no fix: {info.advice}.", wide))
    return 0


def _width() -> int | None:
    """The width of the terminal that is written to; None where it is no terminal."""
    return max(columns(sys.stdout), _NARROWEST) if sys.stdout.isatty() else None


def _find(rule: str) -> RuleInfo:
    """The rule with a code or a name."""
    for info in catalogue():
        if rule.upper() == info.code or rule.lower() == info.name:
            return info
    choices = [word for info in catalogue() for word in (info.code, info.name)]
    hint = did_you_mean(rule if "-" in rule else rule.upper(), choices) or "; `devlint rules` lists them"
    raise SelectorError(f"there is no rule {rule!r}{hint}")
