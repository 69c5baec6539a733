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
    help="How many devices; 0: CUDA is installed, but no device is visible.",
)
@click.option(
    "--rng",
    type=click.Choice(["shared", "separate"]),
    default="shared",
    show_default=True,
    help="One random number stream for all devices, or one each as on real hardware.",
)
@click.option(
    "--origins",
    is_flag=True,
    help="If tensors of two devices meet, say at the error where that on the CPU was made (slower).",
)
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def simulate(devices: int, rng: str, origins: bool, program: tuple[str, ...]) -> None:
    """Run PROGRAM as on a computer with CUDA devices, which are simulated on the CPU.

    PROGRAM is what follows `python` on a command line: a script with its arguments, -m and a module, or -c and code.
    Its output, tracebacks, signals and exit code are its own. Python programs that it starts see the devices, too.
    """
    from devlint.verify.launch import launch

    launch(program, devices, rng, origins)
