"""Data that the console shows: the Companies of a store, and fault rules."""

from __future__ import annotations

from typing import Any

import attrs

from wosdk_async.sandbox.console.records import count_records
from wosdk_async.sandbox.faults.script import FaultScript
from wosdk_async.sandbox.faults.state import Faults
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.storage.store import Store

__all__ = ["RulesView", "companies"]

# Entity types whose records are counted beside a Company
_COUNTED = ("WorkOrder", "Customer", "Contact", "Location", "Employee", "Document")


def companies(store: Store) -> list[Record]:
    """Return each Company with the number of its records, without its secret."""
    store.refresh()
    return [
        {
            "Id": company.id,
            "Name": company.name,
            "Live": company.live,
            "ClientId": company.client_id,
            "Counts": {name: count_records(store, company.id, name) for name in _COUNTED},
        }
        for company in store.companies()
    ]


@attrs.define
class RulesView:
    """Fault rules in the console: those in force, and those that it has switched off.

    A script that is loaded without the console replaces both kinds.
    """

    faults: Faults
    _rules: list[tuple[dict[str, Any], bool]] = attrs.field(factory=list, init=False)
    _loaded: FaultScript | None = attrs.field(default=None, init=False)

    def report(self) -> dict[str, Any]:
        """Return the rules in order with their counters, and the number of faults by kind."""
        found = self.faults.report()
        if self.faults.script is not self._loaded:
            self._rules = [(rule, True) for rule in found["rule"]]
        counts = iter(zip(found["matched"], found["applied"], strict=True))
        rules = [_shown(rule, on, *(next(counts) if on else (0, 0))) for rule, on in self._rules]
        return {
            "seed": found["seed"],
            "rules": rules,
            "injected": found["injected"],
            "late": found["late"],
        }

    def put(self, seed: object, rules: object) -> None:
        """Put rules in force, except those that are off. All counters start again.

        Args:
            seed: seed of the script.
            rules: a list of ``{"rule": ..., "on": true or false}``.

        Raises:
            ValueError: a rule is wrong, on or off; the message says what would be right.
        """
        if not isinstance(rules, list) or not all(_is_rule_entry(each) for each in rules):
            raise ValueError(
                "rules must be a list of objects with the keys rule (an object) and on (true or false)."
            )
        FaultScript.of({"seed": seed, "rule": [each["rule"] for each in rules]})
        script = FaultScript.of({"seed": seed, "rule": [each["rule"] for each in rules if each["on"]]})
        self.faults.load(script)
        self._loaded, self._rules = script, [(each["rule"], each["on"]) for each in rules]


def _shown(rule: dict[str, Any], on: bool, matched: int, applied: int) -> dict[str, Any]:
    return {"rule": rule, "on": on, "matched": matched, "applied": applied}


def _is_rule_entry(value: object) -> bool:
    return isinstance(value, dict) and value.keys() == {"rule", "on"} and isinstance(value["on"], bool)
