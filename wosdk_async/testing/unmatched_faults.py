"""Warnings about faults that no request of a test matched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wosdk_async.sandbox.faults.script import Rule
from wosdk_async.sandbox.faults.state import Faults
from wosdk_async.sandbox.http.recorder import RecordedRequest

_COMMANDS = "/api/v1/cmd/"
_DISCOVERY = "GetCompanyWsdkUrlCommand"  # sent by a client's log-in, not by the test
_BASE = frozenset({"create", "update", "delete"})
"""Operations of fault rules that only match records, although users expect them to match commands, too."""


class UnmatchedFaultWarning(UserWarning):
    """Rule of ``wosdk_faults`` that had no effect, because no request of the test matched."""


def warnings_of(faults: Faults, requests: Sequence[RecordedRequest]) -> Iterator[UnmatchedFaultWarning]:
    """Yield a warning for each rule that no request has matched."""
    unmatched = faults.unmatched()
    paths = [request.path for request in requests] if unmatched else []
    commands = [path.removeprefix(_COMMANDS) for path in paths if path.startswith(_COMMANDS)]
    commands = [name for name in commands if name != _DISCOVERY]
    for rule in unmatched:
        shown = ", ".join([repr(rule.kind), *(f"{k}={v!r}" for k, v in rule.written.items() if k != "fault")])
        yield UnmatchedFaultWarning(
            f"the fault add({shown}) matched none of the {len(paths)} requests of this test and had"
            f" no effect{_remedy(rule, commands)}. If intended, end the test with wosdk_faults.clear()"
        )


def _remedy(rule: Rule, commands: list[str]) -> str:
    """Return a suggestion, if the test ran commands and the rule is for records."""
    if not rule.operation & _BASE or not commands:
        return ""
    if "create" in rule.operation and "WoCreateCommand" in commands:
        return "; a command creates work orders: use operation='WoCreateCommand'"
    return f"; commands are separate operations: use operation={commands[0]!r}"
