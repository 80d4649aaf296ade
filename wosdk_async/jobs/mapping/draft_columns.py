"""Columns of a file, for a draft map: the fields that they resemble, possible keys, and formats of cells."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import islice

import attrs

from wosdk_async.codec.text_values import shown_value
from wosdk_async.jobs.sources.source import Source
from wosdk_async.model import Record
from wosdk_async.model.metadata import Wire

_SIMILAR = 0.82  # minimum score for a proposal
_SYNONYM, _EQUAL_WORDS, _MORE_WORDS = 0.95, 0.9, 0.85  # scores
_WORD = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])")
_STOP_WORDS = {"at", "by", "date", "dt", "id", "name", "of", "on", "the", "utc"}
AMOUNT = ".value"  # suffix for the number in a money field
REASON = "action_reason_id"
_NAMES = ("display_as", "name", "number")  # look-up fields, in order of preference
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
        name = _plain(self.name.removesuffix(AMOUNT))
        if self.name == REASON and self.target is not None:
            return {"reason", "actionreason"}
        return {name, f"{name}name"} if self.target is not None else {name}


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


def assign(candidates: Sequence[DraftField], columns: Sequence[str], keys: KeyColumns) -> None:
    """Assign columns to fields one to one, most similar pairs first."""
    excluded = {column: _excluded_kinds(keys.samples.get(column, ())) for column in columns}
    pairs = [
        (score, each.required, -place, -order)
        for place, column in enumerate(columns)
        for order, each in enumerate(candidates)
        if each.looks not in excluded[column] and (score := _score(column, each)) >= _SIMILAR
    ]
    taken = set()
    for *_, place, order in sorted(pairs, reverse=True):
        column, field = columns[-place], candidates[-order]
        if field.column is None and column not in taken:
            field.column = column
            taken.add(column)


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
    names = [_words(field.name.removesuffix(AMOUNT)), _words(target.__name__ if target is not None else "")]
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


# --- keys and formats ---------------------------------------------------------------------------

_ROWS = 100_000  # maximum rows to read
_EXCEPTIONS = 3  # maximum, in a nearly unique column
_ROWS_PER_EXCEPTION = 4  # minimum, in a nearly unique column
_KEY = re.compile(r"\S{1,40}")
# Coordinates, timestamps and the like are often unique but not keys.
_NO_KEY = re.compile(r"[+-]?[0-9]*[.,][0-9]+|[0-9]{4}-[0-9]{2}-[0-9]{2}.*|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]+")


@attrs.frozen
class KeyColumns:
    """Columns that can identify rows, in file order."""

    unique: Sequence[str] = ()
    nearly: Sequence[str] = ()
    """Columns whose cells are unique and usable as keys, except for a few cells."""
    exceptions: Mapping[str, Sequence[str]] = attrs.field(factory=dict)
    """For each column, its first unsuitable cells, described as in ``line 3 has an empty cell``."""
    samples: Mapping[str, Sequence[str]] = attrs.field(factory=dict)
    """First non-blank cells of each column."""


def key_columns(source: Source) -> KeyColumns:
    """Find the columns that can identify rows; a file with a single row has none."""
    seen: dict[str, dict[int, int]] = {column: {} for column in source.columns if is_usable(column)}
    exceptions: dict[str, list[str]] = {column: [] for column in seen}
    rows = 0
    for row in islice(source, _ROWS):
        if not seen:
            break
        if row.fault is not None:
            continue
        rows += 1
        cells = dict(row.cells.items())  # unlike [], items() never raises RowError
        for column in list(seen):
            cell = cells.get(column, "")
            first = seen[column].setdefault(hash(cell), row.line)
            if (exception := _exception(cell, row.line, first)) is None:
                continue
            if len(exceptions[column]) == _EXCEPTIONS:
                exception = "and others"
                del seen[column]
            exceptions[column].append(exception)
    samples = _first_cells(source)
    if rows <= 1:
        return KeyColumns(samples=samples)
    unique = [column for column in seen if not exceptions[column]]
    nearly = [column for column in seen if 0 < len(exceptions[column]) <= rows / _ROWS_PER_EXCEPTION]
    excepted = {name: found for name, found in exceptions.items() if found}
    return KeyColumns(unique, nearly, excepted, samples)


def _exception(cell: str, line: int, first: int) -> str | None:
    """Return why a cell cannot be a key; None if it can. ``first`` is the first line with the same cell."""
    if not cell.strip():
        return f"line {line} has an empty cell"
    if first != line:
        return f"line {line} repeats {shown_value(cell)} from line {first}"
    if not _KEY.fullmatch(cell) or _NO_KEY.fullmatch(cell):
        return f"line {line} has {shown_value(cell)}"
    return None


_SAMPLE = 200  # rows to guess types from
_MAX_CELL = 110  # characters
_LOOKS = {
    "time": re.compile(
        r"\d{8}|(\d{1,4}[-./ ]+(\d{1,2}|[^\W\d_]{3,10}\.?)[-./, ]+\d{2,4}"
        r"|[^\W\d_]{3,10}\.? \d{1,2},? \d{4})\b.*"
    ),
    "number": re.compile(r"[^\w+-]*[A-Z]{0,3}\s*[+-]?\d[\d.,'\s]*\D{0,8}"),
}
"""Patterns of dates with optional times, and of numbers with optional currencies or units."""
_GERMAN_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}")
_GERMAN_NUMBER = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?")


def _first_cells(source: Source) -> dict[str, list[str]]:
    cells: dict[str, list[str]] = {}
    for row in islice(source, _SAMPLE):
        for column, cell in dict(row.cells.items()).items():
            if cell.strip():
                cells.setdefault(column, []).append(cell.strip()[:_MAX_CELL])
    return cells


def _excluded_kinds(texts: Sequence[str]) -> frozenset[str]:
    """Return the kinds (``time`` or ``number``) that most cells of a column do not resemble."""
    return frozenset(
        kind
        for kind, looks in _LOOKS.items()
        if sum(looks.fullmatch(text) is not None for text in texts) * 2 < len(texts)
    )


def german_format(texts: Sequence[str], kind: str) -> str:
    """Return the TOML of the German format that fits all cells of a column, or ``""``."""
    if kind == "time":
        return 'date = "%d.%m.%Y"' if texts and all(map(_GERMAN_DATE.fullmatch, texts)) else ""
    # if three digits follow each comma, the commas may mark thousands
    decimals = any(len(text.partition(",")[2]) not in (0, 3) for text in texts)
    if kind != "number" or not decimals or not all(map(_GERMAN_NUMBER.fullmatch, texts)):
        return ""
    return 'decimal = ","' + (', thousands = "."' if any("." in text for text in texts) else "")


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
