"""Secrets in a text: each piece is hidden, in whatever form it is written."""

from __future__ import annotations

import base64
import html
import json
import re
import time
import tracemalloc
import unicodedata
from collections.abc import Callable
from html.entities import html5
from urllib.parse import quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.errors.test_secrets import PIECES, SECRET, TOKEN
from tests.support.laws import each_of, some
from wosdk_async.text import safe_text
from wosdk_async.text.safe_text import Secrets

TEXTS = st.text(st.sampled_from("abcXYZ/+ %&é\\\"'"), max_size=40)


@given(
    secret=st.text(st.sampled_from("abcXYZ019/+ %&é\\\"'"), min_size=12, max_size=60),
    before=TEXTS,
    after=TEXTS,
)
def test_hiding_comes_before_cutting(secret: str, before: str, after: str) -> None:
    """Wherever the cut falls, what is left is a cut of the hidden text: no part of a secret stays."""
    whole = before + secret + after
    secrets = Secrets(secret)
    hidden = secrets.hide(whole, 10_000)
    assert secret not in hidden
    for longest in range(0, len(whole) + 2, 3):
        found = secrets.hide(whole, longest)
        assert len(found) <= longest
        assert hidden.startswith(found)


ODD = "it's+so/true"
WRITTEN = [
    "it&#x27;s+so/true",
    "it&#39;s+so/true",
    "it&#39;s&#43;so&#x2f;true",
    "it&apos;s&plus;so&sol;true",
    "it\\u0027s\\u002Bso/true",
    "it\\u0027s\\u002bso/true",
    "it\\\\u0027s\\\\u002bso\\\\/true",
    "it's+so\\/true",
    "it\\\\\\'s+so\\\\\\/true",
    "it%27s%2Bso%2Ftrue",
    "it%2527s%252Bso%252ftrue",
    "it%252527s%25252Bso%25252ftrue",
    "%69%74%27%73%2B%73%6f%2F%74%72%75%65",
    "it&amp;#x27;s&amp;#x2B;so/true",
    "it\\u0026#x27;s\\u0026#x2B;so/true",
    "%u0069t%u0027s%u002bso%u002Ftrue",
    "it\\U00000027s\\U0000002bso\\U0000002Ftrue",
    "it\\047s\\053so\\057true",
    "IT'S+SO/TRUE",
    ODD.encode().hex(),
    ODD.encode().hex().upper(),
    base64.b64encode(ODD.encode()).decode(),
    "t's+so/true",
    "it's+so/tru",
]


@pytest.mark.parametrize("written", WRITTEN)
def test_the_forms_of_other_languages(written: str) -> None:
    """HTML as Python writes it, JSON as .NET and PHP do, addresses; one within another, and most of it."""
    assert Secrets(ODD).hide(f"you sent {written}!", 200) == "you sent ***!"
    secrets = Secrets(ODD)
    for longest in range(200):
        text = secrets.hide(f"you sent {written}!", longest)
        assert "you sent ***!".startswith(text)


@pytest.mark.parametrize("before", ["", "x", "xy"])
def test_base64_of_a_longer_text(before: str) -> None:
    """The characters at the ends belong to the neighbours as well."""
    form = base64.b64encode(f"{before}{TOKEN}after".encode()).decode()
    assert len(Secrets(TOKEN).hide(form, 2000)) < 20


SPECIAL = "".join(map(chr, range(33, 127)))
ENCODERS: dict[str, Callable[[str], str]] = {
    "JSON": lambda text: json.dumps(text)[1:-1],
    "form": quote_plus,
    "repr": lambda text: repr(text)[1:-1],
    "HTML": html.escape,
    "entities": lambda text: "".join(each if each.isalnum() else f"&#x{ord(each):X};" for each in text),
    ".NET": lambda text: "".join(each if each.isalnum() else f"\\u{ord(each):04x}" for each in text),
}


