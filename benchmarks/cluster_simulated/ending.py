"""A job that is finished: its journal and its audit, compared with what the service has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.cluster_simulated.plan import Plan
from benchmarks.cluster_simulated.watch import Watch
from benchmarks.cluster_simulated.workers import World
from benchmarks.jobs_process import run_now
from benchmarks.jobs_service import CUSTOMER
from wosdk_async.jobs.cluster.ledger import Loss
from wosdk_async.jobs.journal import AuditResult, Journal, State, StoredRow

__all__ = ["check_job", "stored_rows"]


def stored_rows(folder: Path) -> list[StoredRow]:
    """Return the rows of the journal in a folder; none without a journal."""
    if not (folder / "journal.db").exists():
        return []
    journal = Journal.open(folder, read_only=True, synchronous=True)
    try:
        return run_now(journal.rows_in())
    finally:
        journal.abandon()


def check_job(world: World, folder: Path, facts: Counter[str]) -> None:
    """Check a finished job, and count what happened in it."""
    if not (folder / "journal.db").exists():
        return world.watch.broken("not-finished", "it never began")
    there, watch, plan = world.service.ids("WorkOrder", "PoNumber"), world.watch, world.plan
    journal = Journal.open(folder, read_only=True, synchronous=True)
    try:
        rows = run_now(journal.rows_in())
        losses = run_now(journal.losses([row.row for row in rows]))
        totals, audit = run_now(journal.grant_totals()), run_now(journal.audit())
        last = journal.run
        open_leases = run_now(journal.open_leases())
    finally:
        journal.abandon()
    # Without a marker, rows that a killed run left are in doubt for good: a run that has nothing else to do
    # waits for no lease of theirs. Whoever sends these rows in another job waits.
    if left := [each for each in open_leases if plan.marked or each.run == last]:
        watch.broken("lease-left", f"{left}")
    if sorted(row.row for row in rows) != list(range(1, plan.rows + 1)):
        watch.broken("rows", f"the journal has {len(rows)} rows, the file {plan.rows}")
    for row in rows:
        _check_row(watch, plan, row, there.get(f"K{row.row}", ()), losses.get(row.row))
        facts["refused with their workers"] += row.state == State.REFUSED
    customers = there_of(world, CUSTOMER)
    if len(customers) != 1:
        watch.broken("customer", f"it is there {len(customers)} times")
    if plan.marked and totals.leases:
        _check_audit(watch, rows, there, audit)
    return facts.update(lost=totals.lost_leases, late=totals.late_reports, leases=totals.leases)


def there_of(world: World, name: str) -> Sequence[int]:
    """Return the ids of a customer."""
    return world.service.ids("Customer", "Name").get(name, ())


def _check_row(watch: Watch, plan: Plan, row: StoredRow, ids: Sequence[int], loss: Loss | None) -> None:
    text = f"row {row.row} is {row.state.name} ({row.reason}), there is {ids}"
    if len(ids) > 1:
        watch.broken("doubled", text)
    if row.state == State.DONE:
        if list(ids) != [row.id]:
            watch.broken("done-but-lost", f"{text}, not {row.id}")
    elif row.state == State.REFUSED:
        # Others than the poisonous row may be lost alone, too: nobody can know that it was not the row.
        if ids:
            watch.broken("failed-but-done", text)
        elif not (row.reason or "").startswith("its worker was lost") or not (loss and loss.alone):
            watch.broken("refused", text)
    elif plan.marked or row.state != State.IN_DOUBT:
        watch.broken("not-decided", text)
    if row.row in watch.handed_over and row.state != State.DONE:
        watch.broken("undelivered-lost", f"{text}; a result of grant {watch.handed_over[row.row]} says done")
    if row.row == plan.poison and plan.marked and row.state == State.DONE and loss:
        watch.broken("poison-sent", text)


def _check_audit(
    watch: Watch, rows: Sequence[StoredRow], there: Mapping[str, Sequence[int]], audit: AuditResult | None
) -> None:
    """Check that the audit says what the service has."""
    if audit is None:
        return watch.broken("no-audit", "the job was finished without one")
    found = Counter[str]()
    for row in rows:
        count = len(there.get(f"K{row.row}", ()))
        if row.state == State.DONE:
            found["once" if count == 1 else "twice" if count else "missing"] += 1
        elif row.state == State.REFUSED and count:
            found["unexpected"] += 1
    for name in ("once", "missing", "twice", "unexpected"):
        if getattr(audit, name) != found[name]:
            watch.broken("audit", f"{name}: it says {getattr(audit, name)}, there are {found[name]}")
    return None
