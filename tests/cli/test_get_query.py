"""``wosdk get`` and ``wosdk query`` against a local Company: what is printed, and the messages about bad input."""

# ruff: noqa: E501 - tables of inputs and the messages about them

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Wosdk

pytestmark = pytest.mark.usefixtures("seeded")


def test_a_record_as_a_table_shows_what_has_content(wosdk: Wosdk) -> None:
    """A line for each value; nested ones by their path; nothing, empty and false are left out."""
    lines = dict(line.split(maxsplit=1) for line in wosdk("get", "customer", "512").stdout.splitlines())
    assert lines["WorkZone.Id"] == "14"
    assert lines["Instructions"] == "Ring at the side door."
    assert "TaxExempt" not in lines


def test_a_record_as_json_and_csv(wosdk: Wosdk) -> None:
    """JSON has all that came, CSV the paths that were asked for."""
    paths = ("-p", "Name", "-p", "WorkZone.DisplayAs")
    found = json.loads(wosdk("get", "Customer", "512", *paths, "--json").stdout)
    assert found == {
        "Name": "Lindqvist Dental LLC",
        "WorkZone": {"DisplayAs": "Riverside Campus", "Id": 14},
        "Id": 512,
    }
    table = wosdk("get", "Customer", "512", *paths, "--csv").stdout
    assert table.splitlines() == ["Name,WorkZone.DisplayAs", "Lindqvist Dental LLC,Riverside Campus"]


