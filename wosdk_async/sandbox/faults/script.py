"""Fault script: TOML or JSON rules, each with a fault and the requests that get the fault.

The same script and seed always give the same faults: whether a rule applies to its n-th matching request
depends only on the seed, the rule's position and n. Requests are counted in the order in which the server
reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import attrs
from attrs.validators import optional

from wosdk_async import catalogue
from wosdk_async.regular_files import parse_toml
from wosdk_async.sandbox.errors import FaultScriptError, Refusal, did_you_mean
from wosdk_async.sandbox.faults.kinds import KINDS, Fault, positive, share
from wosdk_async.sandbox.schema.bodies import (
    Record,
    client_credentials,
    get_ignore_case,
    parse_form,
    parse_query,
    peek_json,
    request_id_of,
)
from wosdk_async.sandbox.schema.dialect import SPEC
from wosdk_async.sandbox.service.commands.registry import find_command

# --- what rules match in a request: operation and Company ---------------------------------------

FAMILIES = ("token", "discovery", "retrieve", "query", "create", "update", "delete", "command", "other")
_BASE = {"GET": "retrieve", "POST": "create", "PUT": "update", "DELETE": "delete"}


@attrs.frozen
class RequestMatch:
    """A request's operations and Company in lower case, and its RequestId."""

    operations: frozenset[str]
    company: str | None
    request_id: str | None = None


def match_of(scope: Mapping[str, Any], body: bytes, owner: Callable[[str], str | None]) -> RequestMatch:
    """Return the parts of a request that rules check; ``owner`` maps client ids to Company names."""
    parts = [part for part in scope["path"].split("/") if part]
    head, rest = [part.lower() for part in parts[:3]], parts[3:]
    if head[:2] == ["oauth", "token"]:
        client_id, _ = client_credentials(parse_form(body), header(scope, b"authorization"))
        return RequestMatch(frozenset({"token"}), _normalized(owner(client_id)))
    sent = peek_json(body)
    operations, wanted = _operations_of(head[2] if len(head) == 3 else "", rest, scope["method"], sent)
    company = wanted or header(scope, b"companyname")
    return RequestMatch(
        operations, _normalized(company), request_id_of(parse_query(scope["query_string"]), sent)
    )


def _operations_of(
    family: str, rest: list[str], method: str, sent: Record
) -> tuple[frozenset[str], str | None]:
    if family == "corrigoservice":
        return frozenset({"discovery"}), rest[1] if len(rest) == 2 else None
    if family == "cmd":
        name = _command_name(rest) or "/".join(rest).lower()
        if name == "getcompanywsdkurlcommand":
            command = get_ignore_case(sent, "Command")
            company = get_ignore_case(command, "CompanyName") if isinstance(command, dict) else None
            return frozenset({"discovery", name}), company if isinstance(company, str) else None
        return frozenset({"command", name}), None
    if family == "base":
        return frozenset({_BASE.get(method, "other")}), None
    return frozenset({"query" if family == "query" else "other"}), None


def header(scope: Mapping[str, Any], name: bytes) -> str | None:
    """Return the first value of a header, given its lower-case name."""
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), None)


def _normalized(name: str | None) -> str | None:
    return name and name.strip().lower()


def _command_name(segments: list[str]) -> str | None:
    try:
        return find_command(segments, SPEC).name.lower()  # the dialect SPEC knows all paths
    except Refusal:
        return None


# --- rules ---------------------------------------------------------------------------------------

_CONDITIONS = ("operation", "company", "rate", "first", "every")


def _operations(written: object) -> frozenset[str]:
    """Return a rule's operations in lower case; an empty set means any."""
    names = [written] if isinstance(written, str) else written
    if not isinstance(names, Sequence) or not names or not all(isinstance(name, str) for name in names):
        raise ValueError(f"operation is {written!r}; it must be a name or a list of names")
    wanted = [name for name in names if name.lower() != "any"]
    known = {
        name: name.lower() if name.lower() in FAMILIES else _command_name(name.split("/")) for name in wanted
    }
    unknown = next((name for name, found in known.items() if found is None), None)
    if unknown is not None:
        raise ValueError(_unknown_operation(unknown[:60]))
    return frozenset(found for found in known.values() if found) if len(wanted) == len(names) else frozenset()


def _unknown_operation(name: str) -> str:
    found = catalogue.load()
    commands = list(found.commands)
    short = (known for known in commands if known.lower() == f"{name}command".lower())
    hint = did_you_mean(next(short, name), ["any", *FAMILIES, *commands])
    if name.lower() in map(str.lower, found.entities):
        hint = " (did you mean WoCreateCommand?)" if name.lower() == "workorder" else " (an entity type)"
    return f"operation is {name!r}{hint}; it must be 'any', {', '.join(FAMILIES)}, or the name of a command"


def _company(written: object) -> str | None:
    if written is not None and not isinstance(written, str):
        raise ValueError(f"company is {written!r}; it must be a name")
    return written and written.strip().lower()


