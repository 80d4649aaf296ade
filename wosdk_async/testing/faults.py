"""Faults that a test adds one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Never

from wosdk_async.sandbox.errors import FaultScriptError
from wosdk_async.sandbox.faults.rules import Faults
from wosdk_async.sandbox.faults.script import FaultScript

__all__ = ["AddedFaults"]


class AddedFaults(Faults):
    """The faults of a test's Company: none, until it adds some."""

    companies: Sequence[str] = ()
    """The names of the Companies that there are; those of rules are not checked without any."""

    def add(self, fault: str, *unnamed: Never, **settings: Any) -> None:
        """Add a rule behind those in force; counting begins anew.

        Args:
            fault: its kind: ``status``, ``latency``, ``reset``, ``late_commit``, ``half_reply``,
                ``garbage``, ``slow_drip``, ``expired_token``, ``moved_host`` or ``request_id``.
            settings: which requests it strikes (``operation``, ``company``; ``first``, ``every`` or ``rate``)
                and its own, as ``docs/sandbox.md`` has them. A work order is created by a command: its
                operation is ``WoCreateCommand`` or ``command``, not ``create``.

        Raises:
            FaultScriptError: the rule is wrong; the text tells what would be right.
        """
        if unnamed:
            raise FaultScriptError(f"{unnamed[0]!r} has no name; write it as in add({fault!r}, status=503).")
        script = self.script.written()
        made = FaultScript.of({**script, "rule": [*script["rule"], {"fault": fault, **settings}]})
        if self.companies:
            made.require_companies(self.companies)
        self.load(made)
