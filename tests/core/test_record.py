"""Values that are as dataclasses are, without them."""

from __future__ import annotations

import dataclasses
import pickle
from functools import cached_property

import pytest

from devlint.core.record import Record


class Place(Record):
    """A record of this test."""

    row: int
    name: str = "here"
    inner: Place | None = None

    @cached_property
    def twice(self) -> int:
        return 2 * self.row


class Other(Record):
    """Another one with the same fields."""

    row: int
    name: str = "here"
    inner: Place | None = None


def test_fields_are_given_by_place_and_by_name_and_have_defaults() -> None:
    place = Place(1, inner=Place(2, "there"))
    assert (place.row, place.name, place.inner) == (1, "here", Place(name="there", row=2))
    assert repr(place) == "Place(row=1, name='here', inner=Place(row=2, name='there', inner=None))"


def test_equal_values_are_equal_and_hash_alike() -> None:
    assert Place(1) == Place(1, "here", None) != Place(2)
    assert len({Place(1), Place(1, "here"), Place(2)}) == 2
    assert Place(1) != Other(1) and Place(1) != (1, "here", None)


def test_replace_changes_some_fields_of_a_copy() -> None:
    place = Place(1, "there")
    assert place.twice == 2
    moved = place.replace(row=5)
    assert (moved, moved.twice, place.row) == (Place(5, "there"), 10, 1)
    with pytest.raises(AssertionError):
        place.replace(rwo=5)


def test_a_record_of_a_record_has_the_fields_of_both() -> None:
    class Longer(Place):
        """With one field more."""

        column: int = 1

    class Same(Longer):
        """With none."""

    assert Longer(1, "there", None, 5) == Longer(row=1, name="there", column=5)
    assert Same._fields == Longer._fields == ("row", "name", "inner", "column")


def test_records_are_frozen() -> None:
    place = Place(1)
    with pytest.raises(AttributeError, match="Place is frozen: 'row' cannot be set"):
        place.row = 2  # type: ignore[misc]


def test_records_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(Place(1, inner=Place(2)))) == Place(1, inner=Place(2))


class Version(Record, order=True):
    """A record with an order."""

    major: int
    minor: int = 0


class Node(Record, eq=False):
    """A record that is equal to itself alone."""

    name: str


def test_records_are_in_order_where_their_class_says_so() -> None:
    assert sorted([Version(2), Version(1, 5), Version(1)]) == [Version(1), Version(1, 5), Version(2)]
    assert Version(1) < Version(1, 5) <= Version(1, 5) < Version(2) > Version(1, 5) >= Version(1, 5)
    for one, other in ((Place(1), Place(2)), (Version(1), Place(2)), (Version(1), (2, 0))):
        with pytest.raises(TypeError):
            assert one < other  # type: ignore[operator]


def test_a_record_without_equality_is_itself_alone() -> None:
    node = Node("a")
    assert node == node != Node("a")
    assert len({node, node, Node("a")}) == 2


def test_a_record_is_a_dataclass_to_the_functions_for_these() -> None:
    place = Place(1, inner=Place(2, "there"))
    assert dataclasses.is_dataclass(place) and [field.name for field in dataclasses.fields(place)] == [*Place._fields]
    assert dataclasses.asdict(place)["inner"] == {"row": 2, "name": "there", "inner": None}
    assert dataclasses.replace(place, row=5) == place.replace(row=5)