def test_a_compound_key_and_an_alias(wosdk: Wosdk) -> None:
    """A JSON object finds a record of two keys; the specification's names are understood."""
    tree = wosdk("get", "AssetTree", '{"ParentId": 20400, "ChildId": 20410}', "--json")
    assert json.loads(tree.stdout)["Distance"] == 1
    for id in ("1", "id:1"):
        assert json.loads(wosdk("get", "Priority", id, "--json").stdout)["DisplayAs"] == "Emergency"


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("get", "Customer", "5"), 4, "Customer entity with id 5 is not found"),
        (("get", "WorkOrder", ""), 2, "an empty string cannot name a WorkOrder; write the id or Number"),
        (("get", "Document", ""), 2, "an empty string cannot name a Document; write the id\n"),
        (("get", "WorkOrder", "1", "-p", "Customer"), 2, "write 'Customer.*' or name one of its properties, such as 'Customer.Name'\n"),
        (("get", "Document", "five"), 2, "ID is 'five'; write a whole number, or a JSON object"),
        (("get", "Customer", "five"), 4, "no Customer has the Name or DisplayAs 'five'"),
        (("get", "Customer", "id:five"), 4, "no Customer has the Name or DisplayAs 'id:five'"),
        (("get", "Customer", "id:5", "--unchecked"), 4, "Customer entity with id 5 is not found"),
        (("get", "Customer", "512", "--by", "Name"), 4, "no Customer has the Name '512'"),
        (("get", "Customer", "x", "--by", "WorkZone"), 2, "--by WorkZone: not a text property of Customer"),
        (("get", "Customer", "x", "--by", "Name", "--unchecked"), 2, "--by needs an entity in the catalogue"),
        (("get", "Custmer", "5"), 2, "the catalogue has no entity 'Custmer'; did you mean 'Customer'? --unchecked"),
        (("get", "Cust/../er", "5", "--unchecked"), 2, "is not the name of an entity or command"),
        (("get", "Customer", "512", "-p", "Nmae"), 2, "unknown property 'Nmae' of Customer; did you mean 'Name'?"),
        (("get", "Customer", "512", "-p", "Nmae", "--unchecked"), 3, "Nmae"),
        (("get", "Zzzzzzzz", "1"), 3, "sending it unchecked"),
        (("query", "Locaton"), 2, "did you mean 'Location'?"),
        (("query", "AssetInfo"), 2, "query is not supported by AssetInfo; query Location with the property path 'Info.*'; --unchecked"),
        (("query", "WorkOrder", "-p", "Task"), 2, "unknown property 'Task' of WorkOrder; did you mean Items.Task.DisplayAs?"),
        (("query", "WorkOrder", "--where", "Customer = Lamps"), 2, "not 'Lamps'; to compare its name, use Customer.Name\n"),
        (("query", "Location", "--where", "TypId = Unit"), 2, "unknown property 'TypId' of Location; did you mean 'TypeId'?"),
        (("query", "WorkOrder", "-p", "Foo"), 2, "unknown property 'Foo' of WorkOrder; list its properties with wosdk describe WorkOrder\n"),
        (("query", "Location", "--order", "Attributes"), 2, "cannot be ordered by"),
        (("query", "Location", "--expression", "none.json"), 2, "none.json: No such file or directory"),
        (("query", "Location", "-o", "none/x.csv"), 2, "none/x.csv: No such file or directory"),
        (("--profile", "nope", "query", "Location"), 2, "the settings file"),
        (("--company", "Nobody", "query", "Location"), 5, "does not know 'Nobody'"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_with_the_remedy(
    wosdk: Wosdk, arguments: tuple[str, ...], status: int, message: str
) -> None:
    """No traceback, nothing on stdout, and a status that tells the kind."""
    result = wosdk(*arguments)
    assert (result.exit_code, result.stdout) == (status, "")
    assert message in result.stderr
    assert all(line.startswith("wosdk: ") for line in result.stderr.splitlines())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--json", "--csv"), "use one"),
        (("--json", "--csv-for-excel", "comma"), "--json and --csv-for-excel are mutually exclusive"),
        (("--limit", "5", "--all"), "are mutually exclusive"),
        (("--limit", "0"), "0 is not in the range"),
        (("--expression", "-", "--limit", "5"), "--expression replaces the whole query"),
    ],
)
def test_options_that_contradict(wosdk: Wosdk, options: tuple[str, ...], message: str) -> None:
    """Usage errors end with 2 as well."""
    result = wosdk("query", "Location", *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_conditions_order_and_limit_reach_the_service(wosdk: Wosdk) -> None:
    """All conditions must hold; more rows than the limit are reported on stderr, never on stdout."""
    arguments = (
        "query",
        "Location",
        "--where",
        "TypeId in (Unit, Floor)",
        "--where",
        "Name like S%",
        "--json",
    )
    result = wosdk(*arguments, "--order", "Name desc", "-p", "Name", "--limit", "2")
    assert [json.loads(line)["Name"] for line in result.stdout.splitlines()] == ["Suite 201", "Suite 101"]
    assert "2 rows shown; there are more (see --limit, --all and --count)" in result.stderr
    result = wosdk(*arguments, "--limit", "4")
    assert (len(result.stdout.splitlines()), result.stderr) == (4, "")


def test_no_rows_is_not_an_error(wosdk: Wosdk) -> None:
    """It is reported; a CSV of named columns still has its header."""
    result = wosdk("query", "Location", "--where", "Name = nowhere", "-p", "Name", "--csv")
    assert (result.exit_code, result.stdout_bytes, result.stderr) == (0, b"Name\r\n", "wosdk: no rows\n")


def test_all_rows_into_a_file(wosdk: Wosdk, tmp_path: Path) -> None:
    """--all has more than the default, tells how many, and leaves stdout alone."""
    target = tmp_path / "reasons.csv"
    result = wosdk("query", "Location", "--all", "--csv", "-p", "Id", "-p", "Name", "-o", target)
    assert (result.exit_code, result.stdout) == (0, "")
    with target.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 13
    assert f"wosdk: {len(rows)} rows in " in result.stderr


@pytest.mark.parametrize("on_stdin", [True, False])
def test_an_expression_is_sent_as_it_is(wosdk: Wosdk, tmp_path: Path, on_stdin: bool) -> None:
    """From a file or from stdin."""
    text = json.dumps({"PropertySet": {"Properties": ["Name"]}, "Count": 2})
    (tmp_path / "e.json").write_text(text, encoding="utf-8")
    source = "-" if on_stdin else str(tmp_path / "e.json")
    result = wosdk("query", "Location", "--expression", source, "--json", input=text if on_stdin else "")
    assert [list(json.loads(line)) for line in result.stdout.splitlines()] == [["Name", "Id"]] * 2


@pytest.mark.parametrize(("text", "message"), [("[1]", "contains a list"), ("{", "is not JSON")])
def test_what_is_not_an_expression(wosdk: Wosdk, text: str, message: str) -> None:
    """What is wrong with it is reported before anything is sent."""
    result = wosdk("query", "Location", "--expression", "-", input=text)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_profile_names_the_company(
    wosdk: Wosdk, seeded: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The profile may be named before the command or behind it."""
    settings = {name.removeprefix("WOSDK_").lower(): value for name, value in seeded.items()}
    lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
    (tmp_path / "config.toml").write_text("\n".join(["[profiles.stage]", *lines]), encoding="utf-8")
    for name in seeded:
        monkeypatch.delenv(name)
    monkeypatch.setenv("WOSDK_CONFIG", str(tmp_path / "config.toml"))
    assert wosdk("get", "Customer", "512").exit_code == 2
    before = wosdk("--profile", "stage", "get", "Customer", "512")
    behind = wosdk("get", "Customer", "512", "--profile", "stage")
    assert before.stdout == behind.stdout != ""


@pytest.mark.parametrize(
    ("given", "command"),
    [("RSC000002", "wosdk get WorkOrder RSC000002"), ("a b", "wosdk get WorkOrder 'a b'"), ("Customer", "wosdk get Customer ID")],
)  # fmt: skip
def test_a_missing_id_is_explained_by_a_command(wosdk: Wosdk, given: str, command: str) -> None:
    """An entity lacks an ID; anything else is taken for the ID of a work order."""
    result = wosdk("get", given)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith(f"Error: Missing argument 'ID'; use {command}.\n")