@given(
    secret=st.text(st.sampled_from(SPECIAL), min_size=24, max_size=60),
    ways=st.lists(st.sampled_from(sorted(ENCODERS)), max_size=3),
    cut=st.integers(0, 12),
)
def test_what_is_written_in_several_ways_at_once(secret: str, ways: list[str], cut: int) -> None:
    """Nothing is left of a secret, or of its second half, but what is too short for a piece."""
    written = secret[cut:]
    for way in ways:
        written = ENCODERS[way](written)
    found = Secrets(secret).hide(f"you sent {written} today", 5000)
    assert found.startswith("you sent")
    assert "***" in found
    assert len(found.replace("*", "")) < len("you sent  today") + 40


def units(char: str) -> str:
    """The UTF-16 units of a character in hexadecimal digits."""
    return char.encode("utf-16-be").hex()


EVERY = f"{SPECIAL[::3]}{SPECIAL[1::3]}{SPECIAL[2::3]}é€😀"
PRODUCTIONS: dict[str, Callable[[str], str]] = {
    "JSON, JavaScript: units": lambda char: re.sub("(....)", r"\\u\1", units(char)),
    "JSON: short": lambda char: json.dumps(char, ensure_ascii=False)[1:-1].replace("/", "\\/"),
    "JavaScript, Python: two digits": lambda char: f"\\x{ord(char):02X}" if char < "Ā" else char,
    "JavaScript: braces": lambda char: f"\\u{{{ord(char):x}}}",
    "JavaScript: braces and zeros": lambda char: f"\\u{{{ord(char):050X}}}",
    "JavaScript, Python: octal": lambda char: f"\\{ord(char):o}" if char < "Ā" else char,
    "JavaScript, Python: octal of three digits": lambda char: f"\\{ord(char):03o}" if char < "Ā" else char,
    "JavaScript: the character": lambda char: char if char.isalnum() else f"\\{char}",
    "JavaScript, Python: continued lines": lambda char: char.replace("\\", "\\\\") + "\\\n\\\r\n",
    "Python: name": lambda char: f"\\N{{{unicodedata.name(char)}}}",
    "Python: eight digits": lambda char: f"\\U{ord(char):08x}",
    "HTML: decimal": lambda char: f"&#{ord(char)};",
    "HTML: decimal and zeros": lambda char: f"&#{ord(char):050};",
    "HTML: no semicolon": lambda char: f"&#{ord(char)}",
    "HTML: hexadecimal": lambda char: f"&#X{ord(char):X};",
    "HTML: hexadecimal and zeros": lambda char: f"&#x{ord(char):050x}",
    "HTML: Windows-1252": lambda char: f"&#{char.encode('cp1252')[0]};" if char < "😀" else char,
    "addresses": lambda char: "".join(f"%{byte:02x}" for byte in char.encode()),
    "addresses: units": lambda char: re.sub("(....)", r"%u\1", units(char)),
    "markup": lambda char: f"{{!{{{char}}}!}}",
}


@each_of("write", PRODUCTIONS.values(), ids=PRODUCTIONS)
def test_each_escape_of_each_language(write: Callable[[str], str]) -> None:
    text = "".join(map(write, EVERY))
    assert Secrets(EVERY).hide(f"sent {text}", 10_000).replace("{!{", "").replace("}!}", "") == "sent ***"


def test_each_name_of_html() -> None:
    """Some need no semicolon, and one stands for two letters."""
    for name in (name for name, text in html5.items() if text.isascii() and text.isprintable()):
        secret = f"abcdefghij{html5[name]}klmnopqrst"
        assert Secrets(secret).hide(f"sent abcdefghij&{name}klmnopqrst", 200) == "sent ***", name


def test_what_only_looks_like_an_escape_stays() -> None:
    text = "AT&T &nosuchname; \\N{NO SUCH NAME} &#; &#x; \\u{} \\u{110000} &#1114112; \\U00110000 %zz %u12"
    assert Secrets(TOKEN).hide(text, 1000) == text


