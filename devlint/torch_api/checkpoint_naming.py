"""The words by which programs call a checkpoint."""

from __future__ import annotations

from devlint.core.lazy_regex import regex

CHECKPOINT = regex(
    r"model|ckpt|checkpoint|check_point|state_?dict|(?:^|[^a-z])states?(?:[^a-z]|$)|weight|resume|pretrain|snapshot|"
    r"optim|(?:^|[^a-z])net|backbone|generator|discriminator|critic|actor|encoder|decoder|policy"
)
_NUMBERS = frozenset(
    "epoch epochs ep iter iteration iterations step steps global_step args config cfg arch hparams version session "
    "start_epoch startEpoch options settings loss val_loss acc accuracy err error err_best perf performance total_it "
    "total_steps lr learning_rate".split()
)
_COUNT = regex(
    r"(?:(?:best|cur|current|end|global|init|last|max|n|next|num|resume|saved?|start|total|train|warmup)_)?"
    r"(?:epoch|iter|iteration)s?(?:_(?:idx|index|num|number|count))?\Z|"
    r"(?:num|n)_(?:classes|epochs?|iters?|iterations?|layers|steps?|updates)\Z"
)
_BEST = regex(
    r"(?:best|min|max)_(?:\w+_)?"
    r"(?:epoch|step|loss|acc\d?|accuracy|prec\d?|pred|score|perf|metric|error|err|mae|fitness|map|iou|miou)\Z"
)

_MEASURE = regex(r"loss|acc|prec|err|perf|pred|score|metric|mae|fitness|map|iou")


def names_number(key: object) -> bool:
    """Whether an entry of a checkpoint holds a number or a text, by its name."""
    return isinstance(key, str) and (key in _NUMBERS or any(one.match(key) is not None for one in (_BEST, _COUNT)))


def names_measure(key: object) -> bool:
    """Whether an entry of a checkpoint says how good it is, by its name: a number, or a tensor of one."""
    return names_number(key) and _MEASURE.search(str(key)) is not None
