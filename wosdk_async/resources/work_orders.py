"""Work order actions: state changes, assignments, notes and flags; look-ups by number or name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from wosdk_async import model  # used as ``model.X``, which loads a class on first use
from wosdk_async.errors import BusinessRuleError, InvalidCallError, NameNotFoundError, NotFoundError
from wosdk_async.protocol.arguments import described, require_id
from wosdk_async.protocol.order_rules import next_step
from wosdk_async.query.builder import selection
from wosdk_async.query.fields import fields
from wosdk_async.query.paths import identifier
from wosdk_async.query.properties import Path
from wosdk_async.resources.lookup_tables import MAX_AGE, folded, require_one, text_of
from wosdk_async.resources.names import spellings
from wosdk_async.resources.resource import Resource, known_member
from wosdk_async.text.suggestions import suggestion

if TYPE_CHECKING:  # at run time, methods load the model's modules on demand
    from wosdk_async.model import (
        ChangeAssignmentMode,
        CompletionNoteOptions,
        Employee,
        EntitySpecifier,
        RepairCode,
        WoActionReasonLookup,
        WoActionResponse,
        WOActionType,
        WONoteType,
        WorkOrder,
        WorkOrderAction,
        WOStatus,
    )

__all__ = ["WorkOrders"]

E = TypeVar("E", "WoActionReasonLookup", "RepairCode")


class WorkOrders(Resource):
    """Work order actions: ``company.work_orders``.

    Actions take a WorkOrder, a Ref or an id. All but ``note`` return the response's WorkOrder: its scalars,
    and references reduced to their ids. If the response contains no WorkOrder, the action was still carried
    out, and the result is a WorkOrder with only its id. ``comment`` goes into the order's log; ``at`` is the
    local time of a past action.

    Names are case-insensitive, and whitespace around them is ignored. A Company's names are cached for 300
    seconds, and reread before a name is reported as unknown. Ids are sent unchanged: pass a record's
    ``Id``, not its ``ReasonId``.

    Raises:
        NameNotFoundError: the name does not exist; the message lists the known ones, and nothing was sent.
        NotUniqueError: several records have the name; nothing was sent.
        BusinessRuleError: the service refuses the action.
        InDoubtError: the action may have taken effect, but no response confirms it.
    """

    # facts 4 and 5

    # --- state changes ----------------------------------------------------------------------

    async def complete(
        self,
        order: WorkOrder | int,
        *,
        note: str | None = None,
        note_option: CompletionNoteOptions | str = "Replace",
        repair_code: RepairCode | str | int | None = None,
        at: datetime | None = None,
    ) -> WorkOrder:
        """Complete a work order: ``await acme.work_orders.complete(order, note="Filter changed")``.

        Args:
            order: the work order, which must be in progress.
            note: the completion note, sent as the command's comment.
            note_option: ``Replace``, ``FillEmpty`` or ``Ignore`` for an existing note; with ``Ignore``, the
                new note is only a comment (inferred from the option's name).
            repair_code: name or id of a RepairCode, which some Companies require.
            at: local time of completion (default: now).
        """
        # facts 5.1
        option = known_member("note_option", note_option, model.CompletionNoteOptions)
        id = order_id(order)
        code = None if repair_code is None else await self.repair_code(repair_code)
        command = model.WoCompleteCommand(comment=note, repair_code_id=code)
        command.completion_note_option = None if note is None else option
        return await self._act(command, id, at)

    async def hold(
        self,
        order: WorkOrder | int,
        *,
        reason: WoActionReasonLookup | str | int,
        comment: str | None = None,
        at: datetime | None = None,
    ) -> WorkOrder:
        """Put a work order on hold: ``await acme.work_orders.hold(order, reason="Waiting for parts")``."""
        id = order_id(order)
        reason_id = await self.hold_reason(reason)
        return await self._act(model.WoOnHoldCommand(action_reason_id=reason_id, comment=comment), id, at)

    async def resume(
        self,
        order: WorkOrder | int,
        *,
        start: bool = False,
        comment: str | None = None,
        at: datetime | None = None,
    ) -> WorkOrder:
        """Resume a work order that is on hold or paused: ``await acme.work_orders.resume(order)``.

        The call reopens the order, so its state becomes New. No documented command leads from OnHold directly
        to InProgress; the vendor's samples run three commands: reopen, pick up and start.

        Finished orders can also be reopened, so the client reads the state first and sends it as the expected
        state. If another caller changes the state in the meantime, the service changes nothing, and the call
        raises ConflictError.

        Args:
            order: the work order, which must be on hold or paused. To reopen a Completed or Cancelled order,
                use ``run(WoReopenCommand(...))``.
            start: also pick up and start the order, so that it is InProgress (three commands). If a command
                is refused, the order keeps the state reached so far.
            comment: text for the order's log, sent with the first command.
            at: local time of the actions (default: now).

        Raises:
            BusinessRuleError: the order is in another state; ``status`` is 0, and nothing was sent.
        """
        # facts 5.1: the vendor's samples reopen a Paused order. Not shown; assumed: this works for OnHold.
        id = order_id(order)
        expected = await self._held_state(id)
        resumed = await self._act(model.WoReopenCommand(comment=comment, status_id=expected), id, at)
        if start:
            await self.pick_up(id, at=at)
            resumed = await self.start(id, at=at)
        return resumed

    async def pick_up(
        self,
        order: WorkOrder | int,
        *,
        comment: str | None = None,
        at: datetime | None = None,
    ) -> WorkOrder:
        """Pick up a New work order, which makes it Open: ``await acme.work_orders.pick_up(order)``."""
        # facts 5.1: the target state is inferred from the names of command and state
        return await self._act(model.WoPickUpCommand(comment=comment), order_id(order), at)

    async def start(
        self,
        order: WorkOrder | int,
        *,
        comment: str | None = None,
        at: datetime | None = None,
    ) -> WorkOrder:
        """Start an Open work order, which makes it InProgress: ``await acme.work_orders.start(order)``."""
        # facts 5.1: the target state is inferred from the names of command and state
        return await self._act(model.WoStartCommand(comment=comment), order_id(order), at)

    async def cancel(
        self,
        order: WorkOrder | int,
        *,
        reason: WoActionReasonLookup | str | int,
        comment: str | None = None,
        at: datetime | None = None,
    ) -> WorkOrder:
        """Cancel a work order: ``await acme.work_orders.cancel(order, reason="Entered twice")``."""
        id = order_id(order)
        reason_id = await self.cancel_reason(reason)
        return await self._act(model.WoCancelCommand(action_reason_id=reason_id, comment=comment), id, at)

    # --- actions that keep the state --------------------------------------------------------

    async def assign(
        self,
        order: WorkOrder | int,
        to: Employee | str | int | Iterable[Employee | str | int],
        *,
        mode: ChangeAssignmentMode | str = "Primary",
        comment: str | None = None,
        at: datetime | None = None,
    ) -> WorkOrder:
        """Assign a work order: ``await acme.work_orders.assign(order, "mira.okafor")``.

        Args:
            order: the work order; its state does not change.
            to: one or more employees or providers, each given as a record, reference, id, user name, number
                or display name.
            mode: ``Primary`` replaces the first assignee; ``AddSecondary`` and ``RemoveSecondary`` add and
                remove others; ``Snapshot`` replaces all assignees with ``to``, whose first becomes primary.
                Only ``Snapshot`` accepts an empty list.
            comment: text for the order's log.
            at: local time of the assignment (default: now).
        """
        # facts 5
        mode = known_member("mode", mode, model.ChangeAssignmentMode)
        id = order_id(order)
        # A record is not iterable, and a string is a single name.
        given = list(to) if isinstance(to, Iterable) and not isinstance(to, str) else [to]
        # facts 5: an empty list of Assignees is meant only for Snapshot
        if not given and mode != "Snapshot":
            raise InvalidCallError(
                f"no assignees given, and {mode} would remove the first assignee or do nothing; pass"
                " mode='Snapshot' to remove all assignees"
            )
        assignees = [await self.employee(one) for one in given]
        return await self._act(model.WoAssignCommand(assignees=assignees, mode=mode, comment=comment), id, at)

    async def note(
        self, order: WorkOrder | int, body: str, *, note_type: WONoteType | str = "Private"
    ) -> EntitySpecifier:
        """Add a note and return its type and id: ``await acme.work_orders.note(order, "Gate code 4711")``.

        Args:
            order: the work order, in any state.
            body: text of the note.
            note_type: ``Private``, ``Public``, or ``Completion`` (at most one per order).

        Raises:
            InDoubtError: the note may have been added, but no response confirms it.
        """
        # facts 3.9: there is no command for notes, and the entity Note belongs to other records
        kind = known_member("note_type", note_type, model.WONoteType)
        if not isinstance(body, str) or not body.strip():
            raise InvalidCallError(f"the note is {described(body)}; it must be a string that is not blank")
        note = model.WoNote(work_order_id=order_id(order), body=body, note_type_id=kind)
        return await self._company.create(note)

    async def set_flags(
        self,
        order: WorkOrder | int,
        flags: Iterable[WoActionReasonLookup | str | int],
        *,
        comment: str | None = None,
        at: datetime | None = None,
    ) -> WorkOrder:
        """Set flags, by name or id: ``await acme.work_orders.set_flags(order, ["Urgent", 7])``."""
        id = order_id(order)
        ids = await self._flag_ids(flags)
        return await self._act(model.WoSetFlagsCommand(flags_to_set=ids, comment=comment), id, at)

    async def clear_flags(
        self,
        order: WorkOrder | int,
        flags: Iterable[WoActionReasonLookup | str | int],
        *,
        comment: str | None = None,
        at: datetime | None = None,
    ) -> WorkOrder:
        """Clear flags, by name or id."""
        id = order_id(order)
        ids = await self._flag_ids(flags)
        return await self._act(model.WoClearFlagsCommand(flags_to_clear=ids, comment=comment), id, at)

    # --- work orders by number --------------------------------------------------------------

    async def by_number(self, number: str, *, properties: Iterable[str | Path] = ()) -> WorkOrder:
        """Return the work order with this number: ``await acme.work_orders.by_number("RSC000005")``.

        Args:
            number: the number as a string; case and surrounding whitespace are ignored.
            properties: property paths to read, as for ``Query.select``; id and number are always read.

        Raises:
            NotFoundError: no work order has the number (the error's ``status`` is 0).
            NotUniqueError: several work orders have the number.
        """
        found = await self.by_numbers([number], properties=properties)
        return found[number]

    async def by_numbers(
        self, numbers: Iterable[str], *, properties: Iterable[str | Path] = ()
    ) -> dict[str, WorkOrder]:
        """Return work orders by their numbers, with one query per 200 numbers.

        Raises:
            NotFoundError: some numbers have no work order; the message lists them.
            NotUniqueError: several work orders share a number.
        """
        wanted = _texts(numbers)
        paths = selection(model.WorkOrder, properties, check=True)
        found: dict[str, list[WorkOrder]] = {}
        for texts in spellings(number.strip() for number in wanted):
            query = self._company.query(model.WorkOrder).where(fields(model.WorkOrder).number.in_(texts))
            if paths:
                query = query.select("Id", "Number", *paths)
            for order in await self._tables.all_of(model.WorkOrder, query):
                found.setdefault(folded(text_of(order.number)), []).append(order)
        orders = {number: found.get(folded(number), []) for number in wanted}
        ids = {number: [order.id or 0 for order in some] for number, some in orders.items()}
        require_one("WorkOrder", "number", ids, self._tables.sender.company, NotFoundError)
        return {number: order for number, (order, *_) in orders.items()}

    # --- reasons, repair codes and employees by name -----------------------------------------

    async def reasons(self, action: WOActionType | str) -> list[WoActionReasonLookup]:
        """Return the reasons that users can choose for ``OnHold``, ``Cancel`` or ``Attention``."""
        if not isinstance(action, str) or not model.WOActionType(action).is_known:
            near = suggestion(action, map(str, model.WOActionType)) if isinstance(action, str) else ""
            takes = "it must be a WOActionType, such as OnHold, Cancel or Attention"
            raise InvalidCallError(f"action is {described(action)}; {takes}{near}")
        records = await self._tables.records(model.WoActionReasonLookup, self._tables.now() - MAX_AGE)
        return [row for row in records if row.action_id == action and not (row.hide or row.is_removed)]

    async def hold_reason(self, reason: WoActionReasonLookup | str | int) -> int:
        """Return the id of a hold reason, given its name. Passing ids instead of names saves look-ups."""
        return await self._reason_id("OnHold", "hold reason", reason)

    async def cancel_reason(self, reason: WoActionReasonLookup | str | int) -> int:
        """Return the id of a cancel reason, given its name. Passing ids instead of names saves look-ups."""
        return await self._reason_id("Cancel", "cancel reason", reason)

    async def repair_code(self, code: RepairCode | str | int) -> int:
        """Return the id of a repair code, given its name."""
        return await self._id_of(model.RepairCode, "repair code", code)

    async def employee(self, employee: Employee | str | int) -> int:
        """Return the id of an employee or provider, given the user name, number or display name.

        Raises:
            NameNotFoundError: no employee has this user name, number or name.
            NotUniqueError: several employees match; the message lists their ids.
        """
        if not isinstance(employee, str):
            return identifier(employee, "the employee", "Employee")
        f = fields(model.Employee)
        (texts,) = spellings(_texts([employee.strip()]))
        condition = f.username.in_(texts) | f.number.in_(texts) | f.display_as.in_(texts)
        query = self._company.query(model.Employee).where(condition).select("Id", "IsRemoved")
        ids = [row.id or 0 for row in await self._tables.all_of(model.Employee, query) if not row.is_removed]
        by, company = "user name, number or name", self._tables.sender.company
        require_one("Employee", by, {employee: ids}, company, NameNotFoundError)
        return ids[0]

    # --- helpers ------------------------------------------------------------------------------

    async def _held_state(self, order: int) -> WOStatus:
        found = (await self._company.get(model.WorkOrder, order, properties=["StatusId"])).status_id
        if found not in ("OnHold", "Paused"):
            raise BusinessRuleError(
                f"work order {order} is in state '{found}'; resume requires OnHold or Paused. "
                "Nothing was sent",
                operation="resume",
                company=self._company.name,
                **next_step(str(found), "InProgress"),
            )
        return model.WOStatus(str(found))

    async def _act(
        self, command: WorkOrderAction[WoActionResponse], order: int, at: datetime | None
    ) -> WorkOrder:
        command.work_order_id, command.action_date = order, at
        returned = (await self._company.run(command)).wo
        return returned if returned is not None else model.WorkOrder.ref(order)

    async def _flag_ids(self, flags: Iterable[WoActionReasonLookup | str | int]) -> list[int]:
        given = [] if isinstance(flags, str) or not isinstance(flags, Iterable) else list(flags)
        if not given:
            shown = "empty" if isinstance(flags, list | tuple) and not flags else described(flags)
            raise InvalidCallError(f"flags is {shown}; it must be a list of at least one name or id")
        # facts 4: the table lists hold, cancel and flag reasons. Not shown; assumed: flags have the ActionId
        # Attention, which the log uses for flagging.
        return [await self._reason_id("Attention", "flag", flag) for flag in given]

    async def _reason_id(self, action: str, what: str, reason: WoActionReasonLookup | str | int) -> int:
        # not shown; assumed: a reason that users cannot see must be given by id
        return await self._id_of(
            model.WoActionReasonLookup, what, reason, lambda row: row.action_id == action and not row.hide
        )

    async def _id_of(
        self, entity: type[E], what: str, given: E | str | int, fits: Callable[[E], bool] = lambda _: True
    ) -> int:
        """Return the id of ``given``; a name is looked up among current records that satisfy ``fits``."""
        if isinstance(given, str):
            given = await self._tables.find(
                entity,
                what,
                given,
                label=lambda row: row.display_as,
                fits=lambda row: fits(row) and not row.is_removed,
            )
        return identifier(given, f"the {what}", entity.__name__)


def order_id(order: WorkOrder | int) -> int:
    """Return a work order's id; raise InvalidCallError for a work order number (a string)."""
    if isinstance(order, str):
        require_id(model.WorkOrder, order)  # raises the error that explains how to find an order by number
    return identifier(order, "the work order", "WorkOrder")


def _texts(given: Iterable[str]) -> list[str]:
    texts = [given] if isinstance(given, str) else list(given)
    for text in texts:
        if not isinstance(text, str) or not text.strip():
            raise InvalidCallError(
                f"an order number or a name must be a string such as 'RSC000005', not {described(text)}"
            )
    return texts
