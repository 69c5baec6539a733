"""Pieces of the regular expressions by which a rule says without which code it finds nothing (``Rule.patterns``).

They are matched with bytes that may be anything, so repetitions are possessive where they can be: nothing is tried
twice. An expression that begins with letters is looked for some ten times faster than one that does not.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

GAP = r"(?:[\s\\]|#.*\n)*+"
"""What may stand between two tokens: white space, comments, the backslash before a newline."""
CLOSED = r"(?:[\s\\)]|#.*\n)*+"
"""The same with parentheses around what stands before."""
OPENED = r"(?:[\s\\(]|#.*\n)*+"
"""The same with parentheses around what comes next."""
DOT = rf"{CLOSED}\.{GAP}"
CALL = rf"{CLOSED}\("
"""What follows a name that is called, up to the opening parenthesis."""
ASSIGNED = r"(?<![=!<>])=(?!=)"
"""The sign of an assignment or a keyword argument, and no comparison."""
QUOTE = r"[\"']"
OPEN, CLOSE = rf"[rRuUbBfF]*+{QUOTE}++", rf"{QUOTE}++"
"""Where a string begins and ends, whatever its quotes."""
_STRING = (
    r"(?:\"\"\"(?:[^\"\\]|\\(?s:.)|\"(?!\"\"))*+\"\"\"|'{3}(?:[^'\\]|\\(?s:.)|'(?!''))*+'{3}"
    r"|\"(?:[^\"\\\n]|\\(?s:.))*+\"|'(?:[^'\\\n]|\\(?s:.))*+')"
)
_NO_BRACKET = r"[^()\[\]{}\"'#]"
_DEPTH = 6
"""Brackets nested deeper stand in no line that anybody reads."""


def any_of(names: Iterable[str]) -> str:
    """One of ``names``, as a whole."""
    return rf"(?:{'|'.join(sorted(set(names)))})(?!\w)"


def brackets(inside: str = _NO_BRACKET) -> str:
    """A pair of brackets with all that is in it; right between them stand brackets and characters like ``inside``."""
    pair = r"(?!)"
    for level in range(_DEPTH):
        character = inside if level == _DEPTH - 1 else _NO_BRACKET
        pair = rf"[(\[{{](?:{character}|{_STRING}|#[^\n]*\n|{pair})*+[)\]}}]"
    return pair


def imported(module: str, names: Iterable[str]) -> str:
    """``from module import name``, whatever ``as`` makes of it."""
    listed = r"(?:[\s\\]*+\((?:[^)#]|#[^\n]*\n)*?|(?:[^\n(#]|(?<=\\)\r?\n)*?)"
    return rf"from[\s\\]++{module}[\s\\]++import\b{listed}\b{any_of(names)}"


def _imported_from(module: str) -> str:
    """``torch.module`` in an import that may give something of it another name; no such module of another package."""
    return rf"{module}(?<![^h\s]\.{module})(?:{DOT}\w++)*+{GAP}(?:as|import)\b"


_USUAL = ("is_available", "device_count", "empty_cache", "manual_seed", "manual_seed_all")
"""What is asked of ``torch.cuda`` in most files that ask anything of it, besides types of tensors."""
_TYPE = "Tensor"


def of_cuda(names: Iterable[str]) -> tuple[str | tuple[str, ...], ...]:
    """``torch.cuda.name`` and ``torch.cuda.module.name``, or an import that may give it another name."""
    every = frozenset(names)
    more = rf"cuda{DOT}(?!{any_of(_USUAL)}|\w*?{_TYPE}(?!\w))\w"
    asked = rf"cuda(?:{DOT}\w++)??{DOT}{any_of(every)}"
    if every.intersection(_USUAL):
        return asked, _imported_from("cuda")
    are_types = all(name.endswith(_TYPE) for name in every)
    return (_TYPE if are_types else more, asked), _imported_from("cuda")


NEAR = r"(?:(?s:.{0,1000}?)|(?:[^#]|#.*\n){0,1000}?)"
"""What lies between two parts of one expression: for a pattern that says where a dearer one is worth it.

A thousand characters are more than any expression has on which a rule is to find something, without its comments.
"""
TORCH_RENAMED = r"torch[\s\\]++as[\s\\]++(?!torch\b)"
"""``import torch as something``."""
OF_ACCELERATOR = (
    rf"torch{DOT}accelerator\b",
    _imported_from("accelerator"),
    imported("torch", ["accelerator"]),
    TORCH_RENAMED,
)
"""``torch.accelerator`` under any name."""
DTYPE = (
    r"(?:float(?:16|32|64)?|double|half|bfloat16|u?int(?:8|16|32|64)?|short|long|bool|complex(?:32|64|128)?|cfloat|cdouble)"
    r"(?!\w)"
)
"""The name of a dtype."""
CUDA_METHOD, TO_METHOD = (rf"{name}(?<=[.\s\\]{name}){CALL}" for name in ("cuda", "to"))
"""The calls of ``x.cuda()`` and ``x.to()``, up to the opening parenthesis."""
_NOT_GIVEN = (
    *(r"[\[{]", "[!=]=", r"(?:[!=]= |\bin |\bif )", r"in [(\[]", "else ", "(?:return |_types=)"),
    *("_type=", "(?:return f|_type = )", "_types = "),
)
"""What stands before a string that is plainly compared, returned, listed or looked up, by its length."""
_GIVEN = "".join(rf"(?<!{before}{QUOTE}cuda)" for before in _NOT_GIVEN)
_OF_SEVERAL = rf"(?:(?<=[,:]\({QUOTE}cuda)|(?<=[,:] \({QUOTE}cuda)){QUOTE}\s*,\s*(?:{QUOTE}|\))"
"""In a tuple, which is neither called nor assigned, there are others after it."""
CUDA_GIVEN = rf"cuda(?<={QUOTE}cuda){_GIVEN}(?!{_OF_SEVERAL})"
"""The beginning of a string that names CUDA, but where one is plainly compared, returned, listed or looked up."""
CUDA_STRINGS = (
    (
        "cuda",
        rf"cuda(?<={QUOTE}cuda)[^\"'\n]*+{CLOSE}(?![ \t]*+if\b)",
        rf"{CUDA_GIVEN}(?::[^\"'\n]*+)?+{CLOSE}(?![ \t]*+if\b)(?:(?!{GAP}:)|(?<==\Scuda{QUOTE})|(?<==\s\Scuda{QUOTE}))",
    ),
    ("cuda", ":=", rf":=[^:]*?{QUOTE}cuda"),
    ("cuda", "lambda", rf"lambda\b[^:]*?{QUOTE}cuda"),
)
"""Such a string as far as it may become a device: it is no key of a dict either."""
CUDA_CARD = ("cuda:", rf"{CUDA_GIVEN}:")
"""Such a string with the number of a card."""
_SOLE_STRING = rf"{OPEN}(?!cuda{CLOSE}{CLOSED},|[^\"'\n]*+{CLOSE}{GAP}[rRuU]?+{QUOTE}|{GAP}[rRuU]?+{QUOTE})"
CARDS = (rf"device(?<!\wdevice)(?:{CALL}{OPENED}(?!{_SOLE_STRING})|{GAP}as\b)",)
"""``torch.device(0)``, ``torch.device("cuda", rank)``, and ``from torch import device as something``.

A string alone is no card by its number, and another one than ``cuda`` no card of CUDA, unless more strings follow it.
"""
