"""Known secrets, and values of fields with secret names, are masked, and nothing else is."""

from __future__ import annotations

import json
import time
from typing import Any
from urllib.parse import quote, urlencode
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.laws import each_of
from wosdk_async.codec.masking import mask_fields, mask_text
from wosdk_async.text.safe_text import Secrets

NAMES = ("Password", "newPassword", "ApiToken", "client_secret", "Set-Cookie", "Authorization")


@pytest.mark.parametrize("name", NAMES)
@given(value=st.text("abcXYZ019\"'\\<&;=:/%é ", max_size=12))
def test_a_secret_value_is_not_shown_in_any_format(name: str, value: str) -> None:
    secret = f"pw4711{value}pw4712"
    member = json.dumps({"a": 1, name: secret, "b": "after"})
    address = f"https://user:{quote(secret, safe='')}@host/f?x=1&{name}={quote(secret, safe='')}&b=after"
    for text in (
        member,
        json.dumps(member),
        json.dumps(json.dumps(member)),
        member[:-20],
        urlencode({"a": 1, name: secret, "b": "after"}),
        f"<a>1</a><n:{name} x='1'>{escape(secret)}</n:{name}><b>after</b>",
        f"<{name}><![CDATA[{secret}]]></{name}>",
        address,
        quote(address, safe=""),
        quote(quote(address, safe=""), safe=""),
        json.dumps({"Url": address, "b": "after"}),
    ):
        assert "pw471" not in mask_text(text), text
        assert "pw471" not in json.dumps(mask_fields(text)), text
    shown = mask_fields({"Body": member})["Body"]
    assert json.loads(shown) == {"a": 1, name: "***", "b": "after"}


@each_of(
    ("text", "masked"),
    [
        ("Server=db;Password=abc;x=1", "Server=db;Password=***;x=1"),
        ("Password: abc\nnext: line", "Password: ***\nnext: line"),
        ("authorization: Bearer a.b-c", "authorization: Bearer ***"),
        ('"Password": 12345, "a": 1', '"Password": ***, "a": 1'),
        ('"Tokens": ["a", "b"], "c": 1', '"Tokens": ***, "c": 1'),
        ('"Body": "x Password=abc y"', '"Body": "x Password=*** y"'),
        ("f?X-Sig=abc&amp;b=1", "f?X-Sig=***&amp;b=1"),
        ("f?hmac=abc&b=1", "f?hmac=***&b=1"),
        ("https://h/a;jsessionid=abc?b=1", "https://h/a;jsessionid=***"),
        ("see //user:abc@host/a", "see //***@host/a"),
        (r'"\/\/user:abc@host\/a"', r'"\/\/***@host\/a"'),
        ("see //note@host and https://host//a:b@2x.png", "see //note@host and https://host//a:b@2x.png"),
        ("#access_token=abc", "#access_token=***"),
        ("see //user:abc@host/f", "see //***@host/f"),
        ("%2F%2Fuser:abc%40host/f", "%2F%2F***%40host/f"),
        ("f?a=1&hmac=abc&b=1", "f?a=1&hmac=***&b=1"),
        ("f?Policy=abc&policyId=1", "f?Policy=***&policyId=1"),
        ("f;jsessionid=abc", "f;jsessionid=***"),
        ("f%3Bjsessionid%3Dabc%26b=1", "f%3Bjsessionid%3D***%26b=1"),
        ("f?PHPSESSID=abc", "f?PHPSESSID=***"),
        ("a // b@c.example", "a // b@c.example"),
        ('"MustResetPassword": true, "ApiToken": null', '"MustResetPassword": true, "ApiToken": null'),
        ("AuthorizationCode=7; mail: a@b.example", "AuthorizationCode=7; mail: a@b.example"),
        ("https://host:8443/path?page=2", "https://host:8443/path?page=2"),
    ],
)
def test_what_is_masked_in_a_text(text: str, masked: str) -> None:
    assert mask_text(text) == masked


def test_a_value_keeps_its_kind() -> None:
    """So that what was masked can still be read as the class that it was."""
    secret = {"aToken": "x", "bToken": 7, "cToken": [1], "dToken": {"x": 1}, "eToken": None, "fToken": True}
    kept = {"aToken": "***", "bToken": 0, "cToken": [], "dToken": {}, "eToken": None, "fToken": True}
    assert mask_fields([{"a": secret}]) == [{"a": kept}]


json_values = st.recursive(
    st.none() | st.integers() | st.text("abc{}[]\"' 1", max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=9,
)


@given(value=json_values)
def test_nothing_else_changes(value: Any) -> None:
    assert mask_fields(value) == value
    assert mask_text(json.dumps(value)) == json.dumps(value)


@pytest.mark.parametrize(
    "piece",
    [
        *("a", '"', "\\", "<a", "://", "&sig", " ", 'a="', "a=[", "<a><![CDATA[", "&key", "\t=", "%3F"),
        *("//", "//a", "//a:", "%2F%2Fa", ";jsessionid"),
    ],
)
def test_a_hostile_text_takes_linear_time(piece: str) -> None:
    text = piece * (50_000 // len(piece))
    began = time.process_time()
    for each in (text, f"Password={text}", f'Password: "{text}', f"<Password {text}"):
        mask_text(each)
    assert time.process_time() - began < 0.5


KNOWN = 'k9/Zq+7"w&Lm3 Xr8tPv2B'
_written = st.sampled_from([KNOWN, quote(KNOWN, safe=""), json.dumps({"a": KNOWN}), KNOWN.encode().hex()])
_with_known = st.recursive(
    st.none() | st.integers() | st.text() | st.builds("{0}{1}{2}".format, st.text(), _written, st.text()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | _written, inner),
)


@given(_with_known)
def test_a_known_secret_is_nowhere_left(value: Any) -> None:
    """In values and names, however it is written."""
    shown = json.dumps(mask_fields(value, Secrets(KNOWN)), ensure_ascii=False)
    assert Secrets(KNOWN).hide(shown, len(shown)) == shown


@given(st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.lists(inner)))
def test_without_a_known_secret_the_names_decide(value: Any) -> None:
    assert mask_fields(value, Secrets(KNOWN)) == mask_fields(value)
