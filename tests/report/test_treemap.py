"""The treemap: rectangles inside of their folders, apart from each other, as large as what they stand for."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devlint.report.folders import tree_of
from devlint.report.treemap import Tile, TreeNode, squarified, tiles
from tests.support.report_project import report_on, write_project


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.integers(1, 10**6), max_size=40), st.integers(1, 2000), st.integers(1, 2000))
def test_rectangles_fill_the_box_and_are_as_large_as_their_weights(weights: list[int], width: int, height: int) -> None:
    weights.sort(reverse=True)
    boxes = squarified(weights, (3.0, 5.0, width, height))
    assert len(boxes) == len(weights)
    whole = sum(weights) or 1
    for weight, (x, y, w, h) in zip(weights, boxes):
        assert w * h == pytest.approx(weight / whole * width * height, rel=1e-3, abs=1e-6)
        assert x >= 3 - 1e-6 and y >= 5 - 1e-6
        assert x + w <= 3 + width + 1e-3 * width and y + h <= 5 + height + 1e-3 * height


def test_rectangles_are_like_squares() -> None:
    boxes = squarified([6, 6, 4, 3, 2, 2, 1], (0, 0, 6, 4))  # the example of the paper
    assert max(max(w / h, h / w) for _, _, w, h in boxes) < 3


def overlap(one: Tile, other: Tile) -> bool:
    across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
    down = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
    return across > 1e-6 and down > 1e-6


def test_files_do_not_cover_each_other() -> None:
    folders = tuple(
        TreeNode(
            f"f{at}", 30, "folder", f"f{at}/", "", tuple(TreeNode(f"{one}.py", one, "safe") for one in range(1, 8))
        )
        for at in range(4)
    )
    found = tiles(TreeNode("", 120, "folder", "", "", folders), 800, 400)
    files = [one for one in found if not one.is_folder]
    assert len(files) == 28
    assert not [1 for at, one in enumerate(files) for other in files[at + 1 :] if overlap(one, other)]


def test_what_is_too_small_to_see_is_one_tile_for_each_kind() -> None:
    small = tuple(TreeNode(f"{at}.py", 1, "safe" if at % 2 else "hand") for at in range(1000))
    found = tiles(
        TreeNode("", 1_001_000, "folder", "", "", (TreeNode("big.py", 1_000_000, "portable"), *small)), 300, 100
    )
    assert len(found) == 3
    assert {one.node.name for one in found} == {"big.py", "500 small"}


def test_folders_with_one_folder_in_them_are_one(tmp_path_factory: pytest.TempPathFactory) -> None:
    top = tmp_path_factory.mktemp("top")
    write_project(top / "a" / "b" / "c")
    (top / "x.py").write_text("import torch\n")
    tree = tree_of(report_on(top).files)
    (folder,) = (one for one in tree.children if one.children)
    assert (folder.name, folder.key) == ("a/b/c", "a/b/c/")
    assert folder.weight == sum(one.weight for one in folder.children)
