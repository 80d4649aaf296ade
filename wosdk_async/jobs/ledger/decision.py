"""Decision on what an import sends: a pure function of the ledger, the file and the options.

Imports and checks call :func:`decide` through ``facts.py``. ``docs/import.md`` lists the actions.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from wosdk_async.jobs.ledger.terms import FIRST, Action, FileFacts, LedgerFacts, Plan, Refusal, Standing, Why
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.text.remedies import Remedy


def decide(ledger: LedgerFacts | None, file: FileFacts, options: ImportOptions) -> Plan | Refusal:
    """Decide what an import does, or why it is refused; without a ledger, the import is new."""
    if (refusal := _rejects_problem(ledger, file, options)) is not None:
        return refusal
    if ledger is None:
        return _first_run(file, options)
    if (refusal := _other_ledger(ledger, file)) is not None:
        return refusal
    if file.superseded_by is not None:
        newer = Remedy.NEWER_REJECTS if file.rejects else Remedy.NEWER_JOB
        return Refusal(why="superseded", remedies=(newer,), folder=file.superseded_by)
    if options.again:
        return _begin_again(ledger, file)
    return (
        _key_changed(ledger, file)
        or _unknown_rows(ledger, file, options)
        or _sent_elsewhere(file)
        or _plan(ledger, file, options)
    )


def action_of(standing: Standing, options: ImportOptions, *, can_look_up: bool, updates: bool) -> Action:
    """Decide what happens to a row.

    ``can_look_up`` tells whether a row in doubt can be looked up, by its marker or by the record to change.
    ``updates`` tells whether changed rows are resent, because the operation is idempotent. It is False for
    rejects, because the original file may have newer changes.
    """
    match standing:
        case Standing.SENDING | Standing.IN_DOUBT:
            return Action.LOOK_UP if can_look_up else Action.LEAVE
        case Standing.DONE:
            return Action.SKIP
        case Standing.DONE_CHANGED:
            return Action.SEND if updates else Action.SKIP
        case Standing.REFUSED:
            return Action.SEND if options.retry_refused else Action.KEEP
        case Standing.UNDONE:
            return Action.SEND if options.retry_undone else Action.SKIP
        case Standing.REPEATED:
            return Action.REFUSE
        case Standing.NEW | Standing.PLANNED | Standing.REFUSED_HERE | Standing.REFUSED_CHANGED:
            return Action.SEND


def actions_of(file: FileFacts, options: ImportOptions) -> Mapping[Standing, Action]:
    """Decide what happens to a file's rows of each standing."""
    can_look_up, updates = file.marker is not None, file.updates and not file.rejects
    return {each: action_of(each, options, can_look_up=can_look_up, updates=updates) for each in Standing}


def _rejects_problem(ledger: LedgerFacts | None, file: FileFacts, options: ImportOptions) -> Refusal | None:
    if file.rejects_problem is not None:
        problem, line = file.rejects_problem
        remedy, folder = Remedy.EXPORT_REJECTS, None
        if problem == "other_job" and ledger is not None:
            remedy, folder = Remedy.THAT_FOLDER, ledger.folder
        return Refusal(why="rejects", remedies=(remedy,), problem=problem, line=line, folder=folder)
    if file.rejects and options.again:
        return Refusal(why="rejects", remedies=(Remedy.SAME_COMMAND,), problem="again")
    return None


def _first_run(file: FileFacts, options: ImportOptions) -> Plan | Refusal:
    if file.rejects:
        return Refusal(why="rejects", remedies=(Remedy.KNOWN_FOLDER,), problem="no_ledger")
    plan, other = attrs.evolve(_plan(None, file, ImportOptions()), begins=True), file.elsewhere
    if other is None:
        return plan
    if options.again and not (other.running or other.in_doubt):
        sent = 0 if other.resembling else other.rows
        return attrs.evolve(plan, leaves_done=sent, resembling=other.rows - sent)
    return _sent_elsewhere(file, is_first=True) or plan


