"""The words by which programs call a checkpoint."""

from __future__ import annotations

from devlint.core.lazy_regex import regex

CHECKPOINT = regex(
    r"model|ckpt|checkpoint|check_point|state_?dict|(?:^|[^a-z])states?(?:[^a-z]|$)|weight|resume|pretrain|snapshot|"
    r"optim|(?:^|[^a-z])net|backbone|generator|discriminator|critic|actor|encoder|decoder|policy"
)
NUMBERS = frozenset(
    "epoch epochs ep iter iteration iterations step steps global_step args config cfg arch hparams version session "
    "start_epoch best_epoch options settings best_loss best_acc best_acc1 best_prec1 best_pred best_score best_err "
    "best_error best_metric best_val_loss best_fitness loss err err_best performance total_it total_steps".split()
)
"""The entries of a checkpoint that hold numbers or texts by their names."""