@pytest.mark.parametrize(
    "escape",
    [
        *("\\", "\\60", "\\\n", "\\u{", "\\ud83d\\u", "\\u{" + "0" * 50_000, "%25", "&", "&" + "a" * 40),
        *("&#" + "0" * 50_000, "&#x" + "0" * 50_000, "&#00107;", "\\N{", "\\N{" + "A" * 89),
        "\\N{LATIN SMALL LETTER K}",
    ],
    ids=lambda escape: escape[:12],
)
def test_the_time_for_100_kb_of_an_escape_is_linear(escape: str) -> None:
    secrets, text = Secrets(TOKEN), escape * (100_000 // len(escape))
    begun = time.process_time()
    secrets.hide(text, len(text))
    assert time.process_time() - begun < 1


def test_a_text_full_of_escapes_takes_no_long_time() -> None:
    """Whoever sends it cannot keep the loop busy."""
    secrets = Secrets(TOKEN, SECRET)
    texts = ["\\" * 10**6, "%25" * 10**6, "&amp;" * 10**6, TOKEN[:11] * 10**6, TOKEN * 10**4, "&#" * 10**6]
    begun = time.process_time()
    for text in texts:
        secrets.hide(text, 2000)
        assert not secrets.within(f"https://{text}") or TOKEN in text
    assert time.process_time() - begun < 1


def test_the_forms_of_a_token_are_cut_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A result has hundreds of short texts: for each of them only itself is cut."""
    cut = []
    forms_of = safe_text._forms_of
    monkeypatch.setattr(safe_text, "_forms_of", lambda value: cut.append(value) or forms_of(value))
    secrets = Secrets("".join(f"{at:x}." for at in range(4000)))
    for text in ("The customer has no \\u0077ork order.", "There is no such %61sset."):
        assert secrets.hide(text, 200) == text
    assert len(cut) == 1


def test_a_long_token_takes_no_long_time() -> None:
    """It may be as long as a header, and a text may repeat any part of it: a few milliseconds each."""
    tokens = ["".join(f"{at:x}." for at in range(4000))[:16_000], "abcdefg" * 2285]
    secrets = Secrets(*tokens)
    texts = [part * 400 for part in ("not found. ", "%2561", "abcdef", tokens[0][900:911])]
    texts += ["".join(token[at * 37 :][:11] + "." for at in range(340)) for token in tokens]
    begun = time.process_time()
    for text in (*texts, *tokens) * 3:
        secrets.hide(text[:4000], 2000)
    assert time.process_time() - begun < 1.5


def forms(secret: str) -> list[str]:
    """Return a secret of ASCII letters as responses may repeat it: in plain, base64 and hexadecimal."""
    raw = secret.encode()
    coded = [base64.b64encode(bytes(more) + raw).decode().rstrip("=") for more in range(3)]
    longer = [code[cut:] for code, cut in zip(coded[1:], (2, 3), strict=True) if len(code) - cut > 8]
    return [form.lower() for form in (secret, raw.hex(), coded[0], *longer)]


def hidden_slowly(secret: str, text: str) -> str:
    """Return ``text`` without each run of characters that a form of the secret has too."""
    secret_at = [False] * len(text)
    for form in forms(secret):
        size = min(len(form), max(8, min(12, len(form) // 2)))
        for at in range(len(text) - size + 1):
            if text[at : at + size] in form:
                secret_at[at : at + size] = [True] * size
    shown = "".join("\0" if here else char for char, here in zip(text, secret_at, strict=True))
    return re.sub("\0+", "***", shown)


@st.composite
def secrets_and_texts(draw: st.DrawFn) -> tuple[str, str]:
    """A secret whose parts repeat each other, and a text of parts of it, some longer than it."""
    letters = st.sampled_from(draw(st.sampled_from(["x", "xy", "xyz", "abcdefghijklmnopqrstuvwxyz"])))
    secret = draw(st.text(letters, min_size=4, max_size=90))
    pieces = st.builds(
        lambda form, at, size: form[at : at + size],
        st.sampled_from(forms(secret)),
        st.integers(0, 60),
        st.sampled_from([3, *range(7, 14), 40]),
    )
    parts = st.one_of(pieces, st.text(letters, max_size=20), st.just("-" * draw(st.integers(0, 400))))
    return secret, "".join(draw(st.lists(parts, max_size=12)))


@given(secrets_and_texts())
def test_every_piece_of_a_secret_is_hidden(both: tuple[str, str]) -> None:
    """And nothing else: as if each piece of the text were looked for in each form of the secret."""
    secret, text = both
    assert Secrets(secret).hide(text, 10_000) == hidden_slowly(secret, text)


def test_a_text_that_is_too_long_to_be_looked_through() -> None:
    """Of 50 MB only the beginning counts, and a secret that lies across its end does not stay."""
    secrets = Secrets(TOKEN)
    for before in some(range(2000, 2100), 5):
        text = f"a {TOKEN * 2}{' ' * before}{TOKEN}{'x' * (50_000_000 if before == 2050 else 100_000)}"
        found = secrets.hide(text, 2 * len(TOKEN) + 40)
        assert not [piece for piece in PIECES if piece[:4] in found]


@pytest.mark.parametrize("written", [TOKEN, "".join(f"\\u{ord(char):04x}" for char in TOKEN)])
def test_a_secret_that_begins_where_the_search_ends(written: str) -> None:
    """Its first characters are too few to be known again, and what was hidden before makes room for them."""
    secrets, hidden = Secrets(TOKEN), "a " + TOKEN * 4
    for seen in some(range(150), 3):
        text = hidden + " " * (2000 + 2048 - len(hidden) - seen) + written
        assert secrets.hide(text, 2000).replace("***", "").split() == ["a"]


@pytest.mark.parametrize("write", [str, lambda text: "".join(f"\\u{ord(char):04x}" for char in text)])
def test_a_secret_anywhere_in_a_long_text(
    write: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text is searched in parts, here small ones, and the secret may lie across their borders."""
    monkeypatch.setattr(safe_text, "_WINDOW", 5000)
    secrets, written = Secrets(TOKEN), f"{write(TOKEN)} "
    step = len(written) // 100 | 1  # odd, so that a border comes at each character of an escape
    for before in some(range(0, len(written), step), 7):
        text = " " * before + written * (11_000 // len(written) + 1)
        found = secrets.hide(text, len(text))
        assert set(found.split()) == {"***"}


def test_the_memory_of_a_search_does_not_grow_with_the_text() -> None:
    """A recorded body may have 64 MB: the search needs less than ten bytes for each of its characters."""
    text = "".join(f"{at:x}." for at in range(100_000))
    secrets = Secrets(TOKEN, SECRET)
    tracemalloc.start()
    try:
        assert secrets.hide(text, len(text)) == text
        assert tracemalloc.get_traced_memory()[1] < 10 * len(text)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("length", [12, 20, 700])
def test_a_secret_that_the_response_itself_cut(length: int) -> None:
    """A gateway that shows the first part of a token shows nothing through us."""
    assert Secrets(TOKEN).hide(f"token {TOKEN[:length]}... is not valid", 200) == "token ***... is not valid"


def test_without_secrets_a_text_stays_as_it_is() -> None:
    """But for its length."""
    assert Secrets().hide("a text", 200) == "a text"
    assert Secrets("", SECRET).hide("x" * 300, 200) == "x" * 200
    assert TOKEN not in repr(Secrets(TOKEN))


def test_what_is_too_short_for_a_secret_spoils_no_text() -> None:
    """Tests log in with such."""
    assert Secrets("a", "b", "id").hide("a bad idea", 200) == "a bad idea"
    assert Secrets("abcd").hide("of abcd", 200) == "of ***"
