"""A fault script: rules in TOML or JSON, and for each the requests that it strikes.

The n-th request that a rule applies to has the same fate in every run of the same script and seed: it
hangs on the seed, the place of the rule and n alone, whatever the other rules do and whatever is answered
in between. Requests are counted in the order in which they were read.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from inspect import signature
from pathlib import Path
from random import Random
from typing import Any

import attrs
from attrs.validators import optional

from wosdk_async import catalogue
from wosdk_async.sandbox.errors import FaultScriptError, nearest
from wosdk_async.sandbox.faults.checks import positive, share
from wosdk_async.sandbox.faults.kinds import KINDS, Fault
from wosdk_async.sandbox.faults.target import FAMILIES, RequestMatch, known_operation

__all__ = ["FaultScript", "Rule"]

_EXAMPLES = {"status": "status = 503"}  # of settings that a rule must have
_NOT_OF_TOKENS = {
    "request_id": "such a response carries no RequestId: name command",
    "expired_token": "such a request carries no token yet: name another operation",
}
_CONDITIONS = ("operation", "company", "rate", "first", "every")


def _operations(written: object) -> frozenset[str]:
    names = [written] if isinstance(written, str) else written
    if not isinstance(names, Sequence) or not names or not all(isinstance(name, str) for name in names):
        raise ValueError(f"operation is {written!r}; it must be a name or a list of names")
    wanted = [name for name in names if name.lower() != "any"]
    known = {name: known_operation(name) for name in wanted}
    unknown = next((name for name, found in known.items() if found is None), None)
    if unknown is not None:
        raise ValueError(_unknown_operation(unknown[:60]))
    return frozenset(found for found in known.values() if found) if len(wanted) == len(names) else frozenset()


def _unknown_operation(name: str) -> str:
    commands = list(catalogue.load().commands)
    short = (known for known in commands if known.lower() == f"{name}command".lower())
    near = next(short, None) or nearest(name, ["any", *FAMILIES, *commands])
    hint = f" (did you mean {near}?)" if near else ""
    return f"operation is {name!r}{hint}; it must be any, {', '.join(FAMILIES)}, or the name of a command"


def _name(written: object) -> str | None:
    if written is not None and not isinstance(written, str):
        raise ValueError(f"company is {written!r}; it must be a name")
    return written and written.strip().lower()


@attrs.frozen(kw_only=True)
class Rule:
    """A fault and the requests it is for.

    ``rate`` is a probability; ``first=n`` strikes the first n requests, ``every=n`` every n-th.
    """

    kind: str
    fault: Fault
    operation: frozenset[str] = attrs.field(default="any", converter=_operations)
    company: str | None = attrs.field(default=None, converter=_name)
    rate: float | None = attrs.field(default=None, validator=optional(share))
    first: int | None = attrs.field(default=None, validator=optional(positive))
    every: int | None = attrs.field(default=None, validator=optional(positive))
    written: Mapping[str, Any] = attrs.field(factory=dict, repr=False)

    def __attrs_post_init__(self) -> None:
        if sum(each is not None for each in (self.rate, self.first, self.every)) > 1:
            raise ValueError("rate, first and every exclude each other")
        if self.operation == {"token"} and self.kind in _NOT_OF_TOKENS:
            raise ValueError(f"operation is 'token'; {_NOT_OF_TOKENS[self.kind]}")

    def applies(self, target: RequestMatch) -> bool:
        named = not self.operation or bool(self.operation & target.operations)
        return named and (self.company is None or self.company == target.company)

    def strikes(self, number: int, draw: Random) -> bool:
        """Whether the ``number``-th request (from 1) that the rule applies to is struck."""
        if self.first is not None:
            return number <= self.first
        if self.every is not None:
            return number % self.every == 0
        return self.rate is None or draw.random() < self.rate


@attrs.frozen
class FaultScript:
    """Rules, and the seed from which all chance is drawn."""

    rules: Sequence[Rule] = ()
    seed: int = 0

    @classmethod
    def read(cls, path: str | Path) -> FaultScript:
        """The script of a TOML file.

        Raises:
            FaultScriptError: the file cannot be read, or is no script.
        """
        try:
            return cls.of(tomllib.loads(Path(path).read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:  # UnicodeDecodeError and TOMLDecodeError are ValueErrors
            why = error.strerror if isinstance(error, OSError) else error
            raise FaultScriptError(f"{path}: {why or error}") from error
        except RecursionError:
            raise FaultScriptError(f"{path}: its tables or lists are nested too deeply.") from None

    @classmethod
    def of(cls, written: object) -> FaultScript:
        """The script in plain data: ``{"seed": 7, "rule": [{"fault": "reset", "rate": 0.1}]}``.

        Raises:
            FaultScriptError: which rule is wrong, and what would be right.
        """
        if not isinstance(written, Mapping):
            raise FaultScriptError("A fault script must be an object with the members seed and rule.")
        _known("the script", written, ("seed", "rule"))
        script = _without_decimals(written)
        seed, rules = script.get("seed", 0), script.get("rule", [])
        if not isinstance(seed, int) or isinstance(seed, bool):
            raise FaultScriptError(f"seed is {seed!r}; it must be a whole number.")
        if not isinstance(rules, list):
            raise FaultScriptError("rule must be a list of rules, in TOML [[rule]].")
        return cls([_rule(number, rule) for number, rule in enumerate(rules, 1)], seed)

    def draw(self, place: int, number: int) -> Random:
        """All chance for one request of one rule. The text is hashed, the same on every machine."""
        return Random(f"{self.seed}/{place}/{number}")  # noqa: S311 - not a secret

    def require_companies(self, names: Iterable[str]) -> None:
        """Check that each Company that a rule names is one of these.

        Raises:
            FaultScriptError: a rule would never strike.
        """
        known = {name.lower(): name for name in names}
        for number, rule in enumerate(self.rules, 1):
            if rule.company is not None and rule.company not in known:
                near = nearest(rule.company, known.values())
                hint = f" (did you mean {near}?)" if near else ""
                there = ", ".join(known.values())
                text = f"company is {rule.company!r}{hint}; there is only {there}"
                raise FaultScriptError(f"rule {number} ({rule.kind}): {text}.")

    def written(self) -> dict[str, Any]:
        """The script in plain data."""
        return {"seed": self.seed, "rule": [dict(rule.written) for rule in self.rules]}


def _without_decimals(value: Any, depth: int = 5) -> Any:
    """Return a script with fractions as floats: bodies of the console are read as exact decimals.

    What lies deeper than any setting of a rule stays as it is, and is refused by the checks.
    """
    if isinstance(value, Decimal):
        return float(value)
    if depth and isinstance(value, Mapping):
        return {name: _without_decimals(inner, depth - 1) for name, inner in value.items()}
    if depth and isinstance(value, list):
        return [_without_decimals(inner, depth - 1) for inner in value]
    return value


def _rule(number: int, written: object) -> Rule:
    name = f"rule {number}"
    if not isinstance(written, Mapping) or not isinstance(written.get("fault"), str):
        raise FaultScriptError(f"{name} needs a fault, one of {', '.join(KINDS)}.")
    if written["fault"] not in KINDS:
        near = nearest(written["fault"][:60], KINDS)
        hint = f" (did you mean {near}?)" if near else ""
        text = f"fault is {written['fault'][:60]!r}{hint}; it must be one of {', '.join(KINDS)}"
        raise FaultScriptError(f"{name}: {text}.")
    kind = KINDS[written["fault"]]
    settings = signature(kind).parameters
    _known(f"{name} ({written['fault']})", written, ("fault", *_CONDITIONS, *settings))
    if missing := [
        key for key, each in settings.items() if each.default is each.empty and key not in written
    ]:
        example = _EXAMPLES.get(missing[0], f"{missing[0]} = 1")
        raise FaultScriptError(f"{name} ({written['fault']}): {missing[0]} is missing, as in {example}.")
    try:
        fault = kind(**{key: value for key, value in written.items() if key in settings})
        conditions = {key: value for key, value in written.items() if key in _CONDITIONS}
        return Rule(kind=written["fault"], fault=fault, written=written, **conditions)
    except (ValueError, TypeError) as error:
        raise FaultScriptError(f"{name} ({written['fault']}): {error}.") from error


def _known(name: str, written: Mapping[str, Any], names: Sequence[str]) -> None:
    unknown = [key for key in written if key not in names]
    if unknown:
        raise FaultScriptError(f"{name} has {unknown[0]!r}, which is none of {', '.join(names)}.")
