"""Says of a program that fails because it mixes devices where its CPU tensors were made."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

from devlint.verify.comparing.observation import Observation
from devlint.verify.comparing.verdict import Outcome, Word
from devlint.verify.expression_place import ExpressionPlace
from devlint.verify.observing.program_text import told_births
from devlint.verify.original_rows import told_row
from devlint.verify.program import Program

_WORDS = ("on the same device", "should be the same", "indices should be either on")


def with_birthplaces(outcome: Outcome, program: Program, watched: Callable[[], Observation]) -> Outcome:
    """The outcome, and where the tensors were made that met; ``watched`` runs the program again, under watch."""
    if outcome.word not in (Word.NEWLY_FAILS, Word.FAILS_ALIKE) or not any(words in outcome.detail for words in _WORDS):
        return outcome
    births = (birth for meeting in watched().data.get("met", []) for birth in meeting["births"])
    places = [ExpressionPlace(*birth["place"]) for birth in births if birth["place"] is not None]
    root = program.started_in or program.project or os.path.dirname(program.path)
    told = told_births(places, root, lambda place: told_row(program, place.path, place.row))
    return replace(outcome, detail=f"{outcome.detail}; {told}") if told else outcome
