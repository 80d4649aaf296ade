"""Warnings of fault rules that no request of a test has matched: such a test shows nothing."""

from __future__ import annotations

from collections.abc import Iterator

from wosdk_async.sandbox.faults.script import Rule
from wosdk_async.testing.sandbox import Sandbox

__all__ = ["UnmatchedFaultWarning", "warnings_of"]

_COMMANDS = "/api/v1/cmd/"
_DISCOVERY = "GetCompanyWsdkUrlCommand"  # the log-in of a client
_BASE = frozenset({"create", "update", "delete"})
"""Operations that are requests to records only, where a newcomer expects a command too."""


class UnmatchedFaultWarning(UserWarning):
    """A rule of ``wosdk_faults`` that no request of the test has matched, so nothing went wrong."""


def warnings_of(sandbox: Sandbox) -> Iterator[UnmatchedFaultWarning]:
    """Yield a warning for each rule in force that no request has matched."""
    unmatched = sandbox.faults.unmatched()
    paths = [request.path for request in sandbox.requests] if unmatched else []
    commands = [path.removeprefix(_COMMANDS) for path in paths if path.startswith(_COMMANDS)]
    commands = [name for name in commands if name != _DISCOVERY]
    for rule in unmatched:
        shown = ", ".join([repr(rule.kind), *(f"{k}={v!r}" for k, v in rule.written.items() if k != "fault")])
        yield UnmatchedFaultWarning(
            f"the fault add({shown}) matched none of the {len(paths)} requests of this test, so it did"
            f" nothing{_remedy(rule, commands)}. If that is meant, end the test with wosdk_faults.clear()"
        )


def _remedy(rule: Rule, commands: list[str]) -> str:
    """Return what to write instead, where the test has run commands and the rule is for records."""
    if not rule.operation & _BASE or not commands:
        return ""
    if "create" in rule.operation and "WoCreateCommand" in commands:
        return "; a command creates a work order: write operation='WoCreateCommand'"
    return f"; commands are operations of their own: write operation={commands[0]!r}"
