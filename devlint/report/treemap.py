"""Lays out a treemap: nested rectangles, as large as what they stand for, and as near to squares as they can be.

``squarify`` on PyPI lays out one level and draws with matplotlib; folders in folders with room for their names take the
forty lines below, and no dependency.
"""

from __future__ import annotations

from devlint.core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HEADER = 15.0
"""The height of a folder's name."""
GAP = 1.5
_LEAST = 16.0
"""The least area, in square pixels, of a tile of its own."""
_NAMED_WIDTH, _NAMED_HEIGHT = 46.0, 34.0
"""The least size of a folder that has its name above its files."""


class TreeNode(Record):
    """What a rectangle stands for: a file, a project, or a folder of some."""

    name: str
    weight: float
    kind: str
    """The class of its colour: a value of ``Portability``, or of anything else that the page has colours for."""
    key: str = ""
    """What a click on it asks for."""
    label: str = ""
    """What is said of it."""
    children: tuple[TreeNode, ...] = ()


class Tile(Record):
    """A rectangle; one of a folder is drawn below those of its files."""

    x: float
    y: float
    width: float
    height: float
    node: TreeNode
    is_folder: bool
    has_name: bool
    """Whether there is room for its name."""


def tiles(root: TreeNode, width: float, height: float) -> list[Tile]:
    """The rectangles of a tree, folders before what is in them."""
    return list(_below(root, (0.0, 0.0, width, height)))


_Box = tuple[float, float, float, float]


def _below(folder: TreeNode, box: _Box) -> Iterator[Tile]:
    """The rectangles of what is in a folder, in a box."""
    children = _joined(folder, box[2] * box[3])
    for child, (x, y, width, height) in zip(children, squarified([one.weight for one in children], box)):
        inner_width, inner_height = max(width - GAP, 0.3), max(height - GAP, 0.3)
        if not child.children:
            has_name = inner_width >= 7 * min(len(child.name), 8) + 6 and inner_height >= 14
            yield Tile(x, y, inner_width, inner_height, child, False, has_name)
            continue
        has_name = inner_width >= _NAMED_WIDTH and inner_height >= _NAMED_HEIGHT
        yield Tile(x, y, inner_width, inner_height, child, True, has_name)
        top = HEADER if has_name else 0.0
        yield from _below(child, (x + GAP, y + top, max(inner_width - GAP, 0.3), max(inner_height - top, 0.3)))


def _joined(folder: TreeNode, area: float) -> list[TreeNode]:
    """What is in a folder, the heaviest first; all that would be too small to see is one tile for each kind."""
    whole = sum(one.weight for one in folder.children) or 1.0
    large: list[TreeNode] = []
    small: dict[str, list[TreeNode]] = {}
    for child in folder.children:
        if child.weight <= 0:
            continue
        if child.weight / whole * area >= _LEAST:
            large.append(child)
        else:
            small.setdefault(child.kind, []).append(child)
    for kind, group in small.items():
        if len(group) == 1:
            large += group
            continue
        label = f"{len(group)} small entries of {folder.name or 'this folder'}"
        weight = sum(one.weight for one in group)
        large.append(TreeNode(f"{len(group)} small", weight, kind, folder.key, label))
    return sorted(large, key=lambda one: (-one.weight, one.name))


def squarified(weights: Sequence[float], box: _Box) -> list[_Box]:
    """A rectangle in the box for each weight (in falling order), as large as its share.

    The algorithm of Bruls, Huizing and van Wijk: rows along the shorter side, each as long as that makes its
    rectangles more like squares.
    """
    x, y, width, height = box
    scale = width * height / (sum(weights) or 1.0)
    areas = [one * scale for one in weights]
    placed: list[_Box] = []
    at = 0
    while at < len(areas):
        side = min(width, height)
        end, row = at + 1, areas[at]
        while end < len(areas) and _worst(areas[at], areas[end], row + areas[end], side) <= _worst(
            areas[at], areas[end - 1], row, side
        ):
            row += areas[end]
            end += 1
        depth = row / side if side else 0.0
        offset = 0.0
        for area in areas[at:end]:
            length = area / depth if depth else 0.0
            is_column = width >= height
            placed.append((x, y + offset, depth, length) if is_column else (x + offset, y, length, depth))
            offset += length
        if width >= height:
            x, width = x + depth, max(width - depth, 0.0)
        else:
            y, height = y + depth, max(height - depth, 0.0)
        at = end
    return placed


def _worst(largest: float, smallest: float, row: float, side: float) -> float:
    """How far from a square the worst rectangle of a row is."""
    if not smallest or not side:
        return float("inf")
    return max(side * side * largest / (row * row), row * row / (side * side * smallest))
