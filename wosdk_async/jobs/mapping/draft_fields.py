"""Candidate fields for a draft map, matched with columns by similar names and synonyms."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from types import MappingProxyType

import attrs

from wosdk_async.jobs.mapping.record_operations import RowOperation
from wosdk_async.model import (
    Command,
    Record,
    WoActionReasonLookup,
    WoCreateCommand,
    WorkOrder,
    entity_class,
    registry,
)
from wosdk_async.model.enums import WOActionType
from wosdk_async.model.metadata import Wire

_SIMILAR = 0.82  # minimum score for a proposal
_SYNONYM, _EQUAL_WORDS, _MORE_WORDS = 0.95, 0.9, 0.85  # scores
_WORD = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])")
_STOP_WORDS = {"at", "by", "date", "dt", "id", "name", "of", "on", "the", "utc"}
MARKER_FIELD = "po_number"
"""Usual marker field of a new work order."""
_SKIPPED = {"id", "perform_deletion", "is_new", "concurrency_id", "is_removed"}
_COMPUTED = {
    # computed for a new order (facts 5); its costs are a separate record
    "WorkOrder": {"number", "status_id", "short_location", "task_refinement", "time_zone", "currency_type_id"}
    | {"dt_created", "created_date_utc", "last_action_date", "last_action_date_utc", "work_order_cost"}
}
_AMOUNT = ".value"  # suffix for the number in a money field
_REASON = "action_reason_id"
_NAMES = ("display_as", "name", "number")  # look-up fields, in order of preference
_SUGGESTED = {"display_as", "name", "last_name"}
_UNUSABLE = re.compile("[{}|\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]|^'|^\\s*$")


@attrs.define(eq=False)
class DraftField:
    """Candidate field, with its proposed column."""

    table: str
    name: str
    meta: Wire
    required: bool
    note: str = ""
    """Beginning of the field's comment in the draft, such as ``identifies the record; ``."""
    target: type[Record] | None = None
    """Entity of a reference."""
    where: str = ""
    """TOML of the reference's ``where``."""
    reference: str = ""
    """Name of the reference in the map."""
    column: str | None = None
    suggested: bool = False
    """Whether to include the field even if it is optional and no column fits."""

    @property
    def shown(self) -> bool:
        """Whether the draft includes the field."""
        return bool(self.column) or self.required or self.suggested

    @property
    def looks(self) -> str:
        """Expected kind of cells: ``time``, ``number``, or ``""`` for any."""
        kind = self.meta["type"] if self.target is None else ""
        return "time" if kind.startswith("datetime") else "number" if kind in ("number", "integer") else ""

    @property
    def spellings(self) -> set[str]:
        """Names of matching columns, without diacritics and in lower case."""
        name = _plain(self.name.removesuffix(_AMOUNT))
        if self.name == _REASON and self.target is not None:
            return {"reason", "actionreason"}
        return {name, f"{name}name"} if self.target is not None else {name}


def draft_fields(
    columns: Sequence[str],
    operation: RowOperation,
    keys: Sequence[str] = (),
    excluded_kinds: Mapping[str, Set[str]] = MappingProxyType({}),
) -> list[DraftField]:
    """Return an operation's candidate fields, with proposed columns.

    ``excluded_kinds`` has, for each column, the kinds (``time`` or ``number``) that its cells do not
    resemble.
    """
    candidates = list(_fields(operation.kind, operation.table))
    if operation.table == "entity":
        for each in candidates:  # all are optional, because the service seems to require none
            each.suggested = each.required and (each.target is not None or each.name in _SUGGESTED)
            each.required = False
    if operation.by is not None:
        candidates = _change_fields(operation, candidates)
    _assign(candidates, [column for column in columns if is_usable(column)], excluded_kinds)
    if operation.kind is WoCreateCommand:
        _assign_key(candidates, keys)
    if operation.by is not None and operation.compares and not any(each.column for each in candidates[1:]):
        example = candidates[min(1, len(candidates) - 1)]  # shown, because an update needs a field to write
        example.suggested, example.note = True, "an example (choose the fields to update); "
    _name_references([each for each in candidates if each.shown])
    return candidates


def is_usable(column: str) -> bool:
    """Return whether a map can refer to a column by name."""
    return not _UNUSABLE.search(column)


def name_field(entity: type[Record], column: str | None = None) -> str | None:
    """Return an entity's look-up field: ``number`` for a column ``Task.Number``, otherwise a default."""
    named = _field_spelled(entity, column or "")
    defaults = [name for name in _NAMES if entity.__wire__.get(name, {}).get("type") == "string"]
    return next(iter((*named, *defaults)), None)


