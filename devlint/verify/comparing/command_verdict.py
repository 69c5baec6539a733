"""The verdict on a command, such as a run of pytest, that was run before and after a rewrite."""

from __future__ import annotations

from devlint.verify.comparing.observation import Observation
from devlint.verify.comparing.program_verdict import Pair, RunAgain, failure_outcome, working_outcome
from devlint.verify.comparing.strictness import Strictness
from devlint.verify.comparing.verdict import Outcome, Word
from devlint.verify.pytest_results import Tests


def command_outcome(before: Observation, after: Observation, setting: str, again: RunAgain) -> Outcome:
    """Compare by the results of tests if there are some, else by exit code and output."""
    for one, name in ((before, "original"), (after, "rewritten project")):
        if one.obstacle is not None:
            word = Word.UNCOMPARED if one is before else Word.NEWLY_FAILS
            return Outcome(setting, word, f"the command in the {name} {one.obstacle}")
    old: Tests | None = before.data.get("tests")
    new: Tests | None = after.data.get("tests")
    if old is not None and new is not None:
        return _judge_tests(old, new, setting)
    if before.works and after.works:
        return working_outcome(Pair(before, after, Strictness(random=False), again), setting)
    if before.works:
        return Outcome(setting, Word.NEWLY_FAILS, after.failure)
    if after.works:
        return Outcome(setting, Word.NEWLY_WORKS if setting == "cpu" else Word.SAME, f"before: {before.failure}")
    return failure_outcome(before, after, setting)


def _judge_tests(old: Tests, new: Tests, setting: str) -> Outcome:
    broken = sorted(name for name, outcome in old.items() if outcome == "passed" and new.get(name) != "passed")
    if broken:
        more = f" and {len(broken) - 1} more" if len(broken) > 1 else ""
        return Outcome(
            setting, Word.NEWLY_FAILS, f"passed before and is {new.get(broken[0], 'gone')}: {broken[0]}{more}"
        )
    passed = [sum(outcome == "passed" for outcome in tests.values()) for tests in (old, new)]
    note = f"{passed[1]} of {len(new)} tests pass, {passed[0]} of {len(old)} before"
    if not passed[1]:
        return Outcome(setting, Word.FAILS_ALIKE, note)
    return Outcome(
        setting, Word.NEWLY_WORKS if passed[1] > passed[0] and setting == "cpu" else Word.SAME, notes=(note,)
    )
