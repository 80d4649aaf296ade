"""The rules of the fault script, each of which can be switched off and on again."""

from __future__ import annotations

from typing import Any

import attrs

from wosdk_async.sandbox.faults.rules import Faults
from wosdk_async.sandbox.faults.script import FaultScript

__all__ = ["Switches"]


@attrs.define
class Switches:
    """What the console shows of the faults: the rules in force, and those it has switched off.

    A script that came into force in another way has no rule that is off.
    """

    faults: Faults
    _rules: list[tuple[dict[str, Any], bool]] = attrs.field(factory=list, init=False)
    _put: FaultScript | None = attrs.field(default=None, init=False)

    def report(self) -> dict[str, Any]:
        """The rules in their order with their counters, and what was injected by kind of fault."""
        found = self.faults.report()
        if self.faults.script is not self._put:
            self._rules = [(rule, True) for rule in found["rule"]]
        counts = iter(zip(found["seen"], found["struck"], strict=True))
        rules = [self._shown(rule, on, next(counts) if on else (0, 0)) for rule, on in self._rules]
        return {
            "seed": found["seed"],
            "rules": rules,
            "injected": found["injected"],
            "late": found["late"],
        }

    def put(self, seed: object, rules: object) -> None:
        """Put rules in force, except those that are off; all counting begins anew.

        Args:
            rules: objects with ``rule``, as the fault script has it, and ``on``.

        Raises:
            ValueError: a rule is wrong, on or off; the text says what would be right.
        """
        if not isinstance(rules, list) or not all(_is_switch(each) for each in rules):
            raise ValueError("rules must be a list of objects with a rule and with on, true or false.")
        FaultScript.of({"seed": seed, "rule": [each["rule"] for each in rules]})
        script = FaultScript.of({"seed": seed, "rule": [each["rule"] for each in rules if each["on"]]})
        self.faults.load(script)
        self._put, self._rules = script, [(each["rule"], each["on"]) for each in rules]

    @staticmethod
    def _shown(rule: dict[str, Any], on: bool, counts: tuple[int, int]) -> dict[str, Any]:
        return {"rule": rule, "on": on, "seen": counts[0], "struck": counts[1]}


def _is_switch(value: object) -> bool:
    return isinstance(value, dict) and value.keys() == {"rule", "on"} and isinstance(value["on"], bool)