def _field_spelled(entity: type[Record], column: str) -> list[str]:
    """Return the string field named by the last part of a dotted column such as ``Task.Number``."""
    _, dot, last = column.rpartition(".")
    fields = entity.__wire__.items() if dot else ()
    return [name for name, meta in fields if meta["type"] == "string" and _plain(name) == _plain(last)]


def _fields(kind: type[Record], table: str, *, nested: bool = False) -> Iterator[DraftField]:
    """Yield the fields of a class and of the objects that a command requires."""
    inner = issubclass(kind, Command) or nested
    for name, meta in kind.__wire__.items():
        required, many = bool(meta.get("required")), bool(meta.get("many"))
        # a command's status_id is the expected current state of the order (facts 3.7)
        expected = name == "status_id" and issubclass(kind, Command)
        if name in _SKIPPED or name in _COMPUTED.get(kind.wire_name, ()) or expected or meta.get("secret"):
            continue
        if meta["type"] == "ref" and inner and required and (many or issubclass(kind, Command)):
            below = f"[{table}.{name}]" if many else f"{table}.{name}"
            yield from _fields(registry.resolve(meta["of"] or ""), below, nested=True)
        elif many:
            continue
        elif meta["type"] == "ref":
            target = entity_class(meta["of"] or "")
            if target is not None and "id" in target.__wire__ and name_field(target):
                field = DraftField(table, name, meta, required, target=target)
                if kind is WorkOrder and nested and name == "customer":  # facts 5: required for a Request
                    field.suggested, field.note = True, "required for a Request (otherwise delete it); "
                yield field
        elif meta["type"] == "money":
            number = registry.resolve(meta["of"] or "").__wire__["value"]
            yield DraftField(table, f"{name}{_AMOUNT}", number, required)
        elif name == _REASON and required and (action := _action_of(kind)):
            where = f'{{ action_id = "{action}", hide = false }}'
            yield DraftField(table, name, meta, required, target=WoActionReasonLookup, where=where)
        elif meta["type"] not in ("object", "any"):
            yield DraftField(table, name, meta, required)


def _action_of(kind: type[Record]) -> str | None:
    """Return the action type of a command's reasons (facts 4); None if the command has none."""
    word = kind.wire_name.removeprefix("Wo").removesuffix("Command")
    return word if word in WOActionType.__members__ else None


def _change_fields(operation: RowOperation, candidates: list[DraftField]) -> list[DraftField]:
    """Return the fields of an update or delete, starting with the key."""
    by = operation.by or ""
    key = DraftField(operation.table, by, operation.kind.__wire__[by], required=False, suggested=True)
    key.note = "identifies the record; "
    for each in candidates:
        each.suggested = False
    return [key, *(each for each in candidates if each.name != by and operation.compares)]


def _assign(
    candidates: Sequence[DraftField], columns: Sequence[str], excluded_kinds: Mapping[str, Set[str]]
) -> None:
    """Assign each column to at most one field, and each field at most one column, most similar first."""
    pairs = [
        (score, each.required, -place, -order)
        for place, column in enumerate(columns)
        for order, each in enumerate(candidates)
        if each.looks not in excluded_kinds.get(column, ()) and (score := _score(column, each)) >= _SIMILAR
    ]
    taken = set()
    for *_, place, order in sorted(pairs, reverse=True):
        column, field = columns[-place], candidates[-order]
        if field.column is None and column not in taken:
            field.column = column
            taken.add(column)


def _assign_key(candidates: Sequence[DraftField], keys: Sequence[str]) -> None:
    taken = {each.column for each in candidates}
    for each in candidates:
        if each.name == MARKER_FIELD and each.column is None and keys:
            each.column = next((key for key in keys if key not in taken), keys[0])


def _name_references(shown: Sequence[DraftField]) -> None:
    used: Counter[str] = Counter()
    for each in shown:
        if each.target is not None:
            name = each.name.removesuffix("_id")
            used[name] += 1
            each.reference = name if used[name] == 1 else f"{name}_{used[name]}"