@attrs.frozen(kw_only=True)
class Rule:
    """A fault and the requests that it applies to."""

    kind: str
    fault: Fault
    operation: frozenset[str] = attrs.field(default="any", converter=_operations)
    company: str | None = attrs.field(default=None, converter=_company)
    rate: float | None = attrs.field(default=None, validator=optional(share))  # a probability
    first: int | None = attrs.field(default=None, validator=optional(positive))  # only the first n requests
    every: int | None = attrs.field(default=None, validator=optional(positive))  # only each n-th request
    written: Mapping[str, Any] = attrs.field(factory=dict, repr=False)

    def __attrs_post_init__(self) -> None:
        if sum(each is not None for each in (self.rate, self.first, self.every)) > 1:
            raise ValueError("rate, first and every are mutually exclusive; use one")
        if self.operation and self.operation <= self.fault.no_effect_on:
            named = ", ".join(sorted(self.operation))
            raise ValueError(f"operation is {named!r}; {self.fault.no_effect_because}")

    def matches(self, request: RequestMatch) -> bool:
        """Return whether a request has the rule's operation and Company, and the fault can affect it."""
        operates = not self.operation or bool(self.operation & request.operations)
        concerned = operates and (self.company is None or self.company == request.company)
        return concerned and self.fault.can_affect(request.operations, request.request_id)

    def is_due(self, number: int, rng: Random) -> bool:
        """Return whether the ``number``-th matching request (from 1) gets the fault."""
        if self.first is not None:
            return number <= self.first
        if self.every is not None:
            return number % self.every == 0
        return self.rate is None or rng.random() < self.rate


@attrs.frozen
class FaultScript:
    """Rules and the random seed."""

    rules: Sequence[Rule] = ()
    seed: int = 0

    @classmethod
    def read(cls, path: str | Path) -> FaultScript:
        """Read a TOML file. Raises FaultScriptError if it is not a valid script."""
        try:
            return cls.of(parse_toml(Path(path).read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:  # UnicodeDecodeError and TOMLDecodeError are ValueErrors
            why = error.strerror if isinstance(error, OSError) else error
            raise FaultScriptError(f"{path}: {why or error}") from error
        except RecursionError:
            raise FaultScriptError(f"{path}: its tables or lists are nested too deeply.") from None

    @classmethod
    def of(cls, written: object) -> FaultScript:
        """Create a script from data such as ``{"rule": [{"fault": "reset"}]}``. Raises FaultScriptError."""
        if not isinstance(written, Mapping):
            raise FaultScriptError("A fault script must be an object with the members seed and rule.")
        _require_known("the script", written, ("seed", "rule"))
        seed, rules = written.get("seed", 0), written.get("rule", [])
        if not isinstance(seed, int) or isinstance(seed, bool):
            raise FaultScriptError(f"seed is {seed!r}; it must be a whole number.")
        if not isinstance(rules, list):
            raise FaultScriptError("rule must be a list of rules; in TOML, write [[rule]].")
        return cls([_rule(number, rule) for number, rule in enumerate(rules, 1)], seed)

    def rng(self, position: int, number: int) -> Random:
        """Return a rule's random generator for its ``number``-th request, the same on every machine."""
        return Random(f"{self.seed}/{position}/{number}")  # noqa: S311 - not a secret

    def require_companies(self, names: Iterable[str]) -> None:
        """Raise FaultScriptError if a rule names an unknown Company and so would never apply."""
        known = {name.lower(): name for name in names}
        for number, rule in enumerate(self.rules, 1):
            if rule.company is not None and rule.company not in known:
                hint, there = did_you_mean(rule.company, known.values()), ", ".join(known.values())
                text = f"company is {rule.written['company']!r}{hint}; known: {there}"
                raise FaultScriptError(f"rule {number} ({rule.kind}): {text}.")

    def written(self) -> dict[str, Any]:
        """Return the script as plain data."""
        return {"seed": self.seed, "rule": [dict(rule.written) for rule in self.rules]}


def _rule(number: int, written: object) -> Rule:
    if not isinstance(written, Mapping) or not isinstance(written.get("fault"), str):
        others = [str(key) for key in written if key != "fault"] if isinstance(written, Mapping) else []
        misspelt = next((key for key in others if did_you_mean(key, ["fault"])), None)
        hint = "" if misspelt is None else f" instead of {misspelt[:60]!r}"
        raise FaultScriptError(
            f"rule {number} needs the key 'fault'{hint}, with one of the values {', '.join(KINDS)}."
        )
    name = written["fault"]
    if name not in KINDS:
        text = f"fault is {name[:60]!r}{did_you_mean(name, KINDS)}; it must be one of {', '.join(KINDS)}"
        raise FaultScriptError(f"rule {number}: {text}.")
    place, kind = f"rule {number} ({name})", KINDS[name]
    settings = attrs.fields_dict(kind)
    _require_known(place, written, ("fault", *_CONDITIONS, *settings))
    for key, field in settings.items():
        if field.default is attrs.NOTHING and key not in written:
            raise FaultScriptError(
                f"{place}: {key} is missing; add it, as in {key} = {field.metadata.get('example', 1)}."
            )
    try:
        fault = kind(**{key: value for key, value in written.items() if key in settings})
        conditions = {key: value for key, value in written.items() if key in _CONDITIONS}
        return Rule(kind=name, fault=fault, written=written, **conditions)
    except (ValueError, TypeError) as error:
        raise FaultScriptError(f"{place}: {error}.") from error


def _require_known(place: str, written: Mapping[str, Any], names: Sequence[str]) -> None:
    unknown = [key for key in written if key not in names]
    if unknown:
        hint = did_you_mean(unknown[0], names)
        raise FaultScriptError(f"{place} has no setting {unknown[0]!r}{hint}; use {', '.join(names)}.")
