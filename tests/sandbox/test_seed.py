"""The seeded Company has something behind each kind of record that programs ask for."""

from __future__ import annotations

from tests.sandbox.company import Caller
from tests.support.laws import each_of
from wosdk_async.sandbox.schema.entities import schemas


@each_of(
    "entity",
    ["Organization", "Role", "Team", "Portfolio", "Product", "InvoiceDictionaryItem", "TimeCardWeek"],
)
def test_rows_to_find(acme: Caller, entity: str) -> None:
    """A query finds rows, each with a name or a week."""
    rows = acme.query(entity)
    assert rows
    assert all(row.get("DisplayAs") or row.get("StartDate") for row in rows)


def test_what_belongs_to_them(acme: Caller) -> None:
    """Notes of an organisation, teams of a person, tags of assets, the week of a time card, roles."""
    note = {"ActorId": 301, "ActorTypeId": "Org", "NoteText": "Closed in August."}
    acme.ok("POST", "base/Note", {"Entity": note})
    assert acme.get("Organization", 301, "Notes.*")["Notes"][0]["NoteText"] == "Closed in August."
    person = acme.get("Employee", 208, "Role.DisplayAs,Teams.*")
    assert (person["Role"]["DisplayAs"], [team["TeamId"] for team in person["Teams"]]) == ("Technician", [51])
    assert acme.ids("Location", ("Info.TagId", "Equal", "TAG-0440")) == [20440]
    assert acme.get("Location", 20440, "Info.*")["Info"]["SerialNumber"] == "AH3-55120"
    assert acme.get("TimeCard", 6001, "Week.*")["Week"]["EndDate"] == "2024-05-19T00:00:00"
    assert acme.get("LaborCode", 70, "InvoiceItem.DisplayAs")["InvoiceItem"]["DisplayAs"] == "Labor"


def test_every_reference_of_the_seed_leads_somewhere(acme: Caller) -> None:
    """Each reference of each seeded record names a record that can be read."""
    tables = [name for name in schemas() if schemas()[name].operations.get("query") is not False]
    for entity in tables:
        refs = [field for field in schemas()[entity].fields if field.type == "ref" and field.of in tables]
        for row in acme.query(entity):
            for field in refs:
                if field.of != "Actor" and field.name in row:
                    acme.get(field.of or "", row[field.name]["Id"])