def _score(column: str, field: DraftField) -> float:
    """Return the similarity of a column's name and a field, from 0 to 1."""
    plain = _plain(column)
    target, owner = field.target, _plain(column.rpartition(".")[0])
    if target is not None and owner in field.spellings and _field_spelled(target, column):
        return 1.0
    known = SYNONYMS.get(f"{field.table.strip('[]').rpartition('.')[2]}.{field.name}", ())
    synonym = _SYNONYM if plain in known else 0.0
    similar = [difflib.SequenceMatcher(None, plain, name).ratio() for name in field.spellings if plain]
    return max(*similar, _in_words(column, field), synonym)


def _in_words(column: str, field: DraftField) -> float:
    """Return a score if one name has all words of the other; otherwise 0."""
    column_words, target = _words(column), field.target
    names = [_words(field.name.removesuffix(_AMOUNT)), _words(target.__name__ if target is not None else "")]
    if column_words and column_words in names:
        return _EQUAL_WORDS
    # In fields other than references and strings, more or fewer words often mean a different value.
    is_named = target is not None or field.meta["type"] == "string"
    contained = [words for words in names if words and (column_words <= words or words <= column_words)]
    return _MORE_WORDS if is_named and column_words and contained else 0.0


def _words(name: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(name)) - _STOP_WORDS


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", name))).casefold()


# --- synonyms -------------------------------------------------------------------------------------

_COLUMN_NAMES = {
    "work_order.customer": """
        client company companyname account tenant agency agencyname
        kunde auftraggeber firma mieter societe entreprise locataire
        cliente empresa compania inquilino azienda ditta societa""",
    "work_order.contact_name": """
        requester requestor caller reporter reportedby requestedby
        melder anrufer gemeldetvon ansprechpartner demandeur appelant
        solicitante reportadopor richiedente segnalatoda""",
    "work_order.priority": """
        prio urgency severity prioritat dringlichkeit priorite urgence prioridad urgencia priorita urgenza""",
    "work_order.dt_due": """
        due duedate duedatetime deadline dueby fallig falligam faelligam frist
        echeance datelimite fechalimite vencimiento plazo scadenza datascadenza""",
    "work_order.dt_scheduled_start": """
        start startdate scheduled scheduleddate plannedstart appointment beginn startdatum termin
        debut datedebut dateprevue inicio fechainicio inizio datainizio""",
    "work_order.po_number": """
        po pono purchaseorder orderno ordernumber reference ref referenceno ticket ticketno ticketnumber
        ticketid caseid caseno casenumber externalid auftragsnummer auftragsnr bestellnummer referenz
        vorgangsnummer ticketnummer numerocommande nocommande
        dossier numeropedido pedido referencia numeroordine ordine
        riferimento""",
    "work_order.employee": """
        technician assignee assignedto engineer techniker mitarbeiter zugewiesenan monteur
        technicien affectea tecnico asignadoa empleado assegnatoa dipendente""",
    "work_order.work_zone": "zone region area gebiet bereich secteur zona",
    "work_order.specialty": "trade craft discipline gewerk metier specialite oficio especialidad mestiere",
    "work_order.duration": "minutes dauer duree duracion durata",
    "work_order.vendor_nte.value": "nte nottoexceed budget maxcost kostenrahmen plafond presupuesto",
    "items.asset": """
        site location place building room store branch facility property premises equipment
        ort standort objekt gebaude raum filiale anlage lieu emplacement batiment magasin equipement
        sitio lugar ubicacion edificio tienda equipo sede luogo ubicazione negozio impianto""",
    "items.task": """
        problem issue fault defect category complaint complainttype worktype jobtype problemtype service
        storung stoerung mangel fehler kategorie leistung probleme panne defaut categorie prestation
        problema averia fallo categoria servicio guasto intervento""",
    "items.comment": """
        description summary details text note notes remark remarks message reason
        beschreibung bemerkung anmerkung notiz meldung hinweis remarque commentaire resume
        descripcion resumen comentario observaciones nota descrizione riepilogo commento""",
    "items.asset_location": """
        address street adresse anschrift strasse rue direccion calle indirizzo""",
    "entity.name": """
        company companyname designation title bezeichnung firma nom societe nombre empresa
        denominacion nome azienda ditta""",
    "entity.first_name": "givenname forename vorname prenom nombredepila",
    "entity.last_name": "surname familyname nachname familienname apellido apellidos cognome",
}

SYNONYMS = {field: frozenset(words.split()) for field, words in _COLUMN_NAMES.items()}
"""Common column names in English, German, French, Spanish and Italian, unique within each table.

They are in lower case, without spaces or diacritics. The keys consist of the last part of the field's table
and the field's name, such as ``items.task``.
"""
