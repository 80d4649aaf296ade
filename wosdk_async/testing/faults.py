"""Faults that a test adds one by one."""

from __future__ import annotations

from typing import Any

from wosdk_async.sandbox.faults import Faults

__all__ = ["AddedFaults"]


class AddedFaults(Faults):
    """The faults of a test's Company: none, until it adds some."""

    def add(self, fault: str, **settings: Any) -> None:
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
        script = self.script.written()
        self.load({**script, "rule": [*script["rule"], {"fault": fault, **settings}]})
