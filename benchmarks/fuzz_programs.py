"""Generates programs with device code in every slot of Python's grammar; a seed gives each again."""
# ruff: noqa: E501 -- tables of code

from __future__ import annotations

import random
import sys
import textwrap

CODE = """
torch.zeros(2).cuda() | y.to("cuda:0") | torch.device("cuda") | torch.cuda.is_available() | torch.cuda.synchronize()
torch.load("f.pt") | torch.nn.Linear(2, 2).cuda().half() | torch.cuda.FloatTensor(2, 3).fill_(0) | x.is_cuda
torch.randn(3, device="cuda", requires_grad=True) | torch.cuda.Stream() | torch.cuda.manual_seed_all(1)
x.type(torch.cuda.FloatTensor) | x.to("cuda") | torch.cuda.amp.GradScaler() | x.cuda(non_blocking=True)
torch.cuda.device_count() | torch.cuda.LongTensor([1, 2]) | torch.arange(3)[None].cuda() | model.cuda(0)
torch.ones(2).to(device=torch.device("cuda:1"), dtype=torch.half) | x.cuda(0).cuda() | torch.cuda.empty_cache()
os.environ["CUDA_VISIBLE_DEVICE"] | net(x.cuda()).cuda() | torch.from_numpy(a).float().cuda() | DataLoader(d, pin_memory=True)
torch.cuda.amp.autocast() | torch.cuda.current_device() | torch.zeros(2).to(x.device) | x.get_device() | self.net.cuda()
torch.tensor([1.0]).cuda(args.gpu) | x.cuda() if use_cuda else x | torch.cuda.Event(enable_timing=True) | th.ones(1).cuda()
"""
EXPRESSIONS = [one.strip() for line in CODE.strip().split("\n") for one in line.split("|")]

SLOTS = """
{} ▏ x = {} ▏ x: object = {} ▏ x += {} ▏ x, y = {}, {} ▏ x = y = {} ▏ self.x = {} ▏ x[{}] = {} ▏ del a[{}] ▏ assert {}, {}
print({}) ▏ f(*{}) ▏ f(**{}) ▏ f(a, k={}) ▏ x = [{}] ▏ x = {{{}}} ▏ x = {{1: {}, **{}}} ▏ x = ({},) ▏ x = [{}, *{}]
x = lambda a={}: {} ▏ x = [{} for i in {} if {}] ▏ x = {{i: {} for i in a}} ▏ x = ({} for i in a for j in {})
x = {} if {} else {} ▏ x = {} and {} or not {} ▏ x = {} < {} <= {} ▏ x = -{} ** 2 ▏ x = ({}).a.b[{}:{}] ▏ x = (y := {})
x = f'''{{{}}}''' ▏ x = f'''{{a!r:>{{{}}}}}''' ▏ x = ({}  # why⏎) ▏ x = (⏎{}⏎    # alone⏎) ▏ x = {}; y = {} ▏ x = {};
if {}: y = {} ▏ while {}: break ▏ for i in {}: pass ▏ with {} as a, b: pass ▏ with ({} as a, {}): pass ▏ raise {} from {}
@d({})⏎def f(a={}, *, b=({})): pass ▏ class C({}, metaclass={}): x = {} ▏ match {}:⏎    case [a, *_] if {}: {}
x = {} \\⏎    + 1 ▏ x = {}  # noqa: DEV101 ▏ x = {}  # é ☃ ▏ async def f(): await {} ▏ async def f(): return [i async for i in {}]
def f(): return {} ▏ def f(): yield {} ▏ def f(): x = yield from {} ▏ import torch; x = {} ▏ try: {}⏎except {}: {}
global x; x = {} ▏ torch.cuda.FloatTensor = {} ▏ x = {}.cpu() ▏ x = {}[0] ▏ x = str({}) ▏ x = getattr({}, "cuda")()
"""
STATEMENTS = [one.strip().replace("⏎", "\n") for line in SLOTS.strip().split("\n") for one in line.split("▏")]

