"""Fault scripts: whom a rule strikes, always the same, and what is wrong with a script."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.laws import each_of
from wosdk_async.sandbox import Faults, FaultScriptError, LocalCompany
from wosdk_async.sandbox.faults.kinds import Latency
from wosdk_async.sandbox.faults.script import FaultScript, RequestMatch
from wosdk_async.sandbox.server import serve

CREATE = RequestMatch(frozenset({"command", "wocreatecommand"}), "acme")
READ = RequestMatch(frozenset({"retrieve"}), "acme")
TARGETS = st.lists(st.sampled_from([CREATE, READ]), max_size=60)
CONDITIONS = st.one_of(
    st.fixed_dictionaries({"rate": st.floats(0, 1)}),
    st.fixed_dictionaries({"first": st.integers(1, 9)}),
    st.fixed_dictionaries({"every": st.integers(1, 9)}),
)
OPERATIONS = st.sampled_from([{}, {"operation": "retrieve"}, {"operation": ["query", "WoCreateCommand"]}])
RULES = st.builds(lambda a, b: {"fault": "garbage", **a, **b}, CONDITIONS, OPERATIONS)
SCRIPTS = st.fixed_dictionaries({"seed": st.integers(), "rule": st.lists(RULES, max_size=4)})


def strikes(script: object, targets: list[RequestMatch]) -> list[list[tuple[int, float]]]:
    """Return the rules that strike each request, with a random number of each."""
    faults = Faults(FaultScript.of(script))
    return [[(place, rng.random()) for place, rng in faults.match(one)] for one in targets]


@given(SCRIPTS, TARGETS)
def test_the_same_requests_meet_the_same_faults(script: dict[str, Any], targets: list[RequestMatch]) -> None:
    """A run repeats; all chance comes from the seed."""
    assert strikes(script, targets) == strikes(script, targets)


@given(SCRIPTS, TARGETS)
def test_what_a_rule_does_hangs_on_its_own_requests(
    script: dict[str, Any], targets: list[RequestMatch]
) -> None:
    """Requests that a rule does not apply to change nothing for those that it does."""
    both = [fate for one, fate in zip(targets, strikes(script, targets), strict=True) if one is READ]
    alone = strikes(script, [one for one in targets if one is READ])
    only_reads = {n for n, rule in enumerate(script["rule"]) if rule.get("operation") == "retrieve"}
    assert [[s for s in fate if s[0] in only_reads] for fate in both] == [
        [s for s in fate if s[0] in only_reads] for fate in alone
    ]


def struck(rule: dict[str, Any], requests: int, target: RequestMatch = CREATE) -> list[int]:
    found = strikes({"rule": [{"fault": "garbage", **rule}]}, [target] * requests)
    return [number for number, fate in enumerate(found, 1) if fate]


def test_counts_and_rates() -> None:
    """``first=n`` strikes the first n requests, ``every=n`` every n-th, ``rate`` a share of all."""
    assert struck({"first": 3}, 20) == [1, 2, 3]
    assert struck({"every": 10}, 35) == [10, 20, 30]
    assert 250 < len(struck({"rate": 0.3}, 1000)) < 350
    assert struck({"rate": 0}, 100) == []
    assert len(struck({}, 5)) == 5


@each_of(
    ("rule", "hit"),
    [
        ({"operation": "any"}, True),
        ({"operation": "command"}, True),
        ({"operation": ["query", "WOCREATECOMMAND"]}, True),
        ({"operation": "WorkOrder/Create"}, True),
        ({"operation": "create"}, False),
        ({"company": " ACME "}, True),
        ({"company": "other"}, False),
    ],
)
def test_whom_a_rule_applies_to(rule: dict[str, Any], hit: bool) -> None:
    """By operation, command or Company, without regard to case."""
    assert bool(struck(rule, 1)) is hit


TOKEN = RequestMatch(frozenset({"token"}), "acme")
DISCOVERY = RequestMatch(frozenset({"discovery", "getcompanywsdkurlcommand"}), "acme")
NAMED = attrs.evolve(CREATE, request_id="2f")  # as a client sends it


@each_of(
    ("fault", "without_effect", "first"),
    [
        ("expired_token", [TOKEN], DISCOVERY),
        ("request_id", [TOKEN, DISCOVERY, READ, CREATE], NAMED),
        ("moved_host", [TOKEN, DISCOVERY], READ),
        ("reset", [], TOKEN),
    ],
)
@each_of("operation", ["any", ["token", "discovery", "retrieve", "command"]])
def test_a_rule_passes_over_requests_that_its_fault_cannot_change(
    fault: str, without_effect: list[RequestMatch], first: RequestMatch, operation: object
) -> None:
    """It does not count them, so that ``first`` is the first one with an effect."""
    rule = {"fault": fault, "first": 1, "operation": operation}
    found = strikes({"rule": [rule]}, [*without_effect, first, first])
    assert [len(each) for each in found] == [*[0 for _ in without_effect], 1, 0]


def test_latencies() -> None:
    """Waits have the percentiles that were asked for."""
    rng = FaultScript(seed=1).rng(0, 1)
    curve = sorted(Latency(lognormal={"p50": 0.1, "p99": 2.0}).seconds(rng) for _ in range(20_000))
    assert 0.095 < statistics.median(curve) < 0.105
    assert 1.7 < curve[19_800] < 2.3
    spread = [Latency(uniform=[1, 3]).seconds(rng) for _ in range(1000)]
    assert 1 <= min(spread) < 1.1
    assert 2.9 < max(spread) <= 3
    assert Latency(fixed=0.5).seconds(rng) == 0.5


@each_of(
    ("script", "text"),
    [
        ([], "must be an object"),
        ({"rule": [{"fault": "status", "stat": 503}]}, r"has no setting 'stat' \(did you mean status\?\)"),
        ({"rules": []}, r"'rules' \(did you mean rule\?\); use seed, rule"),
        ({"seed": "x"}, "seed is 'x'"),
        ({"rule": {}}, "a list of rules"),
        ({"rule": [{"fault": []}]}, "rule 1 needs the key 'fault', with one of the values latency"),
        (
            {"rule": [{"falt": "reset", "rate": 1}]},
            r"rule 1 needs the key 'fault' instead of 'falt', with one of",
        ),
        (
            {"rule": [{"fault": "reset"}, {"fault": "reset", "status": 1}]},
            r"rule 2 \(reset\) has no .* 'status'",
        ),
        ({"rule": [{"fault": "status"}]}, r"rule 1 \(status\): .*status"),
        ({"rule": [{"fault": "status", "status": 200}]}, "status is 200; .* from 400 to 599"),
        ({"rule": [{"fault": "status", "status": 503, "body": "xml"}]}, "body is 'xml'; .*html"),
        ({"rule": [{"fault": "status", "status": 503, "retry_after": -1}]}, "retry_after is -1"),
        ({"rule": [{"fault": "status", "status": 400, "code": 6}]}, "code is 6; it must be a string"),
        ({"rule": [{"fault": "status", "status": 400, "code": "X", "body": "html"}]}, "set body to json"),
        ({"rule": [{"fault": "reset", "carried_out": 1}]}, "carried_out is 1; it must be true or false"),
        ({"rule": [{"fault": "reset", "rate": 2}]}, "rate is 2; it must be a number from 0 to 1"),
        ({"rule": [{"fault": "reset", "every": 0}]}, "every is 0"),
        ({"rule": [{"fault": "reset", "first": True}]}, "first is True"),
        ({"rule": [{"fault": "reset", "first": 1, "every": 2}]}, "are mutually exclusive"),
        ({"rule": [{"fault": "reset", "operation": 5}]}, "operation is 5"),
        ({"rule": [{"fault": "reset", "operation": "retreive"}]}, r"'retreive' \(did you mean retrieve\?\)"),
        ({"rule": [{"fault": "reset", "operation": ["query", "WoCreate"]}]}, "did you mean WoCreateCommand"),
        ({"rule": [{"fault": "reset", "operation": "workorder"}]}, r"\(did you mean WoCreateCommand\?\)"),
        ({"rule": [{"fault": "reset", "operation": "Customer"}]}, r"'Customer' \(an entity type\); it must"),
        ({"rule": [{"fault": "reset", "operation": ["any", "x/y/z"]}]}, "'x/y/z'; it must be 'any', token, "),
        ({"rule": [{"fault": "reset", "operation": "x" * 10**6}]}, "^.{1,300}$"),
        ({"rule": [{"fault": "request_id", "mode": "none"}]}, "one of altered, missing, foreign"),
        ({"rule": [{"fault": "reset", "company": 5}]}, "company is 5"),
        ({"rule": [{"fault": "rest"}]}, r"fault is 'rest' \(did you mean reset\?\); it must"),
        ({"rule": [{"fault": "x" * 10**6}]}, "^.{1,300}$"),
        ({"rule": [{"fault": "status"}]}, r"rule 1 \(status\): status is missing; .* as in status = 503\.$"),
        (
            {"rule": [{"fault": "request_id", "operation": "token"}]},
            "no RequestId: use operation = 'command'",
        ),
        (
            {"rule": [{"fault": "moved_host", "operation": ["discovery", "token"]}]},
            "a log-in returns the new",
        ),
        ({"rule": [{"fault": "expired_token", "operation": "token"}]}, "carry no token yet: use another"),
        ({"rule": [{"fault": "reset", "operation": []}]}, r"operation is \[\]; it must be a name or a list"),
        (
            {"rule": [{"fault": "status", "status": 503, "retry_after": 1, "retry_after_date": 1}]},
            "retry_after and retry_after_date are mutually exclusive",
        ),
        ({"rule": [{"fault": "latency"}]}, "one of fixed, uniform and lognormal"),
        ({"rule": [{"fault": "latency", "fixed": "1"}]}, "fixed is '1'"),
        ({"rule": [{"fault": "latency", "uniform": [2, 1]}]}, "the lower one first"),
        ({"rule": [{"fault": "latency", "lognormal": {"p99": 1}}]}, "as in {p50"),
        ({"rule": [{"fault": "latency", "lognormal": 3}]}, "as in {p50"),
    ],
)
def test_wrong_scripts(script: object, text: str) -> None:
    """The rule, the value and what would fit."""
    with pytest.raises(FaultScriptError, match=text):
        FaultScript.of(script)


def test_rules_are_added_one_by_one() -> None:
    """A new rule follows the others; any Company may be named, unless there is a list of them."""
    faults = Faults({"seed": 3, "rule": [{"fault": "reset", "rate": 0}]})
    faults.add("status", status=503, company="Later")
    assert [rule.kind for rule in faults.script.rules] == ["reset", "status"]
    assert faults.script.seed == 3
    faults.companies = ["North", "Later"]
    with pytest.raises(FaultScriptError, match=r"rule 3 \(reset\): company is 'West'; known: North, Later"):
        faults.add("reset", company="West")


def test_files(tmp_path: Path) -> None:
    """The error names a file that does not exist or is not TOML."""
    broken = tmp_path / "broken.toml"
    broken.write_text("[[rule]\n")
    for path in (broken, tmp_path / "none.toml"):
        with pytest.raises(FaultScriptError, match=path.name):
            Faults(path)


def test_a_rule_for_a_company_that_is_not_there(tmp_path: Path) -> None:
    """It would strike nothing: the start is refused, and names who is there."""
    rules = {
        "rule": [{"fault": "reset", "company": "acmefacilities"}, {"fault": "reset", "company": "Nroth"}]
    }
    expected = r"rule 2 \(reset\): company is 'Nroth' \(did you mean North\?\); known: Acme"
    names = ("AcmeFacilities", "North")
    with pytest.raises(FaultScriptError, match=expected), LocalCompany(companies=names, faults=rules):
        pass
    store = tmp_path / "s.db"
    with pytest.raises(FaultScriptError, match="known: Solo"):
        serve(store, port=0, companies=["Solo"], faults=Faults(rules), announce=lambda _: None)
    with LocalCompany(companies=names) as local:
        local.faults.load(rules)  # a Company may be added later
