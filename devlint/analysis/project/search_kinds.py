"""The searches of a project by their kinds, as recorded questions name them: each is imported when it is asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from devlint.analysis.project.searches import Search

HOMES = {
    "askers": ("apis.unasked_programs", "ASKERS"),
    "base initializations": ("calls", "BASE_INITIALIZATIONS"),
    "calls": ("calls", "CALLS"),
    "card choosers": ("choosers.card_choosers", "CARD_CHOOSERS"),
    "choices of cards": ("legacy_types.other_cards", "CHOICES_OF_CARDS"),
    "default devices": ("default_devices", "DEFAULT_DEVICES"),
    "devices asked for": ("cuda.ways_without_cuda", "ASKED"),
    "devices of heirs": ("overrides", "DEVICES_OF_HEIRS"),
    "early calls": ("apis.calls_above_choice", "EARLY_CALLS"),
    "entries": ("slots.given.given_entries", "ENTRIES"),
    "foreign": ("checkpoints.closed_projects", "FOREIGN"),
    "forks": ("choosers.forking_files", "FORKS"),
    "foreign devices": ("cuda.mps_devices", "FOREIGN_DEVICES"),
    "heirs": ("overrides", "HEIRS"),
    "held instances": ("overrides", "HELD"),
    "imported by name": ("mentions", "BY_NAME"),
    "importing files": ("processes", "IMPORTING_FILES"),
    "importers": ("mentions", "IMPORTERS"),
    "kernel libraries": ("cuda.failing.kernel_imports", "KERNEL_LIBRARIES"),
    "kernels": ("project.kernels.built", "KERNEL_SOURCES"),
    "late choices": ("choosers.card_choosers", "LATE_CHOICES"),
    "late writes": ("owners.late_writes", "LATE_WRITES"),
    "mentions": ("mentions", "MENTIONS"),
    "named cards": ("legacy_types.other_cards", "NAMED_CARDS"),
    "names listed": ("owners.read_whole", "LISTED"),
    "names of devices": ("checkpoints.projects_without_devices", "NAMING"),
    "numbered cards": ("legacy_types.other_cards", "NUMBERED_CARDS"),
    "objects on devices": ("apis.workers_without_cuda", "OBJECTS_ON_DEVICES"),
    "option": ("options", "OPTIONS"),
    "overrides": ("overrides", "OVERRIDES"),
    "own loads": ("overrides", "OWN_LOADS"),
    "plain results": ("plain_results", "PLAIN_RESULTS"),
    "plain tensors": ("checkpoints.moved_loads", "PLAIN_TENSORS"),
    "plain values": ("checkpoints.plain_values", "PLAIN_VALUES"),
    "programs": ("apis.unasked_programs", "PROGRAMS"),
    "read whole": ("owners.read_whole", "READ_WHOLE"),
    "replaced calls": ("mentions", "REPLACED_CALLS"),
    "saved entries": ("checkpoints.saved_entries", "SAVED_ENTRIES"),
    "saved modules": ("saved_modules", "SAVED_MODULES"),
    "saved objects": ("saved_modules", "SAVED_OBJECTS"),
    "saving functions": ("saved_modules", "SAVERS"),
    "scripted": ("mentions", "SCRIPTED"),
    "set": ("attributes", "SET"),
    "set by any name": ("owners.named_at_run_time", "SET_BY_ANY_NAME"),
    "set by self": ("attributes", "SET_BY_SELF"),
    "tests of versions": ("apis.versions.version_tests", "TESTED"),
    "uses": ("mentions", "USES"),
    "variables read": ("choosers.read_variables", "READ"),
}
"""The module, of this folder or another, and the name of each: a run that knows all by its cache asks for few."""


@cache
def search_of(kind: str) -> Search | None:
    """The search of a kind; None where no kind is called so."""
    if kind not in HOMES:
        return None
    module, name = HOMES[kind]
    home = module if "." in module else f"project.{module}"
    found: Search = getattr(import_module(f"devlint.analysis.{home}"), name)
    return found
