"""Edits made from nodes: the only place that does arithmetic on offsets."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence

import libcst as cst

from devlint.core.diagnostic import Applicability, Edit, Fix, Span
from devlint.core.lazy_regex import regex
from devlint.syntax.argument_style import in_style
from devlint.syntax.file_context import FileContext

_COMMA = regex(r"\A((?:[^#,]|#[^\n]*\n)*),")


def as_fix(message: str, edits: Iterable[Edit | None], caveat: str | None = None) -> Fix | None:
    """A whole Fix of ``edits``, unsafe when there is a ``caveat``; None if one of the edits cannot be made."""
    unique: set[Edit] = set()
    for edit in edits:
        if edit is None:
            return None
        unique.add(edit)
    ordered = sorted(unique)
    if any(_clash(one.span, two.span) for one, two in zip(ordered, ordered[1:])):
        return None
    applicability = Applicability.UNSAFE if caveat else Applicability.SAFE
    return Fix(tuple(ordered), applicability, f"{message} ({caveat})" if caveat else message)


def _clash(one: Span, two: Span) -> bool:
    """Whether two spans in order share characters, or are insertions at one place; touching is fine within a fix."""
    return one.end > two.start or one == two


def replace(ctx: FileContext, node: cst.CSTNode, text: str) -> Edit:
    """Replace ``node`` without its parentheses."""
    return Edit(ctx.span(node), text)


def word_inside(ctx: FileContext, node: cst.CSTNode, word: str) -> Span:
    """Where a string or name holds ``word`` and little else."""
    whole = ctx.span(node)
    at = ctx.source.text.index(word, whole.start, whole.end)
    return Span(at, at + len(word))


def part_of(ctx: FileContext, node: cst.CSTNode, start: int, end: int) -> Span:
    """The characters from ``start`` to ``end`` of the text of ``node``."""
    at = ctx.span(node).start
    return Span(at + start, at + end)


def ask_also(ctx: FileContext, test: cst.BaseExpression, question: str) -> Edit | None:
    """Let a test ask something else as well: of ``a or b`` it becomes ``(a or b) and question``."""
    is_or = isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.Or) and not test.lpar
    text = f"({ctx.text_of(test)})" if is_or else ctx.text_of(test)
    return replace_expression(ctx, test, f"{text} and {question}")


def replace_expression(ctx: FileContext, node: cst.BaseExpression, text: str) -> Edit | None:
    """Replace ``node`` by ``text``, parentheses included unless comments stand there; None if a comment is in it."""
    fitting = fit_quotes(ctx, node, text)
    if fitting is None:
        return None
    if "#" not in ctx.text_of(node):
        return replace_outer(ctx, node, fitting)
    span = ctx.span(node)
    return replace(ctx, node, fitting) if "#" not in ctx.source.text[span.start : span.end] else None


def fit_quotes(ctx: FileContext, at: cst.CSTNode, text: str) -> str | None:
    """``text`` with quotes that do not end the f-string around ``at``; None if it needs both kinds."""
    around = {one.end for one in ctx.tree.ancestors(at) if isinstance(one, cst.FormattedString)}
    taken = {quote for quote in around if quote in text}
    if not taken:
        return text
    if len(around) > 1 or "'" in text and '"' in text:
        return None
    return text.replace('"', "'") if '"' in taken else text.replace("'", '"')


def replace_outer(ctx: FileContext, node: cst.CSTNode, text: str) -> Edit:
    """Replace the expression ``node`` and its parentheses, but for those without which ``text`` spans no lines."""
    return Edit(ctx.span(node) if _needs_brackets(text) else ctx.outer_span(node), text)


def _needs_brackets(text: str) -> bool:
    """Whether an expression spans lines where no brackets join them."""
    if "\n" not in text:
        return False
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    return False


def replace_from_to(ctx: FileContext, first: cst.CSTNode, last: cst.CSTNode, text: str) -> Edit:
    """Replace everything from the start of ``first`` to the end of ``last``, parentheses included."""
    return Edit(Span(ctx.outer_span(first).start, ctx.outer_span(last).end), text)


def replace_to_end(ctx: FileContext, first: cst.CSTNode, whole: cst.CSTNode, text: str) -> Edit:
    """Replace everything from the start of ``first`` to the end of ``whole``, which it is the last part of."""
    return Edit(Span(ctx.outer_span(first).start, ctx.span(whole).end), text)


def insert_before(ctx: FileContext, node: cst.CSTNode, text: str) -> Edit:
    """Insert ``text`` before the expression ``node`` and its parentheses."""
    start = ctx.outer_span(node).start
    return Edit(Span(start, start), text)


def insert_before_argument(ctx: FileContext, arg: cst.Arg, text: str) -> Edit:
    """Insert ``text`` before an argument, its keyword or star included."""
    start = ctx.span(arg).start
    return Edit(Span(start, start), text)


def insert_after(ctx: FileContext, node: cst.CSTNode, text: str) -> Edit:
    """Insert ``text`` after the expression ``node`` and its parentheses."""
    end = ctx.outer_span(node).end
    return Edit(Span(end, end), text)


def keep_only(ctx: FileContext, node: cst.CSTNode, kept: cst.CSTNode) -> list[Edit] | None:
    """Delete all of the expression ``node`` but ``kept``, a part of it; None where a comment would go.

    Parentheses that hold comments stay, and those round what may need them to span lines; those of ``kept`` go where it
    is then all that an ``if`` asks.
    """
    part = ctx.outer_span(kept)
    bare, text = ctx.span(kept), ctx.source.text
    is_test = isinstance(ctx.tree.parent(node), cst.If) and text[ctx.outer_span(node).start - 1] == " "
    if is_test and ctx.outer_span(node) == ctx.span(node) and not _needs_brackets(text[part.start : part.end]):
        part = bare
    outer = [] if _needs_brackets(ctx.source.text[part.start : part.end]) else [ctx.outer_span(node)]
    for whole in (*outer, ctx.span(node)):
        around = [Edit(Span(whole.start, part.start), ""), Edit(Span(part.end, whole.end), "")]
        if all(without_comment(ctx, edit) for edit in around):
            return [edit for edit in around if edit.span.start < edit.span.end]
    return None


def cut_after(ctx: FileContext, node: cst.CSTNode, kept: cst.CSTNode) -> Edit | None:
    """Delete what follows ``kept``, with which the expression ``node`` begins; None where a comment would go."""
    return without_comment(ctx, Edit(Span(ctx.outer_span(kept).end, ctx.span(node).end), ""))


def without_comment(ctx: FileContext, edit: Edit) -> Edit | None:
    """``edit``, or None where it deletes a comment."""
    return edit if "#" not in ctx.source.text[edit.span.start : edit.span.end] else None


def arguments_span(ctx: FileContext, call: cst.Call) -> Span:
    """What stands between the parentheses of a call, comments and white space included."""
    opening = ctx.outer_span(call.whitespace_after_func).end
    return Span(opening + 1, ctx.span(call).end - 1)


def replace_arguments(ctx: FileContext, call: cst.Call, text: str) -> Edit:
    """Replace everything between the parentheses of a call; keep comments if there was nothing else."""
    inside = arguments_span(ctx, call)
    if not call.args and "#" in ctx.source.text[inside.start : inside.end]:
        return Edit(Span(inside.start, inside.start), text)
    return Edit(inside, text)


def argument_text(ctx: FileContext, arg: cst.Arg) -> str:
    """An argument as written, with its star or keyword, without its comma."""
    return ctx.source.text[ctx.span(arg).start : ctx.outer_span(arg.value).end]


def add_argument(ctx: FileContext, call: cst.Call, *arguments: tuple[str, str]) -> Edit | None:
    """Append keyword arguments; None for a bare generator, which would need parentheses."""
    text = in_style(ctx, call, arguments)
    if not call.args:
        return replace_arguments(ctx, call, text)
    last = call.args[-1].value
    return None if isinstance(last, cst.GeneratorExp) and not last.lpar else insert_after(ctx, last, text)


def remove_argument(ctx: FileContext, call: cst.Call, arg: cst.Arg) -> Edit:
    """Delete one argument with the comma that joins it to its neighbour."""
    index = next(i for i, other in enumerate(call.args) if other is arg)
    start, end = ctx.span(arg).start, ctx.outer_span(arg.value).end
    if index + 1 < len(call.args):
        return Edit(Span(start, ctx.span(call.args[index + 1]).start), "")
    if index > 0:
        return Edit(Span(ctx.outer_span(call.args[index - 1].value).end, end), "")
    inside, text = arguments_span(ctx, call), ctx.source.text
    has_comment = "#" in text[inside.start : inside.end]
    return Edit(inside, text[inside.start : start] + _COMMA.sub(r"\1", text[end : inside.end]) if has_comment else "")


def replace_argument(ctx: FileContext, arg: cst.Arg, text: str) -> Edit:
    """Replace one argument with its star or keyword, but not its comma."""
    return Edit(Span(ctx.span(arg).start, ctx.outer_span(arg.value).end), text)


def remove_items(ctx: FileContext, items: Sequence[cst.CSTNode], gone: Collection[int]) -> list[Edit]:
    """Delete the items at the indices ``gone``, but not all: names of an import, or statements of one line."""
    kept = [index for index in range(len(items)) if index not in gone]
    inner = [index for index in gone if index < kept[-1]]
    edits = [Edit(Span(ctx.span(items[index]).start, ctx.span(items[index + 1]).start), "") for index in inner]
    if kept[-1] < len(items) - 1:
        edits.append(Edit(Span(ctx.span(items[kept[-1]]).end, ctx.span(items[-1]).end), ""))
    return edits


def add_names(ctx: FileContext, names: Sequence[cst.ImportAlias], added: Sequence[str]) -> list[Edit]:
    """Add names to an import, each where the order of those that are there puts it, separated as they are."""
    present = [ctx.text_of(one.name) for one in names]
    ends = [ctx.span(one.asname.name if one.asname else one.name).end for one in names]
    between = ctx.source.text[ends[0] : ctx.span(names[1]).start] if len(names) > 1 else ", "
    in_order = present == sorted(present) or present == sorted(present, key=str.lower)
    groups: dict[int, list[str]] = {}
    for name in added:
        later = (index for index, other in enumerate(present) if other.lower() > name.lower())
        groups.setdefault(next(later, len(names)) if in_order else len(names), []).append(name)
    made = []
    for index, group in groups.items():
        if index < len(names):
            start = ctx.span(names[index]).start
            made.append(Edit(Span(start, start), "".join(name + between for name in group)))
        else:
            made.append(Edit(Span(ends[-1], ends[-1]), "".join(between + name for name in group)))
    return made


def join(edits: Iterable[Edit]) -> list[Edit]:
    """``edits`` with insertions made part of the deletion they touch, since neither could be made alone."""
    joined: list[Edit] = []
    for edit in sorted(set(edits)):
        if joined and joined[-1].span.overlaps(edit.span) and joined[-1].span.end <= edit.span.start:
            before = joined.pop()
            edit = Edit(Span(before.span.start, edit.span.end), before.text + edit.text)
        joined.append(edit)
    return joined
