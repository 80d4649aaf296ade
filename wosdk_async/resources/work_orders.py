"""Actions on work orders that leave their state as it is: assign, note, flag; names instead of ids."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from wosdk_async.errors import InvalidCallError
from wosdk_async.protocol.arguments import described
from wosdk_async.resources.order_moves import OrderMoves, order_id

if TYPE_CHECKING:  # at run time the model's modules are loaded when a method needs them
    from wosdk_async.model import (
        ChangeAssignmentMode,
        Employee,
        EntitySpecifier,
        WoActionReasonLookup,
        WONoteType,
        WorkOrder,
    )

__all__ = ["WorkOrders"]


class WorkOrders(OrderMoves):
    """Actions on work orders: ``company.work_orders``.

    Each method takes a WorkOrder, a Ref or an id, and returns the WorkOrder of the response: its scalars, and
    references cut to their id. If the response has none, the action was carried out all the same, and the
    result is a WorkOrder with its id alone. ``comment`` goes into the order's log, ``at`` is the local time
    of a past action. The actions that move an order from state to state are those of OrderMoves.

    Letter case and outer blanks of names do not matter. The names of a Company are read once, again after 300
    seconds, and again before a name is called unknown. An id is sent unchanged: the record's own, not its
    ``ReasonId``.

    Raises:
        NameNotFoundError: there is no such name; the message lists the names there are, and nothing was sent.
        NotUniqueError: several records have the name; nothing was sent.
        BusinessRuleError: the service refuses the action.
        InDoubtError: the action may have taken effect, but no response confirms it.
    """

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
            order: the work order; its state stays as it is.
            to: an employee or provider, or several: a record or reference, an id, or a text that is the user
                name, the number or the name shown.
            mode: ``Primary`` replaces the first assignee, ``AddSecondary`` and ``RemoveSecondary`` add and
                remove others, ``Snapshot`` replaces all by those of ``to``, the first of them as primary.
            comment: text for the order's log.
            at: local time when it was assigned, if not now.
        """
        # facts 5
        from wosdk_async.model import ChangeAssignmentMode, WoAssignCommand

        if not isinstance(mode, str) or not ChangeAssignmentMode(mode).is_known:
            takes = ", ".join(map(str, ChangeAssignmentMode))
            raise InvalidCallError(f"mode is {described(mode)}; it takes {takes}")
        id = order_id(order)
        # a record is not iterable; a text is one name
        given = list(to) if isinstance(to, Iterable) and not isinstance(to, str) else [to]
        assignees = [await self.employee(one) for one in given]
        command = WoAssignCommand(assignees=assignees, mode=ChangeAssignmentMode(mode), comment=comment)
        return await self._act(command, id, at)

    async def note(
        self, order: WorkOrder | int, body: str, *, note_type: WONoteType | str = "Private"
    ) -> EntitySpecifier:
        """Add a note: ``await acme.work_orders.note(order, "Gate code 4711")``; return the new WoNote.

        Args:
            order: the work order, in any state.
            body: the text.
            note_type: ``Private``, ``Public``, or ``Completion``, of which an order has one at most.

        Raises:
            InDoubtError: the note may have been added, but no response confirms it.
        """
        # facts 3.9: there is no command for notes, and Note belongs to other records
        from wosdk_async.model import WoNote, WONoteType

        if not isinstance(note_type, str) or not WONoteType(note_type).is_known:
            raise InvalidCallError(
                f"note_type is {described(note_type)}; it takes {', '.join(map(str, WONoteType))}"
            )
        if not isinstance(body, str) or not body.strip():
            raise InvalidCallError(f"the note is {described(body)}; it takes a text")
        note = WoNote(work_order_id=order_id(order), body=body, note_type_id=WONoteType(note_type))
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
        from wosdk_async.model import WoSetFlagsCommand

        id = order_id(order)
        ids = await self._flag_ids(flags)
        return await self._act(WoSetFlagsCommand(flags_to_set=ids, comment=comment), id, at)

    async def clear_flags(
        self,
        order: WorkOrder | int,
        flags: Iterable[WoActionReasonLookup | str | int],
        *,
        comment: str | None = None,
        at: datetime | None = None,
    ) -> WorkOrder:
        """Clear flags, by name or id."""
        from wosdk_async.model import WoClearFlagsCommand

        id = order_id(order)
        ids = await self._flag_ids(flags)
        return await self._act(WoClearFlagsCommand(flags_to_clear=ids, comment=comment), id, at)

    # --- parts ------------------------------------------------------------------------------

    async def _flag_ids(self, flags: Iterable[WoActionReasonLookup | str | int]) -> list[int]:
        given = [] if isinstance(flags, str) or not isinstance(flags, Iterable) else list(flags)
        if not given:
            shown = "empty" if isinstance(flags, list | tuple) and not flags else described(flags)
            raise InvalidCallError(f"flags is {shown}; it takes a list of at least one name or id")
        # facts 4: the table lists hold, cancel and flag reasons. That flags have the ActionId Attention, the
        # log's name for flagging, is not shown; assumed
        return [await self._reason_id("Attention", "flag", flag) for flag in given]
