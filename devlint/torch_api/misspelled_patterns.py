"""Finds what is asked of torch with regular expressions, whatever stands between the names."""

from __future__ import annotations

import re
from functools import lru_cache

from devlint.core.regex_fragments import DOT, GAP
from devlint.torch_api.module_members import DEVICE_NAMES, intended, is_misspelled

_CHAIN = rf"(?:{DOT}\w++)"
_TORCH = rf"torch(?<!\wtorch)\b({_CHAIN}*+)(?:{GAP}as\b{GAP}([\w\x80-\xff]++))?".encode()
_LINE_GAP = r"(?:[ \t\f]|\\\r?\n)*+"
_NAMES = rf"{_LINE_GAP}\((?:[^)#]|#[^\n]*)*+|(?:[^\n#\\]|\\\r?\n)*+"
_IMPORTED = rf"from\b{GAP}(torch{_CHAIN}*+){GAP}\bimport\b({_NAMES})".encode()
_NOT_NAMES = r"#[^\n]*|[\s\\)]"
_ALIAS = r"\b(\w+)(?:\s+as\s+(\w+))?"


def misspell(code: bytes) -> bool:
    """Whether bytes may ask torch for a name that is a misspelling of one of its own."""
    uses = set(re.findall(_TORCH, code))
    if any(_is_misspelled("torch", chain) for chain, _ in uses):
        return True
    modules = {(_plain(b"torch" + chain), alias.decode("utf-8", "replace")) for chain, alias in uses if alias}
    for module, names in {(_plain(module), names) for module, names in re.findall(_IMPORTED, code)}:
        imported = _imported(names)
        if any(intended(module, name) for name, _ in imported):
            return True
        modules |= {(f"{module}.{name}", alias) for name, alias in imported}
    return any(_misspelled_below(code, module, alias) for module, alias in modules if module in DEVICE_NAMES)


def _misspelled_below(code: bytes, module: str, alias: str) -> bool:
    """Whether something that does not exist is asked of a module under the name of ``alias``."""
    # The name first, and only then what may not stand before it: ten times faster than the other way round.
    chains = re.findall(rf"{alias}(?<!\w{alias})({_CHAIN}++)".encode(), code)
    return any(_is_misspelled(module, chain) for chain in set(chains))


@lru_cache(maxsize=4096)
def _plain(chain: bytes) -> str:
    """Names and dots without what stands between them."""
    return re.sub(_NOT_NAMES, "", chain.decode("utf-8", "replace"))


@lru_cache(maxsize=4096)
def _imported(names: bytes) -> list[tuple[str, str]]:
    """The names that are imported, and what they are called then."""
    listed = re.sub(r"#[^\n]*|\\", " ", names.decode("utf-8", "replace"))
    return [(name, alias or name) for name, alias in re.findall(_ALIAS, listed)]


@lru_cache(maxsize=4096)
def _is_misspelled(module: str, chain: bytes) -> bool:
    """Whether a name in a chain of attributes of ``module`` is the misspelling of another."""
    return is_misspelled(module, _plain(chain))
