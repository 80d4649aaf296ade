"""The search of the site in a real browser: words that people type lead to the page that answers them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from docs.builder.__main__ import main
from docs.builder.search import WORDS
from tests.docs.pages import ROOT

pytestmark = pytest.mark.browser

HOST = "http://site.test"
TYPED = [(word.partition(" (")[0], page) for page, words in WORDS.items() for word in words]


@pytest.fixture(scope="module")
def search(browser: Any) -> Iterator[Any]:
    """Return the site in a browser, built once, with its search open."""
    assert main(ROOT / "build") == 0
    page = browser.new_page()
    page.route(
        f"{HOST}/**",
        lambda route: route.fulfill(path=ROOT / "build/site" / route.request.url[len(HOST) + 1 :]),
    )
    page.goto(f"{HOST}/index.html")
    page.keyboard.press("/")
    yield page
    page.close()


def found(search: Any, words: str) -> list[str]:
    """Return the pages of the first three results, as paths of their Markdown."""
    results = search.get_by_role("option")
    search.get_by_role("combobox").fill("")
    results.first.wait_for(state="detached")  # else they could be those of the words before
    search.get_by_role("combobox").fill(words)
    results.first.wait_for()
    links: list[str] = results.evaluate_all("all => all.map(each => each.href)")
    return [link[len(HOST) + 1 :].partition(".html")[0] + ".md" for link in links[:3]]


def test_there_are_many_words_and_each_is_there_once() -> None:
    assert len({word.lower() for word, _ in TYPED}) == len(TYPED) > 100


@pytest.mark.parametrize(("word", "page"), TYPED, ids=lambda each: each)
def test_a_word_that_people_type_leads_to_its_page(search: Any, word: str, page: str) -> None:
    assert page in found(search, word)


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("DtDue", "entities/WorkOrder.md"),
        ("WoOnHoldCommand", "commands/work_orders.md"),
        ("EXPIRED_TOKEN", "error-codes.md"),
        ("--retry-refused", "cli-options.md"),
        ("WOSDK_CLIENT_SECRET", "settings.md"),
        ("run_many", "api/client.md"),
    ],
)
def test_a_name_leads_to_the_page_that_has_it(search: Any, words: str, page: str) -> None:
    assert page in found(search, words)
