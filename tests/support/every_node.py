"""Sources that together use every node type LibCST can parse."""

from __future__ import annotations

EVERY_NODE = r"""import a, b.c as d
from . import e
from ..f.g import (h as i, j,)
from k import *
global_ = 1; x: int = 2; y: str; x += 1; z = w = 3
del x, (y, [z]), a.b, c[0]
# an empty line, and one of its own

assert a, "m"
pass
type T[A: int = 3, *B = *tuple[int], **P = [int]] = list[A]
@dec(1)
@dec2
async def fn[T: (int, str)](p, /, q: int = 1, *args: int, k, k2=3, **kw) -> int:
    '''Doc'''
    global g
    nonlocal_ = 1
    async with a as b, c: pass
    async for t in u:
        await v
    else:
        continue
    return
def fn2(a, *, b=1, c): nonlocal n; yield; yield 1; yield from z; raise E from f; raise
def fn3(*, a): return (yield)
class C[T](A, *b, metaclass=M, **k):
    '''Doc'''
    a = 1
class D: pass
class E_(): x = 1
if a: pass
elif b: pass
else: pass
while a:
    break
else:
    pass
for a, (b, *c) in d: pass
else: pass
try: pass
except A as b: pass
except (B, C): pass
except: pass
else: pass
finally: pass
try:
    pass
except* A as e:
    pass
except* B:
    pass
else:
    pass
finally:
    pass
with (a as b, c as (d, e),): pass
with a, b as c: pass
match a, b:
    case 1 | -2 | "s" | None | True | 1 + 2j: pass
    case [a, *b, _]: pass
    case (a, b) if c: pass
    case {"k": v, **rest}: pass
    case {}: pass
    case C(a, b=c): pass
    case a.b: pass
    case x as y: pass
    case [*_]: pass
    case _: pass
x = a if b else c
x = a and b or not c
x = -a + ~b * +c / d // e % f ** g @ h << i >> j & k | l ^ m
x = a < b > c <= d >= e == f != g in h not in i is j is not k
x = (a, b, *c), [a, *b], {a, *b}, {a: b, **c}, (), [], {}
x = [a for b in c if d if e for f in g], {a for b in c}, {a: b for c, d in e}, (a for b in c), [a async for b in c]
x = lambda: 0, lambda a, /, b=1, *c, d, e=2, **f: g
x = a.b.c[1][1:2, ::3, ...][*a](b, *c, d=e, **f)
x = "a" 'b' f"c{d!r:>{e}}{f=}", b'g' rb'h'
x = 1, 1.5, 2j, 0xff, ...
x = (y := 1)  # comment
x = (
    1  # comment
)
print(f"{x}" "a")
x = a - b
lambda *, a: a
x -= 1; x *= 1; x /= 1; x //= 1; x %= 1; x **= 1; x @= 1; x <<= 1; x >>= 1; x &= 1; x |= 1; x ^= 1
"""

NEW_SYNTAX = r"""x = t"a{b!r:>{c}}d"
x = [*a for a in b], {**a for a in b}
"""

LAZY_IMPORTS = """lazy import a
lazy from b import c
"""