def _sent_elsewhere(file: FileFacts, *, is_first: bool = False) -> Refusal | None:
    if (other := file.elsewhere) is None:
        return None
    about = Refusal(why="sent_elsewhere", remedies=(Remedy.WAIT,), folder=other.folder, rows=other.rows)
    if other.resembling:
        (new, gone), *_ = pairs = other.resembling
        about = attrs.evolve(about, why="key_disguised", remedies=(Remedy.SAME_ROWS,))
        return attrs.evolve(about, first_new=new, first_gone=gone, resembling=pairs)
    about = attrs.evolve(about, lines=other.lines, others=other.others, changed=other.changed)
    about = attrs.evolve(about, now=file.marker if file.looks_first else None, gone=other.missing)
    if other.running:
        return about
    that = (Remedy.THAT_FOLDER,) if is_first and other.takes_file else ()
    is_copy = other.rows >= sum(file.standings.values())
    remedies: tuple[Remedy, ...]
    if is_first and other.renamed and (other.takes_file or not other.others):
        remedies = (Remedy.THAT_FOLDER,)
    elif other.in_doubt:
        remedies = (Remedy.NEWER_JOB, Remedy.SETTLE)
    elif other.changed:
        remedies = (Remedy.OTHER_CELLS,)
    elif that and other.missing and not is_copy:  # only that job can ask which rows are edited
        remedies = that
    elif is_first and is_copy:
        remedies = (*that, Remedy.SEND_AGAIN)
    else:
        remedies = (Remedy.REMOVE_ROWS, *that)
    return attrs.evolve(about, remedies=remedies, in_doubt=other.in_doubt, renamed=other.renamed)


def _other_ledger(ledger: LedgerFacts, file: FileFacts) -> Refusal | None:
    why: Why
    if ledger.company != file.company:
        why, was, now = "other_company", ledger.company, file.company
    elif ledger.operation != file.operation:
        why, was, now = "other_operation", ledger.operation, file.operation
    else:
        return None
    return Refusal(why=why, remedies=(Remedy.OTHER_FOLDER,), folder=ledger.folder, was=was, now=now)


def _new_job_remedies(ledger: LedgerFacts, file: FileFacts) -> tuple[Remedy, ...]:
    """Return the remedy that leads to a new job: send all rows again, or settle rows in doubt first.

    If planned rows remain and no row is in doubt, return no remedy.
    """
    if not _unfinished(ledger, file):
        return (Remedy.UNDO_AND_SEND if file.creates else Remedy.SEND_AGAIN,)
    return (_settle(ledger),) if ledger.in_doubt else ()


def _unfinished(ledger: LedgerFacts, file: FileFacts) -> int:
    """Return the number of rows that the job can still send or look up.

    With another key, planned rows are not recognized, and so may be in the file. They matter only if other
    rows were sent.
    """
    if ledger.key == file.key or not ledger.perhaps_created:
        return ledger.unfinished
    return ledger.counts.get(Standing.PLANNED, 0) + ledger.in_doubt


def _settle(ledger: LedgerFacts) -> Remedy:
    return Remedy.DECIDE_ROWS if ledger.in_doubt and ledger.marker is None else Remedy.SETTLE


def _begin_again(ledger: LedgerFacts, file: FileFacts) -> Plan | Refusal:
    if rows := _unfinished(ledger, file):
        restore = () if ledger.key == file.key else (Remedy.SAME_MAP,)
        remedies = (*restore, Remedy.SAME_COMMAND, *((_settle(ledger),) if ledger.in_doubt else ()))
        return Refusal(why="unfinished", remedies=remedies, folder=ledger.folder, rows=rows)
    elsewhere, resembling = file.elsewhere, sum(count for count, _ in file.disguised.values())
    if elsewhere is not None and elsewhere.resembling:
        resembling += elsewhere.rows
    elif (refusal := _sent_elsewhere(file)) is not None:
        return refusal
    rows, repeated = sum(file.standings.values()), file.standings.get(Standing.REPEATED, 0)
    standings = {Standing.NEW: rows - repeated, Standing.REPEATED: repeated}
    plan = _plan(None, attrs.evolve(file, standings=standings), ImportOptions())
    return attrs.evolve(
        plan,
        begins=True,
        leaves_done=ledger.counts.get(Standing.DONE, 0),
        resembling=resembling,
    )


