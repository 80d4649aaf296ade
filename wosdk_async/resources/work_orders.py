"""Work orders from state to state: complete, hold, cancel and flag, with reasons by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Never, TypeVar

from wosdk_async.errors import InvalidCallError
from wosdk_async.protocol.arguments import described, refuse_keywords, require_id
from wosdk_async.query.conditions import identifier
from wosdk_async.resources.lookup_tables import LookupTables
from wosdk_async.resources.verbs import Verbs

if TYPE_CHECKING:  # at run time the model's modules are loaded when a method needs them
    from wosdk_async.model import (
        CompletionNoteOptions,
        RepairCode,
        WoActionReasonLookup,
        WoActionResponse,
        WorkOrder,
        WorkOrderAction,
    )

__all__ = ["WorkOrders"]

_REASONED = ("reason", "comment", "at")
_FLAGGED = ("comment", "at")

E = TypeVar("E", "WoActionReasonLookup", "RepairCode")


class WorkOrders:
    """Actions on work orders: ``company.work_orders``.

    Each method takes a WorkOrder, a Ref or an id, and returns the WorkOrder of the response: its scalars, and
    references cut to their id. If the response has none, the action was carried out all the same, and the
    result is a WorkOrder with its id alone. ``comment`` goes into the order's log, ``at`` is the local time
    of a past action.

    Letter case and outer blanks of names do not matter. The names of a Company are read once, again after 300
    seconds, and again before a name is called unknown. An id is sent unchanged: the record's own, not its
    ``ReasonId``.

    Raises:
        NotFoundError: there is no such name; the message lists the names there are, and nothing was sent.
        NotUniqueError: several records have the name; nothing was sent.
        BusinessRuleError: the service refuses the action.
        InDoubtError: the action may have taken effect, but no response confirms it.
    """

    # facts 4 and 5

    def __init__(self, company: Verbs, tables: LookupTables) -> None:
        self._company = company
        self._tables = tables

    async def complete(
        self,
        order: WorkOrder | int,
        *,
        note: str | None = None,
        note_option: CompletionNoteOptions | str = "Replace",
        repair_code: RepairCode | str | int | None = None,
        at: datetime | None = None,
        **_unknown: Never,
    ) -> WorkOrder:
        """Complete a work order: ``await acme.work_orders.complete(order, note="Filter changed")``.

        Args:
            order: the work order, which must be in progress.
            note: the text that becomes the completion note; it is the command's comment too.
            note_option: ``Replace`` or ``FillEmpty`` the note that is there, or ``Ignore`` it: the text is
                then a comment only (by the meaning of its name).
            repair_code: name or id of a RepairCode, which some Companies demand.
            at: local time when it was completed, if not now.
        """
        # facts 5.1
        if _unknown:
            refuse_keywords("work_orders.complete", _unknown, ("note", "note_option", "repair_code", "at"))
        from wosdk_async.model import CompletionNoteOptions, RepairCode, WoCompleteCommand

        if not isinstance(note_option, str) or not CompletionNoteOptions(note_option).is_known:
            shown = repr(note_option) if isinstance(note_option, str) else described(note_option)
            raise InvalidCallError(
                f"note_option is {shown:.80}; it takes {', '.join(map(str, CompletionNoteOptions))}"
            )
        option = CompletionNoteOptions(note_option) if note is not None else None
        id = _order_id(order)
        code = None if repair_code is None else await self._id_of(RepairCode, "repair code", repair_code)
        command = WoCompleteCommand(comment=note, completion_note_option=option, repair_code_id=code)
        return await self._act(command, id, at)

    async def hold(
        self,
        order: WorkOrder | int,
        *,
        reason: WoActionReasonLookup | str | int,
        comment: str | None = None,
        at: datetime | None = None,
        **_unknown: Never,
    ) -> WorkOrder:
        """Put a work order on hold: ``await acme.work_orders.hold(order, reason="Waiting for parts")``."""
        from wosdk_async.model import WoOnHoldCommand

        if _unknown:
            refuse_keywords("work_orders.hold", _unknown, _REASONED)
        id = _order_id(order)
        reason_id = await self._reason_id("OnHold", "hold reason", reason)
        return await self._act(WoOnHoldCommand(action_reason_id=reason_id, comment=comment), id, at)

    async def cancel(
        self,
        order: WorkOrder | int,
        *,
        reason: WoActionReasonLookup | str | int,
        comment: str | None = None,
        at: datetime | None = None,
        **_unknown: Never,
    ) -> WorkOrder:
        """Cancel a work order: ``await acme.work_orders.cancel(order, reason="Entered twice")``."""
        from wosdk_async.model import WoCancelCommand

        if _unknown:
            refuse_keywords("work_orders.cancel", _unknown, _REASONED)
        id = _order_id(order)
        reason_id = await self.cancel_reason(reason)
        return await self._act(WoCancelCommand(action_reason_id=reason_id, comment=comment), id, at)

    async def cancel_reason(self, reason: WoActionReasonLookup | str | int) -> int:
        """Return the id of a reason to cancel, given its name: for many cancels, or before the first."""
        return await self._reason_id("Cancel", "cancel reason", reason)

    async def set_flags(
        self,
        order: WorkOrder | int,
        flags: Iterable[WoActionReasonLookup | str | int],
        *,
        comment: str | None = None,
        at: datetime | None = None,
        **_unknown: Never,
    ) -> WorkOrder:
        """Set flags, by name or id: ``await acme.work_orders.set_flags(order, ["Urgent", 7])``."""
        from wosdk_async.model import WoSetFlagsCommand

        if _unknown:
            refuse_keywords("work_orders.set_flags", _unknown, _FLAGGED)
        id = _order_id(order)
        ids = await self._flag_ids(flags)
        return await self._act(WoSetFlagsCommand(flags_to_set=ids, comment=comment), id, at)

    async def clear_flags(
        self,
        order: WorkOrder | int,
        flags: Iterable[WoActionReasonLookup | str | int],
        *,
        comment: str | None = None,
        at: datetime | None = None,
        **_unknown: Never,
    ) -> WorkOrder:
        """Clear flags, by name or id."""
        from wosdk_async.model import WoClearFlagsCommand

        if _unknown:
            refuse_keywords("work_orders.clear_flags", _unknown, _FLAGGED)
        id = _order_id(order)
        ids = await self._flag_ids(flags)
        return await self._act(WoClearFlagsCommand(flags_to_clear=ids, comment=comment), id, at)

    # --- parts ------------------------------------------------------------------------------

    async def _act(
        self, command: WorkOrderAction[WoActionResponse], order: int, at: datetime | None
    ) -> WorkOrder:
        from wosdk_async.model import WorkOrder

        command.work_order_id, command.action_date = order, at
        made = (await self._company.run(command)).wo
        return made if made is not None else WorkOrder.ref(order)

    async def _flag_ids(self, flags: Iterable[WoActionReasonLookup | str | int]) -> list[int]:
        given = [] if isinstance(flags, str) or not isinstance(flags, Iterable) else list(flags)
        if not given:
            shown = "empty" if isinstance(flags, list | tuple) and not flags else described(flags)
            raise InvalidCallError(f"flags is {shown}; it takes a list of at least one name or id")
        # facts 4: the table lists hold, cancel and flag reasons. That flags have the ActionId Attention, the
        # log's name for flagging, is not shown; assumed
        return [await self._reason_id("Attention", "flag", flag) for flag in given]

    async def _reason_id(self, action: str, what: str, reason: WoActionReasonLookup | str | int) -> int:
        from wosdk_async.model import WoActionReasonLookup

        # not shown; assumed: a reason that users cannot see has to be named by its id
        return await self._id_of(
            WoActionReasonLookup, what, reason, lambda row: row.action_id == action and not row.hide
        )

    async def _id_of(
        self, entity: type[E], what: str, given: E | str | int, fits: Callable[[E], bool] = lambda _: True
    ) -> int:
        """Return the id of the record that ``given`` names, among those that fit and are not removed."""
        if isinstance(given, str):
            given = await self._tables.find(
                entity,
                what,
                given,
                label=lambda row: row.display_as,
                fits=lambda row: fits(row) and not row.is_removed,
            )
        return int(identifier(given, f"the {what}", entity.__name__))


def _order_id(order: WorkOrder | int) -> int:
    if isinstance(order, str):
        from wosdk_async.model import WorkOrder

        require_id(WorkOrder, order)  # raises, and says how to find an order by its number
    return int(identifier(order, "the work order", "WorkOrder"))
