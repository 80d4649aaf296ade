"""The site's style sheet on top of the theme's, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest

from tests.docs.pages import ROOT

pytestmark = pytest.mark.browser

NARROW = {"width": 390, "height": 800}
LONG = "a text of many words, which is to be read in lines of several words each"


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    page = browser.new_page(viewport=NARROW)
    yield page
    page.close()


def show(page: Any, body: str, scheme: str = "default") -> None:
    """Show the body of a page in the theme's markup."""
    theme = files("zensical") / "templates" / "assets" / "stylesheets" / "modern"
    sheets = sorted(
        (each for each in theme.iterdir() if each.name.endswith(".css")), key=lambda each: each.name
    )
    styles = [each.read_text(encoding="utf-8") for each in sheets]
    styles.append((ROOT / "docs" / "styles" / "site.css").read_text(encoding="utf-8"))
    page.set_content(
        f'<!doctype html><body data-md-color-scheme="{scheme}"><style>{"".join(styles)}</style>'
        f'<article class="md-content__inner md-typeset">{body}</article>'
    )


def table(*cells: str) -> str:
    head = "".join(f"<th>{number}</th>" for number in range(len(cells)))
    row = "".join(f"<td>{cell}</td>" for cell in cells)
    whole = f"<table><thead><tr>{head}</tr></thead><tbody><tr>{row}</tr></tbody></table>"
    return f'<div class="md-typeset__scrollwrap"><div class="md-typeset__table">{whole}</div></div>'


def widths(page: Any) -> list[int]:
    shown: list[int] = page.locator("td").evaluate_all("all => all.map(cell => cell.clientWidth)")
    return shown


def page_width(page: Any) -> int:
    width: int = page.evaluate("document.documentElement.scrollWidth")
    return width


def test_a_wide_table_scrolls_in_its_box_and_its_texts_stay_readable(page: Any) -> None:
    show(page, table("503", LONG, LONG, LONG))
    number, *texts = widths(page)
    assert number < 100 < 180 < min(texts)
    assert page_width(page) <= NARROW["width"]
    box = page.locator(".md-typeset__scrollwrap")
    assert box.evaluate("box => box.scrollWidth > box.clientWidth")


def test_two_columns_share_the_screen(page: Any) -> None:
    show(page, table("a name", LONG))
    box = page.locator(".md-typeset__scrollwrap")
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
    show(page, table("<code>AddSecondary|RemoveSecondary|Snap</code>", LONG))
    assert widths(page)[1] > 150
    assert page_width(page) <= NARROW["width"]


def test_a_plot_is_dark_in_the_dark_and_can_be_read_on_a_phone(page: Any) -> None:
    plot = '<p><img alt="By state: the plot" src="data:image/svg+xml,<svg xmlns=\'http://www.w3.org/2000/svg\'/>"></p>'
    for scheme, expected in (("default", "none"), ("slate", "invert(0.9) hue-rotate(180deg)")):
        show(page, plot, scheme)
        assert page.locator("img").evaluate("img => getComputedStyle(img).filter") == expected
    assert page.locator("img").evaluate("img => img.clientWidth") > 600
    assert page_width(page) <= NARROW["width"]