BLOCKS = """
if a:⏎#BODY ▏ if a:⏎#BODY⏎else:⏎#BODY ▏ if a:⏎    pass⏎elif b:⏎#BODY ▏ while a:⏎#BODY⏎else:⏎#BODY ▏ for i in a:⏎#BODY
for i, (j, k) in a:⏎#BODY⏎else:⏎#BODY ▏ with a as b:⏎#BODY ▏ try:⏎#BODY⏎finally:⏎#BODY ▏ try:⏎#BODY⏎except (A, B) as e:⏎#BODY
try:⏎#BODY⏎except A:⏎#BODY⏎else:⏎#BODY⏎finally:⏎#BODY ▏ def f(a, /, b=1, *c, d=2, **k) -> None:⏎#BODY ▏ def device():⏎#BODY
class C(torch.nn.Module):⏎#BODY ▏ class C:⏎    def __init__(self, device):⏎        super().__init__()⏎##BODY
async def h():⏎#BODY ▏ async def h():⏎    async with a as b:⏎##BODY ▏ match x:⏎    case {"a": 1, **r} | [1, r]:⏎##BODY
match x:⏎    case C(a=1) as b if b:⏎##BODY⏎    case _:⏎##BODY ▏ @dec(1)⏎@torch.no_grad()⏎def g():⏎    \"\"\"Doc.\"\"\"⏎#BODY
if torch.cuda.is_available():⏎#BODY ▏ if torch.cuda.is_available():⏎#BODY⏎else:⏎#BODY ▏ if __name__ == "__main__":⏎#BODY
def main(args):⏎    global x⏎#BODY ▏ def outer():⏎    x = 1⏎⏎    def inner():⏎        nonlocal x⏎##BODY
with torch.cuda.device(0):⏎#BODY ▏ def forward(self, x):⏎    # first⏎#BODY⏎    return x ▏ if not torch.cuda.is_available():⏎    raise E⏎else:⏎#BODY
"""
NESTINGS = [one.strip().replace("⏎", "\n") for line in BLOCKS.strip().split("\n") for one in line.split("▏")]
if sys.version_info >= (3, 11):
    NESTINGS.append("try:\n#BODY\nexcept* A:\n#BODY")
if sys.version_info >= (3, 12):
    NESTINGS += ["def f[T: (int, str), *Ts, **P](a: T):\n#BODY", "class C[T]:\n#BODY"]
    STATEMENTS += ["type X[T] = {}", 'x = f"{{{}["a"]}}"']

HEADS = """
import torch ▏ import torch, os ▏ import torch as th, torch ▏ from torch import * ▏ from torch import cuda ▏ import torch.nn as nn ▏ '''Doc.'''
from __future__ import annotations ▏ from torch import device, nn ▏ device = torch.device("cuda") ▏ use_cuda = torch.cuda.is_available()
device = "cuda" if torch.cuda.is_available() else "cpu" ▏ torch = None ▏ try:⏎    import torch⏎except ImportError:⏎    torch = None
__all__ = ["device"] ▏ # -*- coding: utf-8 -*- ▏ #!/usr/bin/env python ▏ import argparse; args = argparse.ArgumentParser().parse_args()
def device(): pass ▏ class torch: pass ▏ for device in (1, 2): pass ▏ if a:⏎    import torch ▏ import os⏎os.environ["CUDA_VISIBLE_DEVICES"] = "0"
from typing import TYPE_CHECKING⏎if TYPE_CHECKING:⏎    import torch ▏ from .a import torch ▏ DEVICE = "cuda:0" ▏ # comment ▏ global device
"""
FIRST_LINES = [one.strip().replace("⏎", "\n") for line in HEADS.strip().split("\n") for one in line.split("▏")]

FREE_NAMES = "x = model = net = self = made()"
"""Binds what the expressions read, so that no name is undefined whether a fix reads it once or twice."""

BINDS_TORCH = ("import torch", "from torch import", "torch = None", "class torch")


def program(seed: int) -> str:
    """A program with device code somewhere, which compiles or not, and would seldom run."""
    rng = random.Random(seed)
    parts = rng.sample(FIRST_LINES, rng.randrange(4)) if rng.random() < 0.5 else ["import torch"]
    if not any(word in part for word in BINDS_TORCH for part in parts):
        parts.insert(1 if parts[:1] and parts[0].startswith(("from __future__", "'", "#")) else 0, "import torch")
    parts += [FREE_NAMES, *(block(rng, rng.randrange(4)) for _ in range(rng.choice([1, 1, 1, 2, 2, 3])))]
    text = "\n".join(parts) + rng.choice(["\n"] * 8 + ["", "\n\n", "\n# end\n", "\r"])
    style = rng.randrange(20)
    if style == 0:
        text = text.replace("\n", "\r\n")
    elif style == 1:
        text = text.replace("    ", "\t")
    elif style == 2:
        text = text.replace("\ndef ", "\n\f\ndef ")
    return text


def block(rng: random.Random, depth: int) -> str:
    """Some statements, in blocks that are nested that deeply."""
    if depth == 0:
        return "\n".join(statement(rng) for _ in range(rng.randint(1, 3)))
    text = rng.choice(NESTINGS)
    lines = []
    for line in text.split("\n"):
        if line.lstrip("#") == "BODY":
            lines.append(textwrap.indent(block(rng, depth - 1), "    " * (len(line) - 4)))
        else:
            lines.append(line)
    return "\n".join(lines)


def statement(rng: random.Random) -> str:
    """A statement with an expression in each of its slots."""
    text = rng.choice(STATEMENTS)
    return text.format(*(rng.choice(EXPRESSIONS) for _ in range(text.count("{}"))))
