"""``devlint simulate``."""

from __future__ import annotations

import click


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option(
    "--devices",
    type=click.IntRange(0, 64),
    default=1,
    show_default=True,
    metavar="N",
    help="How many devices; 0: a GPU nobody can see.",
)
@click.option(
    "--rng",
    type=click.Choice(["shared", "separate"]),
    default="shared",
    show_default=True,
    help="One stream of random numbers for all devices, or one for each as on real hardware.",
)
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def simulate(devices: int, rng: str, program: tuple[str, ...]) -> None:
    """Run PROGRAM as on a computer with CUDA devices, which are simulated on the CPU.

    PROGRAM is what one gives to Python: a script and its arguments, or -m and a module, or -c and code. Python runs
    it, in place of devlint: its output, tracebacks, signals and exit code are the program's own. The Pythons that it
    starts are simulated too.
    """
    from devlint.verify.launch import launch

    launch(program, devices, rng)
