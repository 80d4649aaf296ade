"""Patterns with sets and odd numbers in conditions: the right records, in bounded time."""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.company import Caller
from tests.support.laws import each_of
from wosdk_async.sandbox.schema.entities import find_schema
from wosdk_async.sandbox.service.query.operators import condition_sql
from wosdk_async.sandbox.storage.database import connect

TEXT = find_schema("WorkOrder").by_name["ponumber"]


@pytest.fixture(scope="module")
def db() -> Iterator[sqlite3.Connection]:
    opened = connect(Path(":memory:"))
    yield opened
    opened.close()


def like(db: sqlite3.Connection, text: str | None, pattern: str, operator: str = "Like") -> bool | None:
    sql, values = condition_sql("?", TEXT, operator, [pattern])
    (found,) = db.execute(f"SELECT {sql}", [text, *values]).fetchone()
    return found if found is None else bool(found)


@each_of(
    ("text", "pattern", "found"),
    [
        ("cat", "[bc]at", True),
        ("rat", "[^bc]at", True),
        ("cat", "[^bc]at", False),
        ("b5", "[a-c][0-9]", True),
        ("-", "[a-]", True),
        ("^", "[^]", True),
        ("a", "[z-a]", False),
        ("a", "[^z-a]", True),
        ("a-b", "a[--]b", True),
        ("100%", "100[%]", True),
        ("1000", "100[%]", False),
        ("a_b", "a[_]b", True),
        ("axb", "a[_]b", False),
        ("abcabd", "%ab[d]", True),
        ("abdabc", "%ab[d]", False),
        ("xaby\nz", "%a[b]%z", True),
        ("", "%[a]%", False),
        ("aXb", "a[x]b", True),
    ],
)
def test_sets(db: sqlite3.Connection, text: str, pattern: str, found: bool) -> None:
    """A set is one of its characters; the wildcards in it are plain."""
    assert like(db, text, pattern) is found
    assert like(db, text, pattern, "NotLike") is not found


def test_null(db: sqlite3.Connection) -> None:
    """A null matches neither, with a set as without."""
    for pattern in ("a%", "[a]%"):
        assert (like(db, None, pattern), like(db, None, pattern, "NotLike")) == (None, None)


def test_sets_agree_with_plain_patterns(db: sqlite3.Connection) -> None:
    """A set of one character is that character: SQLite's own LIKE says what is right."""
    draw = random.Random(12)
    for _ in range(3000):
        pattern = "".join(draw.choices("ab%_", k=draw.randrange(1, 8))) + draw.choice(["a", "a%", "%a%b"])
        text = "".join(draw.choices("ab", k=draw.randrange(12)))
        at = pattern.index("a")
        assert like(db, text, f"{pattern[:at]}[a]{pattern[at + 1 :]}") is like(db, text, pattern), pattern


@pytest.mark.parametrize(
    "pattern",
    ["%a%a%a[x]", "%a" * 900 + "[x]", "%[a]" * 900 + "%b%", "%" + "a" * 1900 + "[x]%", "%_" * 900 + "[x]"],
)
def test_time(db: sqlite3.Connection, pattern: str) -> None:
    """2,000 characters that nearly match take less than 50 ms of the thread."""
    like(db, "", pattern)  # compiled
    begun = time.thread_time()
    assert like(db, "a" * 2000, pattern) is False
    assert time.thread_time() - begun < 0.05


NUMBERS = [
    "1e1000000",
    "-1e1000000",
    '"1e1000000"',
    "1e-1000000",
    "0e1000000",
    '"1e400"',
    "9" * 5000,
    '"NaN"',
]


@each_of("number", NUMBERS)
def test_odd_numbers(acme: Caller, number: str) -> None:
    """They compare as numbers do, or are refused; the caller checks that nothing is a 500."""
    for name in ("Id", "AcknowledgeInMinutes"):
        for operator, values in (("In", number), ("NotIn", number), ("Between", f"-1e999999999, {number}")):
            condition = f'{{"PropertyName": "{name}", "Operator": "{operator}", "Values": [{values}]}}'
            body = f'{{"QueryExpression": {{"Criteria": {{"Conditions": [{condition}]}}}}}}'
            acme.send("POST", "query/WoPriority", body.encode())


def test_a_number_beyond_all_is_greater_than_all(acme: Caller) -> None:
    """And equal to none."""
    assert acme.ids("WoPriority", ("Id", "LessThan", "1e1000000")) == [1, 2, 3, 4]
    assert acme.ids("WoPriority", ("Id", "NotIn", "1e1000000")) == [1, 2, 3, 4]
    assert acme.ids("WoPriority", ("Id", "GreaterThan", "-1e1000000")) == [1, 2, 3, 4]
    assert acme.ids("WoPriority", ("Id", "Equal", "1e1000000")) == []
