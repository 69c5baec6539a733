"""Entries of checkpoints that the project saves as numbers, texts and the like, such as ``best_acc``: on no device."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from devlint.analysis.checkpoints.plain_values import (
    PLAIN_VALUES,
    GivenElsewhere,
    PlainValues,
    given_elsewhere,
    must_be_found,
)
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.project import Index
from devlint.analysis.project.searches import Search, search
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below, text_of

_MOST = 30
"""How many attributes, parameters and methods are followed for one entry."""


class SavedEntry(Record):
    """What a file puts under a key."""

    path: str
    is_plain: bool
    """Whether it is on no device, if all is so that is noted."""
    noted: tuple[str, ...]
    is_of_checkpoint: bool
    """Whether the state of something stands beside it."""


def is_saved_without_tensors(ctx: FileContext, key: str) -> bool:
    """Whether all that the project puts under a key is on no device, and a checkpoint is among it."""
    known = ctx.fact(_known)
    if key not in known:
        known[key] = _is_saved_plain(ctx, key)
    return known[key]


def may_be_saved_with_tensors(ctx: FileContext, key: str | None) -> bool:
    """Whether the project puts something under a key of a checkpoint that may be on a device."""
    return (
        key is not None
        and any(one.is_of_checkpoint for one in _all_entries(ctx, key))
        and not is_saved_without_tensors(ctx, key)
    )


def _all_entries(ctx: FileContext, key: str) -> list[SavedEntry]:
    """What this file and others put under a key; nothing of others where nobody knows."""
    project, own = project_around(ctx), own_module(ctx)
    others: list[SavedEntry] | None = search(project, SAVED_ENTRIES, key)
    return [*(others or ()), *(_entries(project.index, own, key) if own is not None else ())]


def _known(ctx: FileContext) -> dict[str, bool]:
    """The answers so far, by the key."""
    return {}


def _is_saved_plain(ctx: FileContext, key: str) -> bool:
    project, own = project_around(ctx), own_module(ctx)
    if search(project, SAVED_ENTRIES, key) is None:
        return False
    found = _all_entries(ctx, key)
    if not all(one.is_plain for one in found) or not any(one.is_of_checkpoint for one in found):
        return False
    waiting, seen = [noted for one in found for noted in one.noted], set[str]()
    while waiting:
        noted = waiting.pop()
        if noted in seen:
            continue
        seen.add(noted)
        elsewhere: list[GivenElsewhere] | None = search(project, PLAIN_VALUES, noted)
        given = [*(elsewhere or ()), *(given_elsewhere(project.index, own, noted) if own is not None else ())]
        if elsewhere is None or len(seen) > _MOST or not all(one.is_plain for one in given):
            return False
        if not given and must_be_found(noted):
            return False
        waiting += (one for entry in given for one in entry.noted)
    return True


def _saved_entries(index: Index, paths: Iterable[str], key: str) -> Iterator[SavedEntry]:
    for _, module in index.matching(paths, re.compile(rb"\b%s\b" % re.escape(key.encode()))):
        yield from _entries(index, module, key)


def _entries(index: Index, module: ProjectModule, key: str) -> Iterator[SavedEntry]:
    values = PlainValues(index, key)
    for node in nodes_below(module.tree):
        if isinstance(node, ast.Dict):
            calls = (one for one in node.values if isinstance(one, ast.Call))
            is_of_checkpoint = any(last_name(one.func) == "state_dict" for one in calls)
            given = [value for one, value in zip(node.keys, node.values) if one is not None and text_of(one) == key]
        elif isinstance(node, ast.Call) and dotted_text(node.func) == "dict":
            is_of_checkpoint, given = False, [one.value for one in node.keywords if one.arg == key]
        elif isinstance(node, ast.Assign):
            is_of_checkpoint = False
            keys = [text_of(one.slice) for one in node.targets if isinstance(one, ast.Subscript)]
            given = [node.value] if key in keys else []
        else:
            continue
        for one in given:
            is_plain = values.is_one(module, one)
            yield SavedEntry(module.path, is_plain, tuple(sorted(values.noted)), is_of_checkpoint)


SAVED_ENTRIES = Search("saved entries", lambda key: (key.encode(),), _saved_entries)
