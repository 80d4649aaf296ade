"""The generator: the committed model agrees with the catalogue."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import attrs
import pytest

from tests.docs.pages import blocks
from tests.support.laws import each_of
from wosdk_async.catalogue import Catalogue, Command, Field, load
from wosdk_async.catalogue import generate as generator
from wosdk_async.catalogue.generator.names import member_name, snake


@functools.cache
def generated() -> dict[str, str]:
    """Return the files that are made from the catalogue."""
    return dict(generator.files(load()))


def test_regenerating_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """--check agrees with what is committed."""
    assert generator.main(["--check"]) == 0
    assert capsys.readouterr().out == "the model agrees with the catalogue\n"


def test_differences_are_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """--check names files that changed, are missing or not wanted, and exits with 1; a run repairs them."""
    monkeypatch.setattr(generator, "PACKAGE", tmp_path)
    assert generator.main([]) == 0
    (tmp_path / "model/values.py").write_text("")
    (tmp_path / "model/query.py").rename(tmp_path / "model/old.py")
    (tmp_path / "model/base.py").write_text("written by hand")
    (tmp_path / "query/fields.pyi").write_text("")
    assert generator.main(["--check"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "obsolete: model/old.py",
        "missing: model/query.py",
        "differs: model/values.py",
        "differs: query/fields.pyi",
    ]
    assert generator.main([]) == 0
    assert generator.main(["--check"]) == 0
    assert not (tmp_path / "model/old.py").exists()
    assert (tmp_path / "model/base.py").read_text() == "written by hand"


def test_a_changed_catalogue_changes_the_model_and_the_stub() -> None:
    """A field that the catalogue loses is gone from its class and from the stub."""
    catalogue = load()
    money = catalogue.entities["Money"]
    entities = {**catalogue.entities, "Money": attrs.evolve(money, own_fields=money.own_fields[:1])}
    changed: Catalogue = attrs.evolve(catalogue, entities=entities)
    before, after = generated(), generator.files(changed)
    assert {name for name in before if before[name] != after[name]} == {"model/values.py", "query/fields.pyi"}


def test_a_field_of_a_command_is_required_and_not_on_creation() -> None:
    """Only records are created: a command is sent, and says "Required"."""
    for name, text in generated().items():
        is_command = name.startswith("model/commands/")
        assert not (is_command and "Required on creation." in text), name
        assert is_command or " Required." not in text, name


def with_the_entry_of_the_page(**changed: object) -> Catalogue:
    """Return a catalogue with the command of docs/add-a-command.md, before others with its result."""
    (block,) = [each for each in blocks("json") if each.page == "docs/add-a-command.md"]
    ((name, row),) = json.loads(block.text).items()
    row |= changed
    catalogue = load()
    base = catalogue.command_bases[row["base"]]
    own = tuple(Field(**field) for field in row["request"])
    response = tuple(Field(**field) for field in row["response"])
    fields = {"own_request": own, "request": (*base.request, *own), "response": response}
    made = {name: Command(name=name, **{**row, **fields})}
    return attrs.evolve(catalogue, commands=made | {**catalogue.commands, **made})


def test_the_entry_of_the_page_adds_a_command_and_leaves_the_results() -> None:
    before, after = generated(), generator.files(with_the_entry_of_the_page())
    lost = {
        line.strip()
        for name, text in before.items()
        for line in text.splitlines()
        if line.startswith("    ") and " = field(" in line and line not in after[name]
    }
    assert lost == set()
    assert any("class ArchiveWorkOrderCommand" in text for text in after.values())
    result = "".join(after.values()).partition("class WoActionResponse(")[2].partition("\nclass ")[0]
    assert "    wo: " in result
    assert "    updated_property_set: " in result


def test_two_commands_of_one_result_have_one_response() -> None:
    """Else all the others would lose the fields that the first does not have."""
    with pytest.raises(ValueError, match=r"ArchiveWorkOrderCommand and .* have the result WoActionResponse"):
        generator.files(with_the_entry_of_the_page(response=[]))


def test_without_ruff_one_line_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names ruff and how to install it; nothing is compared or written."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert generator.main(["--check"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "ruff is not installed, and the generator needs it: pip install -e '.[dev]'"
    ]


@each_of(
    ("wire", "python"),
    [
        ("InductionAndSafetyStatusID", "induction_and_safety_status_id"),
        ("XNumber", "x_number"),
        ("WONServiceId", "won_service_id"),
        ("contactid", "contactid"),
        ("Contactid", "contactid"),
        ("Street2", "street2"),
        ("IsDefSR", "is_def_sr"),
        ("DtUtcOnSiteBy", "dt_utc_on_site_by"),
        ("ApStatusId", "ap_status_id"),
        ("Import", "import_"),
    ],
)
def test_names_are_spelt_as_python_does(wire: str, python: str) -> None:
    """Runs of capitals are one word; keywords get an underscore."""
    assert snake(wire) == python


def test_enum_members_keep_their_names() -> None:
    """Only what Python forbids is spelt otherwise."""
    assert [member_name(name) for name in ("None", "New", "PTE")] == ["NONE", "New", "PTE"]
