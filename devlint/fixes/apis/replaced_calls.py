"""Calls that a test of the project wants to see: it replaces the function of ``torch.cuda``, and no other."""

from __future__ import annotations

from devlint.analysis.project.ask import project_around
from devlint.analysis.project.mentions import is_replaced_elsewhere
from devlint.syntax.file_context import FileContext
from devlint.torch_api.cuda_members import Member


def replaced_in_tests(ctx: FileContext, member: Member) -> str | None:
    """Why a call of a function must not become one of ``torch.accelerator`` unseen: tests look whether it is called."""
    if not is_replaced_elsewhere(project_around(ctx), member.name):
        return None
    return f"a test of this project replaces `torch.cuda.{member.name}`, and would not see the call"