def _key_changed(ledger: LedgerFacts, file: FileFacts) -> Refusal | None:
    """Return a refusal if sent rows cannot be recognized or looked up by their keys."""
    # Two templates may produce equal keys by chance. Keys identify rows across templates only if every sent
    # row has an equal key and equal cells.
    both_keyed = ledger.key is not None and file.key is not None
    not_equal = ledger.perhaps_created - file.standings.get(Standing.DONE, 0) if both_keyed else 0
    unknown = ledger.gone_unexplained or not_equal
    about = Refusal(
        why="key_changed",
        remedies=(Remedy.SAME_MAP, *_new_job_remedies(ledger, file)),
        folder=ledger.folder,
    )
    if ledger.key != file.key and unknown and not file.rejects:
        about = attrs.evolve(about, gone=unknown, first_gone=ledger.first_gone, was=ledger.key, now=file.key)
        if ledger.key is not None:
            return about
        # Rows whose cells have not changed are recognized, so these rows or columns were edited.
        columns = _changed_columns(ledger, file)
        why: Why = "columns_changed" if columns else "key_changed"
        remedies = (Remedy.KEY_FIRST, *_new_job_remedies(ledger, file))
        return attrs.evolve(about, why=why, remedies=remedies, columns=columns)
    if ledger.marker != file.marker and ledger.in_doubt:  # rows in doubt were sent with the old marker
        return attrs.evolve(about, rows=ledger.in_doubt, was=ledger.marker, now=file.marker)
    return None


def _unknown_rows(ledger: LedgerFacts, file: FileFacts, options: ImportOptions) -> Refusal | None:
    """Return a refusal if rows to send may be edited versions of sent rows that are missing."""
    sent = {each for each, action in actions_of(file, options).items() if action is Action.SEND}
    if not options.new_rows and (lines := [line for each, line in file.replaced.items() if each in sent]):
        return Refusal(why="rejects", remedies=(Remedy.SAME_ROWS,), problem="replaced", line=min(lines))
    # A row that reappears counts as new, because it may be another version of a sent row.
    new = file.standings.get(Standing.NEW, 0) + sum(file.back.get(each, 0) for each in sent)
    disguised = [resembling for each, resembling in file.disguised.items() if each in sent]
    if not (disguised or (new and ledger.gone_unexplained)):
        return None
    about = Refusal(
        why="edited_or_new",
        remedies=(Remedy.KEY, Remedy.NEW_ROWS),
        folder=ledger.folder,
        rows=new,
        gone=ledger.gone_unexplained,
        first_new=file.first_new,
        first_gone=ledger.first_gone,
    )
    if file.key is None and not file.rejects:
        if columns := _changed_columns(ledger, file):
            remedies = (Remedy.KEY, *_new_job_remedies(ledger, file))
            return attrs.evolve(about, why="columns_changed", remedies=remedies, columns=columns)
        return None if options.new_rows else about
    if not disguised or options.new_rows:
        return None
    pairs = sorted((pair for _, first in disguised for pair in first), key=lambda pair: pair[0].line)
    return attrs.evolve(
        about,
        why="key_disguised",
        remedies=(Remedy.NEW_KEYS,),
        rows=sum(count for count, _ in disguised),
        first_new=pairs[0][0],
        first_gone=pairs[0][1],
        resembling=tuple(pairs[:FIRST]),
    )


def _changed_columns(ledger: LedgerFacts, file: FileFacts) -> tuple[str, ...]:
    return tuple(sorted((file.columns - ledger.header) | (ledger.columns - file.header)))


def _plan(ledger: LedgerFacts | None, file: FileFacts, options: ImportOptions) -> Plan:
    planned = ledger.planned if ledger is not None else 0
    return Plan(
        actions=actions_of(file, options),
        counts=file.standings,
        gone=ledger.gone if ledger is not None else {},
        rejects=file.rejects,
        dismisses=options.new_rows and not file.rejects,
        can_look_up=file.marker is not None,
        newly_refused=max(planned - file.standings.get(Standing.PLANNED, 0), 0),
    )
