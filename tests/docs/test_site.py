"""The site: every page is in the nav, generated pages are complete, and its checks find mistakes."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path

import attrs
import pytest

import wosdk_async
from docs.builder import api_pages, diagrams, notebook_pages, reference_pages
from docs.builder.check import mistakes
from docs.builder.dialect import for_site, with_bars
from docs.builder.docstrings import described
from docs.builder.machines import first_sentence, write_for_machines
from docs.builder.markup import slug
from docs.builder.search import add_names
from docs.builder.stage import nav_pages, stage, write_config, written
from tests.docs import pages as reader
from tests.docs.pages import ROOT
from wosdk_async import model
from wosdk_async.catalogue import load
from wosdk_async.catalogue.generator.names import member_name, snake
from wosdk_async.client import ClientArguments
from wosdk_async.protocol.verdicts import CODES, VERDICTS

CATALOGUE = load()
PUBLIC = (
    "jobs", "sandbox", "testing", "web.asgi", "web.problems", "web.webhooks", "options.hooks", "errors",
    "web.pydantic", "web.fastapi", "web.litestar",
)  # fmt: skip
TABLES = {"entities/values.md", "entities/query.md", "entities/messages.md", "entities/bases.md"}


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("build")


@pytest.fixture(scope="module")
def pages(build: Path) -> dict[str, str]:
    return stage(build / "pages")


@pytest.fixture(scope="module")
def nav(build: Path) -> list[tuple[str, str]]:
    return nav_pages(write_config(build))


def test_the_nav_has_every_page_once(pages: dict[str, str], nav: list[tuple[str, str]]) -> None:
    listed = [path for _, path in nav]
    assert sorted(listed) == sorted(pages)
    sections = ["Start", "Guides", "Reference", "Operations", "Internals", "Comparisons"]
    assert list(dict.fromkeys(section for section, _ in nav)) == sections


@pytest.mark.parametrize("section", ["Guides", "Reference"])
def test_an_overview_names_each_page_of_its_part_of_the_nav(
    section: str, build: Path, pages: dict[str, str], nav: list[tuple[str, str]]
) -> None:
    overview, *listed = [path for part, path in nav if part == section]
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


def test_every_public_name_is_on_a_page_of_the_api() -> None:
    shown = api_pages.names()
    assert len(shown) == len(set(shown))
    top = set(wosdk_async.__all__) - set(model.__all__) - {"__version__"}
    below = {
        f"{name}.{each}"
        for name in PUBLIC
        for each in import_module(f"wosdk_async.{name}").__all__
        if each not in top
    }
    assert {f"wosdk_async.{name}" for name in top | below} <= set(shown)
    for name in shown:
        module, _, last = name.rpartition(".")
        assert hasattr(import_module(module), last), name


def test_the_api_shows_the_arguments_that_a_caller_writes() -> None:
    client = described("wosdk_async.Client")
    signature, _, rest = client.partition("\n```\n")
    for option in attrs.fields(ClientArguments):
        assert f" {option.name}: " in signature, option.name
        assert f"\n    {option.name}: " in rest, option.name
    assert "in_flight: int = 32" in signature
    assert "\n    profile: Profile of the settings file to use." in rest  # of from_env
    assert "Done(index: int, input: I, result: R, *, reply" in described("wosdk_async.Done")
    shown = "".join(described(name) for name in api_pages.names())
    assert [
        text for text in ("_unknown", "arguments: ", "= number(", "= NOTHING", "MEANT") if text in shown
    ] == []


def test_the_api_shows_values_of_defaults_and_not_their_names() -> None:
    """A reader cannot look up a constant of a module, and nobody passes what has the type Never."""
    query = described("wosdk_async.Query")
    assert "pages(size: int = 1000) -> AsyncGenerator" in query
    assert "max_bytes: int = 67108864" in described("wosdk_async.resources.documents.Documents")
    assert "dialect: str = 'spec'" in described("wosdk_async.sandbox.LocalCompany")
    shown = {name: described(name) for name in api_pages.names()}
    assert [name for name, text in shown.items() if re.search(r"= _[A-Z]|SPEC\.name|: Never", text)] == []


def test_the_api_leaves_out_what_only_the_library_calls() -> None:
    shown = "".join(described(f"wosdk_async.{name}") for name in ("Trace", "WosdkError", "sandbox.Faults"))
    shown += described("wosdk_async.testing.SkippingClock")
    headings = set(re.findall(r"^### (\w+)$", shown, re.MULTILINE))
    assert {"times", "message", "clear", "advance"} <= headings
    assert headings.isdisjoint({"begin", "become", "start_phase", "hide", "match", "note_response", "doing"})


def test_every_name_of_the_api_is_described() -> None:
    """A signature alone does not say what a name is for."""
    texts = {name: described(name).partition("\n```")[2].partition("\n### ")[0] for name in api_pages.names()}
    assert [name for name, text in texts.items() if not text.strip()] == []


def test_a_page_says_what_it_has_in_its_first_sentence(pages: dict[str, str]) -> None:
    """An entity that no source describes says so, and does not begin with its name in Python."""
    first = {path: first_sentence(text) for path, text in pages.items()}
    assert first["entities/AlertScope.md"] == "No source describes it."
    assert first["commands/company.md"] == "One command, with the fields that it takes and returns."
    assert [path for path, text in first.items() if not text or text.startswith("In Python")] == []


def test_every_option_of_every_command_is_listed(pages: dict[str, str]) -> None:
    text = pages["cli-options.md"]
    assert len(list(reference_pages.commands())) > 30
    for words, command in reference_pages.commands():
        body = text.partition(f"\n## {words}\n")[2].partition("\n## ")[0]
        for param in command.params:
            if not getattr(param, "hidden", False) and param.opts[0].startswith("-"):
                assert param.opts[-1] in body, (words, param.opts)


def test_every_option_of_a_client_has_its_default_and_meaning(pages: dict[str, str]) -> None:
    text = pages["options.md"]
    assert "| `in_flight` | `32` | Most calls of one Company under way in an event loop;" in text
    assert "| `retry` | `RetryPolicy()` | When and how often a call is retried. |" in text
    assert ":class:" not in text


def test_drawings_are_those_that_the_script_draws(pages: dict[str, str]) -> None:
    for name, draw in diagrams.DRAWINGS.items():
        assert (ROOT / "docs" / "images" / name).read_text(encoding="utf-8") == draw().svg()
    shown = diagrams.verdict_tree().svg()
    assert [verdict.name for verdict in VERDICTS if f">{verdict.name}<" not in shown] == []


def test_a_drawing_is_in_the_page_itself(build: Path, pages: dict[str, str]) -> None:
    """There it follows the colours that the reader chose; a style of its own would follow the system."""
    text = (build / "pages" / "failures.md").read_text(encoding="utf-8")
    assert '<svg class="diagram"' in text
    assert "<style>" not in text


def test_a_notebook_is_a_page_with_its_results(pages: dict[str, str]) -> None:
    (path,) = notebook_pages.NOTEBOOKS
    text = pages["notebooks/work_orders.md"]
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert [cell["id"] for cell in cells if "".join(cell["source"]) not in text] == []
    sources = {cell["id"]: "".join(cell["source"]) for cell in cells}
    printed = notebook_pages.results(path)
    assert [name for name, source in sources.items() if "print(" in source and name not in printed] == []
    for name, result in printed.items():
        assert f"```python\n{sources[name]}\n```\n\n```text\n{result}```\n" in text
    plots = re.findall(r"!\[(.+)]\(\.\./images/(work-orders-\d\.svg)\)", text)
    assert plots == [
        ("By state: the plot", "work-orders-1.svg"),
        ("Open orders by age: the plot", "work-orders-2.svg"),
    ]
    assert {name for _, name in plots} == {each.name for each in ROOT.glob("docs/images/work-orders-*")}
    assert "[Work orders by state and age](notebooks/work_orders.md)" in pages["guides.md"]


def test_llms_txt_lists_every_page_and_each_is_there(tmp_path: Path) -> None:
    shown = {
        "a.md": "# One\n\nA [page](b.md) of two. More.\n",
        "b/c.md": "# Two\n\n| a |\n|---|\n\nSecond.\n",
    }
    write_for_machines(tmp_path, shown, [("Start", "a.md"), ("Guides", "b/c.md")])
    listed = (tmp_path / "llms.txt").read_text(encoding="utf-8")
    assert "## Start\n\n- [One](a.md): A page of two.\n" in listed
    assert "## Guides\n\n- [Two](b/c.md): Second.\n" in listed
    assert (tmp_path / "b" / "c.md").read_text(encoding="utf-8") == shown["b/c.md"]
    whole = (tmp_path / "llms-full.txt").read_text(encoding="utf-8")
    assert all(text.strip() in whole for text in shown.values())


def test_links_in_the_file_of_all_pages_lead_from_where_it_is(tmp_path: Path) -> None:
    page = "# C\n\n[a](../a.md#x) [d](d.md) [here](#c) [far](https://x.example/y.md)\n\n```md\n[kept](d.md)\n```\n\n[e](e/f.md)\n"
    write_for_machines(tmp_path, {"b/c.md": page}, [("Start", "b/c.md")])
    whole = (tmp_path / "llms-full.txt").read_text(encoding="utf-8")
    assert "[a](a.md#x) [d](b/d.md) [here](b/c.md#c) [far](https://x.example/y.md)" in whole
    assert "[kept](d.md)" in whole
    assert "[e](b/e/f.md)" in whole


def test_links_that_lead_nowhere_in_the_repository_are_explained_there() -> None:
    """``docs/README.md`` says what the builder writes, and where else to look."""
    targets = {link.partition("#")[0] for path in written() for link in reader.read(path).links}
    only_built = {each for each in targets if not (ROOT / "docs" / each).exists() and "://" not in each}
    assert "entities/index.md" in only_built
    explained = set(re.findall(r"`([\w./-]+)`", (ROOT / "docs" / "README.md").read_text(encoding="utf-8")))
    assert {each for each in only_built if not explained & {each, f"{each.partition('/')[0]}/"}} == set()


def test_the_start_page_says_how_large_all_pages_are(tmp_path: Path, pages: dict[str, str]) -> None:
    write_for_machines(tmp_path, pages, [("Start", path) for path in pages])
    stated = re.search(r"one file of about (\d\.\d) MB", pages["index.md"].replace("\n", " "))
    assert stated is not None
    size = (tmp_path / "llms-full.txt").stat().st_size / 1e6
    assert abs(size - float(stated[1])) < 0.15


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
    add_names(tmp_path, pages)
    entries = json.loads(file.read_text(encoding="utf-8"))["items"]
    found = {(each["title"], each["location"]): (place, each) for place, each in enumerate(entries)}
    for name, location in (
        ("DtDue, dt_due", "entities/WorkOrder.html#fields-of-workorder"),
        ("WorkOrderId, work_order_id", "commands/work_orders.html#fields-of-wopausecommand"),
        ("OnHold", "enums/index.html#workorderstatus"),
        ("EXPIRED_TOKEN", "error-codes.html"),
        ("WOSDK_CLIENT_SECRET", "settings.html"),
        ("--map MAP.toml", "cli-options.html#wosdk-import"),
        ("in_flight", "options.html#clientoptions"),
        ("not sent: its deadline is ... s", "messages.html#it-takes-too-long"),
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
    assert "wosdk get, wosdk jobs list, wosdk query, wosdk run" in str(merged)
    fields = sum(len(each.fields) for each in CATALOGUE.entities.values())
    values = sum(len(each.values) for each in CATALOGUE.enums.values())
    assert len(entries) - len(items) > fields + values


def test_every_page_that_people_write_begins_with_a_sentence(pages: dict[str, str]) -> None:
    """It says what the reader gets; code, a list or a table comes after it."""
    names = [path.name for path in written()]
    openings = {name: pages[name].split("\n\n")[1] for name in names}
    assert [name for name, text in openings.items() if text[0] in "#|<!*" or text.startswith("```")] == []
    assert [name for name, text in openings.items() if not text.rstrip().endswith((".", ":"))] == []
    assert [name for name in names if not first_sentence(pages[name])] == []


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


@pytest.mark.parametrize(
    ("github", "site"),
    [
        ("Text:\n* one\n* two\n", "Text:\n\n* one\n* two\n"),
        ("1. one\n   * in it\n2. two\n", "1. one\n    * in it\n2. two\n"),
        ("* one\n  goes on\n\n  more\n\nEnd\n", "* one\n    goes on\n\n    more\n\nEnd\n"),
        ("<!-- parse only: why -->\n```sh\n* x\n```\n", "```sh\n* x\n```\n"),
        ("Text\n| a |\n|---|\n| 1 |\n", "Text\n\n| a |\n|---|\n| 1 |\n"),
        ("```text\n<!-- kept -->\n   * kept\n```\n", "```text\n<!-- kept -->\n   * kept\n```\n"),
        (
            "1. one\n\n   ```json\n   {\n    1\n   }\n   ```\n",
            "1. one\n\n    ```json\n    {\n     1\n    }\n    ```\n",
        ),
    ],
)
def test_lists_are_those_of_github(github: str, site: str) -> None:
    assert for_site(github) == site


def test_code_in_a_table_has_its_bars_without_backslashes(pages: dict[str, str], build: Path) -> None:
    """GitHub wants ``\\|`` in the code of a table, and the site would show the backslash."""
    assert with_bars("| `a\\|b` | c \\| d |") == "| `a|b` | c \\| d |"
    assert with_bars("Outside of tables `a\\|b` stays.") == "Outside of tables `a\\|b` stays."
    assert "`--format [parquet|csv|jsonl|xlsx]`" in (build / "pages/cli-options.md").read_text("utf-8")
    assert "`--format [parquet\\|csv\\|jsonl\\|xlsx]`" in pages["cli-options.md"]


def test_options_are_shown_with_what_they_mean(pages: dict[str, str]) -> None:
    """Arguments without a text stand in the usage only; a bound is no markup."""
    text = pages["cli-options.md"]
    assert "Usage: `wosdk get [OPTIONS] ENTITY ID`" in text
    assert "| `ENTITY` |" not in text
    assert "1&lt;=x&lt;=4000" in text
    assert "\\<" not in text
