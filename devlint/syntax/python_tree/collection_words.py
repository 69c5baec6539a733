"""Words of Python for collections: what makes one of another, and what gives an element or the same object back."""

from __future__ import annotations

SAME = frozenset("train eval to cuda cpu copy share_memory requires_grad_ apply float half double".split())
"""Methods that give back the object that they are called on."""
ELEMENTS = frozenset("pop popleft popitem get setdefault".split())
"""Methods that give an element of a collection."""
WALKED = frozenset("values items".split())
COLLECTIONS = frozenset("list tuple set frozenset iter reversed sorted deque ModuleList".split())
"""What makes a collection, or an iterator, of the elements of another."""
PAIRS = frozenset({"dict", "OrderedDict"})
JOINED = frozenset({"zip", "enumerate", "chain"})
ASKED_FOR_ELEMENTS = ("__iter__", "__getitem__", "__next__")
