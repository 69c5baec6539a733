"""The words by which programs call a checkpoint."""

from __future__ import annotations

from devlint.core.lazy_regex import regex

CHECKPOINT = regex(
    r"model|ckpt|checkpoint|check_point|state_?dict|(?:^|[^a-z])states?(?:[^a-z]|$)|weight|resume|pretrain|snapshot|"
    r"optim|(?:^|[^a-z])net|backbone|generator|discriminator|critic|actor|encoder|decoder|policy"
)
