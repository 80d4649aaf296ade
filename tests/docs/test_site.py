"""The site: every page is in the nav, generated pages are complete, and its checks find mistakes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from docs.builder.check import mistakes
from docs.builder.cli_page import commands
from docs.builder.dialect import for_site
from docs.builder.markup import slug
from docs.builder.search import WORDS, add_names
from docs.builder.stage import stage, write_config, written
from tests.docs import pages as reader
from tests.docs.pages import ROOT
from tests.support.laws import each_of
from wosdk_async.catalogue import load
from wosdk_async.catalogue.generator.names import member_name, snake
from wosdk_async.protocol.verdicts import CODES, VERDICTS

CATALOGUE = load()
TABLES = {"entities/values.md", "entities/query.md", "entities/messages.md", "entities/bases.md"}


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("build")


@pytest.fixture(scope="module")
def pages(build: Path) -> dict[str, str]:
    return stage(build / "pages")


@pytest.fixture(scope="module")
def nav(build: Path) -> list[str]:
    return write_config(build)


def test_the_nav_has_every_page_once(pages: dict[str, str], nav: list[str]) -> None:
    assert sorted(nav) == sorted(pages)


@pytest.mark.usefixtures("pages")  # it reads what they write
@pytest.mark.parametrize(
    ("overview", "last"), [("guides.md", "mcp.md"), ("reference.md", "examples/index.md")]
)
def test_an_overview_names_each_page_of_its_part_of_the_nav(
    overview: str, last: str, build: Path, nav: list[str]
) -> None:
    listed = nav[nav.index(overview) + 1 : nav.index(last) + 1]
    named = {link.partition("#")[0] for link in reader.read(build / "pages" / overview).links}
    assert [path for path in listed if not named & {path, f"{path.partition('/')[0]}/index.md"}] == []


def test_every_entity_has_its_fields(pages: dict[str, str]) -> None:
    shared = "".join(pages[path] for path in TABLES)
    for entity in CATALOGUE.entities.values():
        text = pages[f"entities/{entity.name}.md"] if entity.kind == "entity" else shared
        heading = "# " if entity.kind == "entity" else "## "
        assert f"{heading}{entity.name}\n" in text
        for field in entity.fields:
            assert f"| `{field.name}`<br>`{snake(field.name)}` |" in text, (entity.name, field.name)


def test_an_entity_names_its_commands_references_and_sources(pages: dict[str, str]) -> None:
    text = pages["entities/WorkOrder.md"]
    create = "[WoCreateCommand](../commands/work_orders.md#wocreatecommand)"
    assert f"{create} takes `WorkOrderId`, takes `WorkOrder`, returns `Wo`" in text
    assert "[WoPauseCommand](../commands/work_orders.md#wopausecommand) takes `WorkOrderId`" in text
    assert "reference to [Customer](../entities/Customer.md)" in text
    assert (
        "AddChildWorkOrderRoutine](../commands/work_orders.md#addchildworkorderroutine) takes `WoItemIds`"
        in (pages["entities/WoItem.md"])
    )
    assert "* [WoNote]" not in text  # its WorkOrderId is a number, and no field that holds the order
    assert "To create: run WoCreateCommand." in text
    assert text.count("WoCreateCommand") == 1 + create.count("WoCreateCommand")  # how to create is said once
    assert "Stated by the specification" in text
    assert "\n\nNo source describes it. In Python" in pages["entities/AlertScope.md"]


def test_every_command_has_its_fields(pages: dict[str, str]) -> None:
    text = "".join(text for path, text in pages.items() if path.startswith("commands/"))
    for command in CATALOGUE.commands.values():
        _, _, body = text.partition(f"\n## {command.name}\n")
        body = body.partition("\n## ")[0]
        assert f"`cmd/{command.path}`" in body
        for field in (*command.request, *command.response):
            assert f"| `{field.name}`<br>" in body, (command.name, field.name)


def test_every_value_of_an_enum_is_listed(pages: dict[str, str]) -> None:
    text = pages["enums/index.md"]
    for enum in CATALOGUE.enums.values():
        body = text.partition(f"\n## {enum.name}\n")[2].partition("\n## ")[0]
        for value in enum.values:
            assert f"| `{value.name}` |" in body, (enum.name, value.name)
            assert member_name(value.name) == value.name or f"`{member_name(value.name)}`" in body


def test_every_error_code_has_its_exception(pages: dict[str, str]) -> None:
    lines = pages["error-codes.md"].splitlines()
    for code in {*CODES, *(value.name for value in CATALOGUE.enums["ErrorCode"].values)}:
        (line,) = (line for line in lines if line.startswith(f"| `{code}` |"))
        assert f"`{CODES[code].error.__name__ if code in CODES else 'RefusedError'}`" in line


def test_every_option_of_every_command_is_listed(pages: dict[str, str]) -> None:
    text = pages["cli-options.md"]
    assert len(list(commands())) > 30
    for words, command in commands():
        body = text.partition(f"\n## {words}\n")[2].partition("\n## ")[0]
        for param in command.params:
            if not getattr(param, "hidden", False) and param.opts[0].startswith("-"):
                assert param.opts[-1] in body, (words, param.opts)


def test_a_drawing_names_every_verdict() -> None:
    shown = (ROOT / "docs" / "images" / "verdicts.svg").read_text(encoding="utf-8")
    assert [verdict.name for verdict in VERDICTS if f">{verdict.name}<" not in shown] == []


def test_a_drawing_is_in_the_page_itself(build: Path, pages: dict[str, str]) -> None:
    """It uses the reader's colours there; a separate file would use the system's."""
    text = (build / "pages" / "failures.md").read_text(encoding="utf-8")
    assert '<svg class="diagram"' in text
    assert "<style>" not in text


def test_a_notebook_is_a_page_with_its_results(pages: dict[str, str]) -> None:
    """``.ci/uses/notebook.py`` compares the results."""
    (path,) = ROOT.glob("docs/notebooks/*.ipynb")
    text = pages["notebooks/work_orders.md"]
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert [cell["id"] for cell in cells if "".join(cell["source"]) not in text] == []
    plots = re.findall(r"!\[(.+)]\(\.\./images/(work-orders-\d\.svg)\)", text)
    assert plots == [
        ("By state: the plot", "work-orders-1.svg"),
        ("Open orders by age: the plot", "work-orders-2.svg"),
    ]
    assert {name for _, name in plots} == {each.name for each in ROOT.glob("docs/images/work-orders-*")}
    assert "[Work orders by state and age](notebooks/work_orders.md)" in pages["guides.md"]


def test_every_example_is_on_their_page(pages: dict[str, str]) -> None:
    text = pages["examples/index.md"]
    files = [path for path in (ROOT / "docs" / "examples").glob("*.*") if path.suffix != ".md"]
    assert [path.name for path in files if f"## {path.name}\n" not in text] == []
    assert "(examples/index.md#mcp_clientpy)" in pages["mcp.md"]


def test_links_that_lead_nowhere_in_the_repository_are_explained_there() -> None:
    """``docs/README.md`` lists generated pages, and alternatives."""
    docs = ROOT / "docs"
    links = {(path.parent, link.partition("#")[0]) for path in written() for link in reader.read(path).links}
    targets = {(folder / link).resolve() for folder, link in links if "://" not in link}
    only_built = {each.relative_to(docs).as_posix() for each in targets if not each.exists()}
    assert "entities/index.md" in only_built
    explained = set(re.findall(r"`([\w./-]+)`", (ROOT / "docs" / "README.md").read_text(encoding="utf-8")))
    assert {each for each in only_built if not explained & {each, f"{each.partition('/')[0]}/"}} == set()


def test_a_python_name_is_one_word_of_the_search(build: Path) -> None:
    """Else ``po_number`` finds ``poll`` and ``number``."""
    write_config(build)
    config = (build / "mkdocs.yml").read_text(encoding="utf-8")
    separator = re.search(r"^ +separator: '(.+)'$", config, re.MULTILINE)
    assert separator is not None
    assert re.split(separator[1], "PoNumber, po_number") == ["PoNumber", "po_number"]


def test_what_is_looked_up_has_its_own_entry_in_the_search(tmp_path: Path, pages: dict[str, str]) -> None:
    def section(page: str, title: str, level: int) -> dict[str, object]:
        place = f"{page.removesuffix('.md')}.html" + f"#{slug(title)}" * (level > 1)
        path = ["Reference", "Entities", "Family", title]
        return {"location": place, "level": level, "title": title, "text": "Text", "path": path, "tags": []}

    items = [
        section(page, title, len(depth))
        for page, text in reversed(pages.items())
        for depth, title in re.findall(r"^(#+) (.+)$", text, re.MULTILINE)
    ]
    guide = section("spreadsheet.md", "CSV and Excel: the guide", 1) | {
        "path": ["Guides", "Import a spreadsheet"]
    }
    items.append(guide)
    file = tmp_path / "search.json"
    file.write_text(json.dumps({"config": {}, "items": items}), encoding="utf-8")
    add_names(tmp_path, pages, {})
    entries = json.loads(file.read_text(encoding="utf-8"))["items"]
    found = {(each["title"], each["location"]): (place, each) for place, each in enumerate(entries)}
    for name, location in (
        ("DtDue, dt_due", "entities/WorkOrder.html#fields-of-workorder"),
        ("WorkOrderId, work_order_id", "commands/work_orders.html#fields-of-wopausecommand"),
        ("OnHold", "enums/index.html#workorderstatus"),
        ("EXPIRED_TOKEN", "error-codes.html"),
        ("WOSDK_CLIENT_SECRET", "settings.html"),
        ("--map MAP.toml", "cli-options.html#wosdk-import"),
        ("not sent: the deadline had passed before the call began", "messages.html#time-outs-and-throttling"),
    ):
        assert (name, location) in found
    place, order = found["WorkOrder", "entities/WorkOrder.html"]
    assert place < found["WorkOrderCost", "entities/WorkOrderCost.html"][0]
    assert order["path"] == ["Reference", "Entities", "WorkOrder"]
    assert entries[0] == guide  # a short name does not hide the guide that answers the question
    merged = [
        each["path"] for each in entries if each["title"] == "--csv"
    ]  # one entry, not one of each command
    assert len(merged) == 1
    assert "wosdk get, wosdk query, wosdk run" in str(merged)
    fields = sum(len(each.fields) for each in CATALOGUE.entities.values())
    values = sum(len(each.values) for each in CATALOGUE.enums.values())
    assert len(entries) - len(items) > fields + values


def test_words_that_people_type_lead_to_pages_of_the_nav(nav: list[str]) -> None:
    """``test_site_search.py`` types them."""
    assert [page for page in WORDS if page not in nav] == []


def test_every_page_that_people_write_begins_with_a_sentence(pages: dict[str, str]) -> None:
    """It says what the reader gets; code, a list or a table comes after it."""
    names = [path.relative_to(ROOT / "docs").as_posix() for path in written()]
    openings = {name: pages[name].split("\n\n")[1] for name in names}
    assert [name for name, text in openings.items() if text[0] in "#|<!*" or text.startswith("```")] == []
    assert [name for name, text in openings.items() if not text.rstrip().endswith((".", ":"))] == []


@pytest.mark.parametrize(
    ("html", "wrong"),
    [
        ('<a href="b.html">', "a link to nowhere: b.html"),
        ('<a href="#there">', "a link to nowhere: #there"),
        ('<a href="a.html#there">', "a link to nowhere: a.html#there"),
        ('<img src="none.png">', "a link to nowhere: none.png"),
        ('<script src="https://cdn.example/x.js"></script>', "loads https://cdn.example/x.js from elsewhere"),
        (
            '<link rel="stylesheet" href="//fonts.example/x.css">',
            "loads //fonts.example/x.css from elsewhere",
        ),
    ],
)
def test_a_mistake_in_the_built_site_is_found(tmp_path: Path, html: str, wrong: str) -> None:
    (tmp_path / "a.html").write_text(f'<h1 id="here">A</h1>{html}', encoding="utf-8")
    assert list(mistakes(tmp_path, {"a.md"}, {"a.md"})) == [f"a.html: {wrong}"]


def test_what_is_sound_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "a.html").write_text('<a id="x" href="b/c.html#y"></a><a href="https://example.org">')
    (tmp_path / "b" / "c.html").write_text(
        '<a id="y" href="../a.html#x"></a><img src="data:image/png;base64,">'
    )
    assert list(mistakes(tmp_path, {"a.md", "b/c.md"}, {"a.md", "b/c.md"})) == []


def test_a_page_outside_the_nav_and_one_that_is_not_there_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("")
    found = list(mistakes(tmp_path, {"a.md", "gone.md"}, {"a.md", "lost.md"}))
    assert found[0] == "lost.md: not in the nav"
    assert "the nav names gone.md" in found[1]
    assert list(mistakes(tmp_path, {"a.md", "b.md"}, {"a.md", "b.md"})) == ["b.md: was not built"]


@each_of(
    ("github", "site"),
    [
        ("Text:\n* one\n* two\n", "Text:\n\n* one\n* two\n"),
        ("1. one\n   * in it\n2. two\n", "1. one\n    * in it\n2. two\n"),
        ("* one\n  continues\n\n  more\n\nEnd\n", "* one\n    continues\n\n    more\n\nEnd\n"),
        ("<!-- parse only: why -->\n```sh\n* x\n```\n", "```sh\n* x\n```\n"),
        ("* one:\n\n  ```sh\n  ls\n  ```\n* two\n", "* one:\n\n    ```sh\n    ls\n    ```\n\n* two\n"),
        ("```text\n```\n* one\n* two\n", "```text\n```\n\n* one\n* two\n"),
        ("Text\n| a |\n|---|\n| 1 |\n", "Text\n\n| a |\n|---|\n| 1 |\n"),
        ("| `a\\|b` | c \\| d |", "| `a|b` | c \\| d |\n"),
        ("Outside of tables `a\\|b` stays.", "Outside of tables `a\\|b` stays.\n"),
        ("| `--csv` | with `-p PATH`. |", "| `--csv`{ .whole } | with `-p PATH`{ .whole }. |\n"),
        ("# `--csv`", "# `--csv`\n"),
        ("```sh\nls `--csv`\n```", "```sh\nls `--csv`\n```\n"),
        ("[`--csv`](cli.md) `a--csv` `-`", "[`--csv`](cli.md) `a--csv` `-`\n"),
        ("`--a-long-text-that-has-to-break-somewhere`", "`--a-long-text-that-has-to-break-somewhere`\n"),
        ("```text\n<!-- kept -->\n   * kept\n```\n", "```text\n<!-- kept -->\n   * kept\n```\n"),
        (
            "1. one\n\n   ```json\n   {\n    1\n   }\n   ```\n",
            "1. one\n\n    ```json\n    {\n     1\n    }\n    ```\n",
        ),
    ],
)
def test_the_site_reads_what_github_reads(github: str, site: str) -> None:
    assert for_site(github) == site


def test_options_are_shown_with_what_they_mean(pages: dict[str, str]) -> None:
    """Arguments without a description are only in the usage; a bound is not markup."""
    text = pages["cli-options.md"]
    assert "Usage: `wosdk get [OPTIONS] ENTITY ID`" in text
    assert "| `ENTITY` |" not in text
    assert "`--format [parquet|csv|jsonl|xlsx]`" in text.replace("\\|", "|")
    assert "1&lt;=x&lt;=4000" in text
    assert "\\<" not in text


def test_a_link_shows_the_title_of_a_page_and_not_its_file(pages: dict[str, str]) -> None:
    """In the repository a link shows the file name, as readers see it there."""
    shown = [
        (path, link)
        for path, text in pages.items()
        for link in re.findall(r"\[[\w./-]+\.md\]\([^)]*\)", text)
    ]
    assert shown == []
    assert "[Versions](versions.md)" in pages["changelog.md"]
    assert "[Tables](../tables.md)" in pages["notebooks/work_orders.md"]


def test_no_table_is_without_rows(pages: dict[str, str]) -> None:
    empty = [path for path, text in pages.items() if re.search(r"^\|[-| :]+\|\n(?!\|)", text, re.MULTILINE)]
    assert empty == []
    assert "No source says which fields it has." in pages["entities/PmItem.md"]


def test_a_table_names_its_columns_or_none_of_them(pages: dict[str, str]) -> None:
    """Only the first may be empty, above row names."""
    heads = [
        (path, head)
        for path, text in pages.items()
        for head in re.findall(r"^(\|.*\|)\n\|[-| :]+\|\n", text, re.MULTILINE)
    ]
    cells = [(path, [cell.strip() for cell in head.strip("|").split("|")]) for path, head in heads]
    assert len(cells) > 400
    assert [(path, names) for path, names in cells if any(names) and not all(names[1:])] == []


def test_a_result_of_the_search_is_a_text_and_no_markdown(tmp_path: Path) -> None:
    page = "# A\n\n| `Name` | text *may be null*; 1&lt;=x\\>=0 `Items.*` a\\|b *required* |\n"
    found = {
        "items": [
            {"location": "settings.html", "level": 1, "title": "A", "text": "", "path": ["A"], "tags": []}
        ]
    }
    (tmp_path / "search.json").write_text(json.dumps(found), encoding="utf-8")
    add_names(tmp_path, {"settings.md": page}, {})
    shown = json.loads((tmp_path / "search.json").read_text(encoding="utf-8"))["items"]
    assert [each["text"] for each in shown] == [
        "",
        "text may be null; 1&lt;=x&gt;=0 <code>Items.*</code> a|b required",
    ]


def test_the_page_for_a_wrong_address_leads_to_the_start() -> None:
    """The theme's own has no link."""
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    folder = re.search(r"^  custom_dir: \.\./(\S+)", config, re.MULTILINE)
    assert folder
    page = (ROOT / folder[1] / "404.html").read_text(encoding="utf-8")
    assert 'href="{{ nav.homepage.url | url }}"' in page
