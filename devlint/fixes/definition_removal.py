"""Removes definitions of names: whole lines, ``if`` statements that become empty, single names of an import."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from devlint.analysis.guards.condition_text import condition_text
from devlint.analysis.names.control_flow import statements
from devlint.core.diagnostic import Edit, Span
from devlint.syntax import edits, line_edits
from devlint.syntax.file_context import FileContext


class Removal:
    """The edits that remove the nodes ``gone``: assignments and imports, or single names of an import."""

    def __init__(self, ctx: FileContext, gone: Sequence[cst.CSTNode]) -> None:
        self._ctx = ctx
        self._gone = {id(one) for one in gone}
        self._partial: list[Sequence[cst.ImportAlias]] = []
        for statement in _unique(ctx.tree.parent(one) for one in gone if isinstance(one, cst.ImportAlias)):
            if isinstance(statement, cst.ImportFrom) and not isinstance(statement.names, cst.ImportStar):
                if all(id(one) in self._gone for one in statement.names):
                    self._gone.add(id(statement))
                else:
                    self._partial.append(statement.names)

    def edits(self) -> list[Edit] | None:
        """All edits; None where what is left would not be Python, or a line is shared in a way that is not handled."""
        found: list[Edit | None] = []
        for names in self._partial:
            found += _remove(self._ctx, names, self._gone)
        for block in self._blocks():
            found += self._in_block(block)
        return None if None in found else [one for one in found if one is not None]

    def _blocks(self) -> list[cst.CSTNode]:
        """The blocks and one-line suites that lose a statement, without those inside an ``if`` that is removed."""
        small = [one for one in self._ctx.tree.nodes if id(one) in self._gone and not isinstance(one, cst.ImportAlias)]
        found = []
        for one in small:
            line = self._ctx.tree.parent(one)
            block = line if isinstance(line, cst.SimpleStatementSuite) else self._ctx.tree.parent(line or one)
            while block is not None and self._whole_if(block) is not None:
                owner = self._whole_if(block)
                block = self._ctx.tree.parent(owner) if owner is not None else None
            if block is not None:
                found.append(block)
        return list(_unique(iter(found)))

    def _whole_if(self, block: cst.CSTNode) -> cst.If | None:
        """The ``if`` whose branches, ``block`` among them, all become empty."""
        owner = self._ctx.tree.parent(block)
        owner = self._ctx.tree.parent(owner) if isinstance(owner, cst.Else) else owner
        if not isinstance(owner, cst.If) or isinstance(owner.orelse, cst.If) or _is_elif(self._ctx, owner):
            return None
        branches = [owner.body, *([owner.orelse.body] if isinstance(owner.orelse, cst.Else) else [])]
        return owner if all(self._is_emptied(branch) for branch in branches) else None

    def _is_emptied(self, block: cst.CSTNode) -> bool:
        return all(self._is_gone(one) for one in statements(block))

    def _is_gone(self, statement: cst.CSTNode) -> bool:
        if id(statement) in self._gone:
            return True
        if isinstance(statement, cst.SimpleStatementLine):
            return all(id(one) in self._gone for one in statement.body)
        return isinstance(statement, cst.If) and self._whole_if(statement.body) is statement

    def _in_block(self, block: cst.CSTNode) -> Iterator[Edit | None]:
        body = statements(block)
        if self._is_emptied(block) and not isinstance(block, cst.Module):
            yield from self._empty(block)
            return
        if isinstance(block, cst.SimpleStatementSuite):
            yield from _remove(self._ctx, body, self._gone)
            return
        run: list[cst.CSTNode] = []
        for one in [*body, None]:
            if one is not None and self._is_gone(one):
                run.append(one)
                continue
            if run:
                yield line_edits.delete_lines(self._ctx, run[0], run[-1])
            run = []
            if isinstance(one, cst.SimpleStatementLine):
                yield from _remove(self._ctx, one.body, self._gone)

    def _empty(self, block: cst.CSTNode) -> Iterator[Edit | None]:
        """Removes a block with its ``else``, asks only for the ``else`` that stays, or puts ``pass`` in the block."""
        owner = self._ctx.tree.parent(block)
        if isinstance(owner, cst.Else) and isinstance(block, cst.IndentedBlock):
            yield line_edits.delete_lines(self._ctx, owner, owner)
            return
        turned = self._turned(owner) if isinstance(owner, cst.If) and block is owner.body else None
        if turned is not None:
            yield turned
            return
        body = statements(block)
        yield line_edits.replace_statements(self._ctx, body[0], body[-1], "pass")

    def _turned(self, owner: cst.If) -> Edit | None:
        """``if not test:`` in the place of ``if test:`` with its block and of ``else:``; None where that is not all."""
        other = owner.orelse
        if (
            not isinstance(other, cst.Else)
            or not isinstance(other.body, cst.IndentedBlock)
            or _is_elif(self._ctx, owner)
        ):
            return None
        span = Span(self._ctx.span(owner).start, self._ctx.outer_span(other.body).start)
        if "#" in self._ctx.source.text[span.start : span.end]:
            return None
        return Edit(span, f"if {condition_text(self._ctx, owner.test, holds=False)}:")


def _remove(ctx: FileContext, items: Sequence[cst.CSTNode], gone: set[int]) -> list[Edit | None]:
    """Delete the items of one line or import that are gone, if any is and another stays."""
    indices = [index for index, one in enumerate(items) if id(one) in gone]
    return list(edits.remove_items(ctx, items, indices)) if 0 < len(indices) < len(items) else []


def _unique(nodes: Iterator[cst.CSTNode | None]) -> Iterator[cst.CSTNode]:
    seen: set[int] = set()
    for node in nodes:
        if node is not None and id(node) not in seen:
            seen.add(id(node))
            yield node


def _is_elif(ctx: FileContext, statement: cst.If) -> bool:
    return isinstance(ctx.tree.parent(statement), cst.If)
