"""The generator: the committed model is what the catalogue says."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from wosdk_async.catalogue import Catalogue, load
from wosdk_async.catalogue import generate as generator
from wosdk_async.catalogue.generator.names import member_name, snake


def test_regenerating_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """--check agrees with what is committed."""
    assert generator.main(["--check"]) == 0
    assert capsys.readouterr().out == "the model agrees with the catalogue\n"


def test_differences_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed, a missing and a superfluous file are named, and the exit code is 1; writing mends them."""
    monkeypatch.setattr(generator, "MODEL", tmp_path)
    monkeypatch.setattr(generator, "STUB", tmp_path / "fields.pyi")
    assert generator.main([]) == 0
    (tmp_path / "values.py").write_text("")
    (tmp_path / "query.py").unlink()
    (tmp_path / "old.py").write_text("")
    (tmp_path / "base.py").write_text("written by hand")
    (tmp_path / "fields.pyi").write_text("")
    assert generator.main(["--check"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "not wanted: old.py",
        "missing: query.py",
        "differs: values.py",
        "differs: fields.pyi",
    ]
    assert generator.main([]) == 0
    assert generator.main(["--check"]) == 0
    assert (tmp_path / "base.py").read_text() == "written by hand"


def test_a_changed_catalogue_changes_the_model() -> None:
    """A field that the catalogue loses is gone from the text."""
    catalogue = load()
    money = catalogue.entities["Money"]
    entities = {**catalogue.entities, "Money": attrs.evolve(money, own_fields=money.own_fields[:1])}
    changed: Catalogue = attrs.evolve(catalogue, entities=entities)
    before, after = generator.files(catalogue), generator.files(changed)
    assert {name for name in before if before[name] != after[name]} == {"values.py"}


@pytest.mark.parametrize(
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
