"""Tensors that may be on another card than the current one, where a cast to a CUDA type leaves them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from devlint.analysis.project.ask import project_around
from devlint.analysis.project.mentions import Holder, files_holding
from devlint.analysis.project.processes import may_run_with
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.analysis.tensors.factories import factory_call
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact

_NAMED = (
    r"[\"']cuda:(?:[1-9]|%|\{)|[\"']cuda:[\"']\s*\+|\bdevice\(\s*[\"']cuda[\"']\s*,"
    r"|\.cuda\(\s*(?:device\s*=\s*)?(?!0\b|None\b|True\b|False\b|async\b|non_blocking\b|device\b)\w"
)
"""Cards by their number, or by a name that may be one."""
_CHOSEN = r"\bset_device\(|\bcuda\.device\("
_NUMBERED = r"[\"']cuda:(\d+)[\"']|\.cuda\(\s*(?:device\s*=\s*)?(\d+)\s*[,)]"
_CHOSEN_NUMBER = r"\b(?:set_device|cuda\.device)\(\s*(?:[\"']cuda:)?(\w*)"
_CARDS, _CHOICES = regex(_NAMED), regex(_CHOSEN)
_NUMBERS, _CHOSEN_NUMBERS = regex(_NUMBERED), regex(_CHOSEN_NUMBER)
_CARDS_IN_BYTES, _CHOICES_IN_BYTES = regex(_NAMED.encode()), regex(_CHOSEN.encode())
_NUMBERS_IN_BYTES = regex(_NUMBERED.encode())


def may_be_on_other_card(ctx: FileContext, tensor: cst.BaseExpression) -> bool:
    """Whether a tensor may be on another card: the program names cards, and has not made it there."""
    return factory_call(ctx, tensor) is None and names_cards(ctx)


@fact
def names_cards(ctx: FileContext) -> bool:
    """Whether a file, or one that may run with it, names cards by their numbers, and none makes one the current.

    Or one names a number that none makes the current: ``.cuda(0)`` beside ``set_device(args.gpu)``.
    """
    project, text = project_around(ctx), ctx.source.text
    choosing = search(project, CHOICES_OF_CARDS, "")
    if _CHOICES.search(text) is None and not choosing:
        found = [one.path for one in search(project, NAMED_CARDS, "") or ()]
        return _CARDS.search(text) is not None or may_run_with(project, found)
    chosen = {found for one in (text, *_texts(project, choosing or ())) for found in _CHOSEN_NUMBERS.findall(one)}
    if _numbers(text) - chosen:
        return True
    naming = search(project, NUMBERED_CARDS, "") or ()
    others = zip(naming, _texts(project, naming), strict=True)
    return may_run_with(project, [one.path for one, other in others if _numbers(other) - chosen])


def _numbers(text: str) -> set[str]:
    """The numbers by which a file names cards."""
    return {one or other for one, other in _NUMBERS.findall(text)}


def _texts(project: Project, files: Iterable[Holder]) -> Iterator[str]:
    return ((project.index.disk.read(one.path) or b"").decode(errors="replace") for one in files)


def _naming(index: Index, paths: Iterable[str], name: str) -> Iterator[Holder]:
    return files_holding(_CARDS_IN_BYTES, index, paths)


def _numbering(index: Index, paths: Iterable[str], name: str) -> Iterator[Holder]:
    return files_holding(_NUMBERS_IN_BYTES, index, paths)


def _choosing(index: Index, paths: Iterable[str], name: str) -> Iterator[Holder]:
    return files_holding(_CHOICES_IN_BYTES, index, paths)


NAMED_CARDS = Search("named cards", lambda name: (b"cuda",), _naming)
NUMBERED_CARDS = Search("numbered cards", lambda name: (b"cuda",), _numbering)
CHOICES_OF_CARDS = Search("choices of cards", lambda name: (b"set_device(", b"cuda.device("), _choosing)
