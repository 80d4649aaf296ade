"""Company: all verbs for the records and commands of one Company."""

from __future__ import annotations

import copy
import inspect
from collections.abc import AsyncIterable, Awaitable, Callable, Coroutine, Iterable, Mapping
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

import attrs

from wosdk_async.calls.marked_records import find_marked
from wosdk_async.calls.markers import Key, Marker, field_of
from wosdk_async.calls.run_many import Run
from wosdk_async.calls.sender import CallSender
from wosdk_async.errors import ConflictError, InvalidCallError, NotFoundError
from wosdk_async.fork_safety import Uncopied
from wosdk_async.model import Command, CommandResult, EntitySpecifier, QueryExpression, Record
from wosdk_async.model.base import Referable
from wosdk_async.options import CallOptions
from wosdk_async.options.checks import check_number
from wosdk_async.protocol import calls, records, updates
from wosdk_async.protocol.arguments import (
    described,
    entity_name,
    require_class,
    require_id,
    require_record,
    require_support,
)
from wosdk_async.protocol.calls import require_own
from wosdk_async.protocol.records import Id
from wosdk_async.protocol.wire import Call
from wosdk_async.query.builder import Query, selection
from wosdk_async.query.properties import Path
from wosdk_async.resources.changes import ChangeFeed, follow
from wosdk_async.resources.lookup_tables import MAX_AGE, LookupTables
from wosdk_async.resources.names import REMEMBERED, NameResolver
from wosdk_async.resources.watermark import Watermark
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.safe_text import Secrets
from wosdk_async.transport.session.credentials import Region
from wosdk_async.transport.telemetry.statistics import Trace

if TYPE_CHECKING:
    from wosdk_async.resources.custom_fields import CustomFields
    from wosdk_async.resources.documents import Documents
    from wosdk_async.resources.labor import Labor
    from wosdk_async.resources.work_orders import WorkOrders

E = TypeVar("E", bound=Record)
V = TypeVar("V", bound=Referable)
R = TypeVar("R", bound=CommandResult)
K = TypeVar("K", bound=Key)
I = TypeVar("I")  # noqa: E741 - an input
T = TypeVar("T")

Expression = QueryExpression | Mapping[str, Any]
Inputs = Iterable[T] | AsyncIterable[T]
Change = Callable[[E], E | Awaitable[E | None] | None]
"""Function that modifies the given record, or returns a modified one."""


class Company(Uncopied):
    """A client's Company, created by :meth:`Client.company <wosdk_async.client.Client.company>`.

    Companies are cheap: you can create one per request, because the client keeps the session and the
    connections.

    Verbs raise subclasses of :class:`~wosdk_async.errors.WosdkError`. Before sending, a verb refuses
    operations that the entity does not support, and names and values that the service would refuse or drop.
    ``check=False`` skips these checks.
    """

    _instead = "pass its name, and call client.company(name) in the other process"

    def __init__(self, sender: CallSender) -> None:
        self._sender = sender

    def __repr__(self) -> str:
        tenant = self._sender.tenant
        return f"<Company {tenant.company!r} region={tenant.region.name} {self._sender.sessions!r}>"

    @property
    def name(self) -> str:
        """The Company's name, as sent with every request."""
        return self._sender.company

    @property
    def region(self) -> Region:
        """Region whose locator names the Company's host."""
        return self._sender.tenant.region

    @property
    def options(self) -> CallOptions:
        """Options of this Company's calls (:meth:`with_options`)."""
        return self._sender.options

    @property
    def id(self) -> int | None:
        """The Company's number; None before its first call."""
        grant = self._sender.grant  # spec 4.1
        return grant.company_id if grant else None

    @property
    def version(self) -> str | None:
        """Release of the Company's installation; None before its first call."""
        grant = self._sender.grant  # spec 9
        return grant.company_version if grant else None

    @property
    def host(self) -> str | None:
        """Origin of the Company's host in the latest session; None before the first call."""
        grant = self._sender.grant
        return grant.base_url if grant else None

    @property
    def rate(self) -> float | None:
        """Maximum calls per second for the Company; None for no limit."""
        return self._sender.sessions.rate

    def set_rate(self, rate: float | None) -> None:
        """Limit the Company to ``rate`` calls per second from now on; None for no limit.

        Overrides the client's ``rate`` for this Company, including for waiting calls. Must be called inside
        the event loop.

        Raises:
            ConfigurationError: ``rate`` is not a positive number.
        """
        if rate is not None:
            check_number("rate", rate, "calls per second, a number above 0, or None", above=True)
        self._sender.transport.set_rate(self._sender.sessions, rate)

    # --- resources: the most common operations ------------------------------------------------

    # Two threads may both create a resource, and then use either, because resources are stateless.

    @cached_property
    def work_orders(self) -> WorkOrders:
        """Work order actions: complete, hold, resume, cancel, assign, note, flags, find by number."""
        from wosdk_async.resources.work_orders import WorkOrders

        return WorkOrders(self, LookupTables(self._sender))

    @cached_property
    def documents(self) -> Documents:
        """Files and links of records: attach, link, download."""
        from wosdk_async.resources.documents import Documents

        return Documents(self, LookupTables(self._sender))

    @cached_property
    def custom_fields(self) -> CustomFields:
        """Custom fields of records by label: get, set."""
        from wosdk_async.resources.custom_fields import CustomFields

        return CustomFields(self, LookupTables(self._sender))

    @cached_property
    def labor(self) -> Labor:
        """Labor entries of work orders."""
        from wosdk_async.resources.labor import Labor

        return Labor(self, self._sender.origin)

    # --- options ------------------------------------------------------------------------------

    def with_options(self, **changes: Any) -> Self:
        """Return the same Company with other :class:`CallOptions`: ``with_options(deadline=5)``.

        Raises:
            ConfigurationError: an option is invalid.
        """
        options = attrs.evolve(self._sender.own_options, **changes)
        return type(self)(attrs.evolve(self._sender, options=options))

    def within(self, seconds: float) -> Self:
        """Return the same Company with a shared deadline: all its calls must end within ``seconds`` from now.

        Use it for a back-end request or a job that makes several calls under one deadline. A call's own
        earlier deadline still applies. A call that starts too late raises DeadlineError and is not sent.

        Raises:
            InvalidCallError: ``seconds`` is negative or not a number.
        """
        check_number("within()", seconds, "seconds, 0 or more", error=InvalidCallError)
        until = self._sender.transport.clock.now() + seconds
        if self._sender.until is not None:
            until = min(until, self._sender.until)
        return type(self)(attrs.evolve(self._sender, until=until))

    def traced(self, trace: Trace) -> Self:
        """Return the same Company, with each completed call's trace copied to ``trace``.

        If calls overlap, ``trace`` shows the last call to end::

            trace = Trace()
            order = await acme.traced(trace).get(WorkOrder, 1)
            trace.attempts, trace.reply.status, trace.reply.headers, trace.reply.body

        ``run_many`` does not trace its calls; use ``keep_replies=True`` to keep their responses.

        Raises:
            InvalidCallError: the argument is not a Trace.
        """
        if not isinstance(trace, Trace):
            raise InvalidCallError(
                f"traced() takes a Trace, not {described(trace)}; pass one: trace = Trace();"
                " company.traced(trace)"
            )
        return type(self)(attrs.evolve(self._sender, trace=trace))

    async def connect(self) -> None:
        """Open the session now rather than at the first call, to check the credentials."""
        await self._sender.connect()

    # --- records ------------------------------------------------------------------------------

    @overload
    async def get(
        self, entity: type[E], id: Id, *, properties: Iterable[str | Path] = (), check: bool = True
    ) -> E: ...
    @overload
    async def get(
        self, entity: str, id: Id, *, properties: Iterable[str | Path] = (), check: bool = True
    ) -> dict[str, Any]: ...
    async def get(
        self,
        entity: type[Record] | str,
        id: Id,
        *,
        properties: Iterable[str | Path] = (),
        check: bool = True,
    ) -> Any:
        """Read one record.

        Args:
            entity: a model class, or the name of an entity type that the catalogue lacks.
            id: the record's id, or ``{"ParentId": 1, "ChildId": 2}`` for a compound key.
            properties: property paths (``"*"``, ``"Customer.Name"``, ``"Items.*"``), as for ``Query.select``.
                By default, the service sends scalars and the ids of references, but no lists.
            check: before sending, refuse properties that the class does not have.

        Raises:
            NotFoundError: no record has this id.
            InvalidCallError: ``id`` is not a valid id.
        """
        return await self._sender.send(records.retrieve(entity, id, selection(entity, properties, check)))

    @overload
    async def create(
        self, entity: Record, *, marker: str | None = None, look_first: bool = False, check: bool = True
    ) -> EntitySpecifier: ...
    @overload
    async def create(
        self, entity: str, fields: Mapping[str, Any], *, check: bool = True
    ) -> EntitySpecifier: ...
    async def create(
        self,
        entity: Record | str,
        fields: Mapping[str, Any] | None = None,
        *,
        marker: str | None = None,
        look_first: bool = False,
        check: bool = True,
    ) -> EntitySpecifier:
        """Create a record and return its type, id and version. Use WoCreateCommand for work orders.

        Args:
            entity: a model record, or the name of an entity type.
            fields: fields for an entity given by name.
            marker: the field that holds your own key, as in
                ``create(Customer(tenant_code="T-77", ...), marker="tenant_code")``. If the call is in doubt,
                the client looks up the record by this key, as for :meth:`run`.
            look_first: look for the key before sending, as for :meth:`run`.
            check: before sending, refuse what the service would refuse or drop.

        Raises:
            InvalidCallError: the record cannot be sent, or the entity cannot be queried by the marker.
            InDoubtError: the record may have been created, but no response confirms it.
            NotUniqueError: several records have the marker's key.
        """
        if not isinstance(entity, str):
            require_record("create", entity)
        if check:
            require_support(entity if isinstance(entity, str) else type(entity), "create")
        mark = Marker.of_record(entity, _marker(marker)) if marker is not None or look_first else None
        call = records.create(entity, fields, check=check, origin=self._sender.origin)
        if mark is None:
            return await self._sender.send(call)
        created: EntitySpecifier = await self._sender.send_marked(call, mark, look_first=look_first)
        return created

    async def update(
        self,
        record: E,
        read: E | None = None,
        /,
        *,
        check: bool = True,
        if_unchanged: bool = False,
        **changes: Any,
    ) -> E:
        """Write only the given fields of a record; return a copy with the changes and the new version.

        ``update(order, po_number="PO-77")`` writes the named fields (None as null). ``update(edited, order)``
        writes the difference between an edited copy and the record that was read. If nothing differs, nothing
        is sent. To add a list element, omit its id; to remove one, set ``perform_deletion=True``
        (``docs/updates.md``).

        Type checkers check the fields of an edited copy, including in functions passed to :meth:`edit`. Named
        fields are checked only at run time, before anything is sent.

        Args:
            record: the record whose named fields are written, or the edited copy.
            read: the record as it was read.
            check: before sending, refuse what the service would refuse or drop.
            if_unchanged: first read the current version, and raise ConflictError if ``read`` has a different
                one. A change after this check is still overwritten, because a PUT does not check the version.
            changes: fields to write, by their Python names.

        Raises:
            InvalidCallError: an update cannot express the change.
            ConflictError: another caller has changed the record (``if_unchanged`` only).
        """
        original = record if read is None else read
        require_record("update", original)
        if check:
            require_support(type(original), "update")
            for each in (record, original):
                require_own(each, self._sender.origin, Remedy.UNCHECKED)
            updates.require_updatable(record, read, changes)
        if read is not None and changes:
            raise InvalidCallError("pass either an edited copy and the record that was read, or named fields")
        with self._sender.redaction:
            origin = self._sender.origin if check else None
            call, after = (
                updates.change(record, changes, origin)
                if read is None
                else updates.change_to(record, read, origin)
            )
            if call is None:
                return after
            if if_unchanged:
                updates.require_unchanged(
                    original, await self._sender.send(updates.version(original)), self.name
                )
            return updates.versioned(after, await self._sender.send(call))

    async def put(
        self,
        entity: type[Record] | str,
        content: Record | Mapping[str, Any],
        /,
        *,
        properties: Iterable[str],
    ) -> EntitySpecifier:
        """PUT ``content`` as given, for what :meth:`update` cannot express; return type, id and version.

        ::

            await acme.put("Customer", {"Id": 512, "Name": "Acme", "Dba": "Acme Mall"}, properties=["*"])

        Nothing is checked. ``"*"`` writes every scalar in the content, and so overwrites changes made since
        the read. ``"WorkZone.*"`` writes to the WorkZone itself. The service silently drops unknown fields.
        Prefer :meth:`update`. See ``docs/updates.md``.

        Args:
            entity: a model class, or a name.
            content: the id and fields under the service's names, or a record.
            properties: the request's ``Properties``.

        Raises:
            InDoubtError: the record may have been written, but no response confirms it. The PUT is not
                retried.
        """
        return await self._sender.send(
            records.put(entity, content, selection(entity, properties, check=False))
        )

    async def edit(
        self,
        entity: type[E],
        id: Id,
        change: Change[E],
        *,
        properties: Iterable[str | Path] = ("*",),
        attempts: int = 5,
        check: bool = True,
    ) -> E:
        """Read a record, edit a copy with ``change``, write the difference, and return the record.

        If nothing changed, nothing is sent. For a versioned entity, the version is checked before the write
        (``if_unchanged`` of :meth:`update`).

        Args:
            entity: a model class.
            id: the record's id, as for :meth:`get`.
            change: a sync or async function that modifies the given record or returns a modified copy. After
                a conflict it runs again on the new version, so it must have no other side effects.
            properties: property paths to read; include any list to edit (``"*", "CustomFields.*"``). The
                version is always read.
            attempts: maximum number of reads of the record, with the retry policy's backoff between them.
            check: as for :meth:`get` and :meth:`update`.

        Raises:
            ConflictError: every attempt conflicted with another caller's change.
        """
        if isinstance(attempts, bool) or not isinstance(attempts, int) or attempts < 1:
            raise InvalidCallError(f"attempts is {described(attempts)}; it must be a whole number, 1 or more")
        require_class("edit", entity)
        require_id(entity, id)
        if not callable(change):
            raise InvalidCallError(
                f"edit() takes a function that changes the record, not {described(change)};"
                f" update({entity.__name__}.ref({described(id)}), field=value) writes named fields"
            )
        paths = selection(entity, properties, check)
        is_versioned = "concurrency_id" in entity.__wire__
        if is_versioned and paths and not {"*", "ConcurrencyId"} & set(paths):
            paths.append("ConcurrencyId")
        with self._sender.redaction:
            failed = 0
            while True:
                read = await self.get(entity, id, properties=paths, check=check)
                working = copy.deepcopy(read)
                returned = change(working)
                edited = await returned if inspect.isawaitable(returned) else returned
                try:
                    changed = working if edited is None else edited
                    return await self.update(changed, read, check=check, if_unchanged=is_versioned)
                except ConflictError:
                    failed += 1
                    if failed == attempts:
                        raise
                await self._sender.pause(failed)

    async def delete(
        self,
        entity: type[Record] | str,
        id: Id,
        *,
        missing_ok: bool = False,
        check: bool = True,
    ) -> EntitySpecifier:
        """Delete a record; a record that can be restored is only marked as removed.

        With ``missing_ok``, a missing record is not an error, and the call is safe to repeat.
        """
        if check:
            require_support(entity, "delete")
        try:
            return await self._sender.send(records.delete(entity, id, missing_ok=missing_ok))
        except NotFoundError:
            # facts 3.8: one page names the header for this, but no recording shows it. After a lost response,
            # the record may be missing because it was deleted.
            if not missing_ok:
                raise
            return records.specifier_of({"EntitySpecifier": {"EntityType": entity_name(entity), "Id": id}})

    async def restore(self, entity: type[Record] | str, id: int) -> EntitySpecifier:
        """Restore a removed record."""
        # facts 3.4
        name = entity_name(entity)
        require_id(entity, id)
        done = await self.run("RestoreCommand", {"EntitySpecifier": {"EntityType": name, "Id": id}})
        return records.specifier_of(done)

    # --- queries ------------------------------------------------------------------------------

    @overload
    def query(self, entity: type[E], *, check: bool = True) -> Query[E]: ...
    @overload
    def query(self, entity: str, *, check: bool = True) -> Query[dict[str, Any]]: ...
    @overload
    def query(
        self, entity: type[E], expression: Expression, *, check: bool = True
    ) -> Coroutine[Any, Any, list[E]]: ...
    @overload
    def query(
        self, entity: str, expression: Expression, *, check: bool = True
    ) -> Coroutine[Any, Any, list[dict[str, Any]]]: ...
    def query(
        self,
        entity: type[Record] | str,
        expression: Expression | None = None,
        *,
        check: bool = True,
    ) -> Any:
        """Return a :class:`~wosdk_async.query.builder.Query` of an entity: ``query(WorkOrder).where(...)``.

        A QueryExpression is sent unchanged: ``await query(WorkOrder, expression)`` returns its records, at
        most 4,000.
        """
        entity_name(entity)
        if check:
            require_support(entity, "query")
        if expression is None:
            return Query(entity, self._sender.send, self.name)
        # The coroutine of send() does nothing until it is awaited, so it sends in the loop that awaits it.
        return self.send(calls.query(entity, expression, check=check))

    def changes(
        self,
        entity: type[E],
        *,
        since: Watermark | datetime | None = None,
        properties: Iterable[str | Path] = (),
        overlap: timedelta = timedelta(minutes=5),
    ) -> ChangeFeed[E]:
        """Return the records that changed since a watermark: ``async for order in acme.changes(WorkOrder)``.

        Args:
            entity: WorkOrder, the only entity with a ``LastActionDateUtc``.
            since: ``feed.watermark`` of an earlier feed; a time with a zone, for records that changed after
                that time minus ``overlap``; None for all records.
            properties: property paths as in :meth:`get`; the fields that distinguish versions are always
                read.
            overlap: how far each pass looks back, at most a day. The overlap must exceed both the skew
                between the service's clocks and the duration of its transactions.

        Changes that do not set ``LastActionDateUtc`` may be missed: see ``docs/changes.md``.

        Raises:
            UnsupportedError: the entity does not record its last change.
            InvalidCallError: the watermark belongs to another Company.
        """
        return follow(self._sender, entity, since, properties, overlap)

    @overload
    async def resolve(
        self,
        entity: type[V],
        *,
        names: Iterable[str],
        by: str = "name",
        max_age: float = MAX_AGE,
        remember: int = REMEMBERED,
    ) -> dict[str, V]: ...
    @overload
    async def resolve(
        self, entity: type[V], *, max_age: float = MAX_AGE, remember: int = REMEMBERED, **name: str
    ) -> V: ...
    async def resolve(
        self,
        entity: type[V],
        *,
        names: Iterable[str] | None = None,
        by: str | None = None,
        max_age: float = MAX_AGE,
        remember: int = REMEMBERED,
        **name: str,
    ) -> Any:
        """Return a reference to the record with the given name, for use wherever a reference is expected.

        ::

            customer = await acme.resolve(Customer, name="Acme Mall")
            zone = await acme.resolve(WorkZone, number="07")
            people = await acme.resolve(Employee, names=["ann.lee", "bo.ray"], by="username")

        Case and surrounding whitespace of names are ignored, and removed records are skipped. Names requested
        in the same iteration of the event loop share queries of up to 200 names.

        Args:
            entity: the record's class.
            name: the name to find; pass it under the Python name of a text property, as in ``number="07"``.
            names: several names; the result is a dict with a reference for each name.
            by: the property that holds ``names``.
            max_age: seconds for which a found name is cached; 0 disables the cache.
            remember: maximum number of cached names per Company; the least recently used name is dropped
                first. Missing and ambiguous names are not cached.

        Raises:
            NameNotFoundError: no record has this name (the error's ``status`` is 0).
            NotUniqueError: several records have the name.
            UnknownPropertyError: the entity has no such property.
            InvalidCallError: the property does not hold text.
        """
        resolver = NameResolver(LookupTables(self._sender), max_age=max_age, remember=remember)
        with self._sender.redaction:
            return await resolver.resolve(entity, names, by, name)

    # --- commands -----------------------------------------------------------------------------

    @overload
    async def run(
        self,
        command: Command[R],
        *,
        marker: str | None = None,
        look_first: bool = False,
        check: bool = True,
    ) -> R: ...
    @overload
    async def run(self, command: str, fields: Mapping[str, Any], *, check: bool = True) -> dict[str, Any]: ...
    async def run(
        self,
        command: Command[Any] | str,
        fields: Mapping[str, Any] | None = None,
        *,
        marker: str | None = None,
        look_first: bool = False,
        check: bool = True,
    ) -> Any:
        """Run a command and return its result.

        ``run("Name", {...})`` runs a command that the catalogue lacks.

        Args:
            command: the command, or its name.
            fields: fields for a command given by name.
            marker: the path to your own queryable key in the command, as in
                ``run(WoCreateCommand(work_order=order), marker="work_order.po_number")``. If the call is in
                doubt, the client looks up the record with this key, until the options' ``settle`` time has
                passed since the last attempt. If the record exists, it is the result; otherwise the client
                retries the command within the deadline. Calls with equal keys run one at a time; a waiting
                call may return the previous call's result. See ``docs/failures.md`` for the remaining risk.
            look_first: look once for the key before the first attempt. If its record exists, the result
                holds the record, nothing is sent, and ``found`` in the :meth:`trace <traced>` is true. A new
                process first waits the options' ``settle`` seconds, because a create that was in flight when
                the previous process was killed may still take effect.
            check: before sending, refuse what the service would refuse or drop.

        Raises:
            InvalidCallError: the command cannot be sent in this form.
            InDoubtError: the command may have taken effect, but no response confirms it. If a marker was
                given, its look-ups also failed or did not resolve the doubt within the deadline.
            NotUniqueError: several records have the marker's key.
        """
        # spec 4.2
        mark = Marker.of_command(command, _marker(marker)) if marker is not None or look_first else None
        call = calls.command(command, fields, check, self._sender.origin)
        if mark is None:
            return await self._sender.send(call)
        return await self._sender.send_marked(call, mark, look_first=look_first)

    @overload
    def run_many(
        self,
        inputs: Inputs[Command[R]],
        *,
        marker: str | None = None,
        look_first: bool = False,
        limit: int = 32,
        grace: float = 30.0,
        keep_replies: bool = False,
    ) -> Run[Command[R], R]: ...
    @overload
    def run_many(
        self,
        inputs: Inputs[I],
        *,
        command: Callable[[I], Command[R]],
        marker: str | None = None,
        look_first: bool = False,
        limit: int = 32,
        grace: float = 30.0,
        keep_replies: bool = False,
    ) -> Run[I, R]: ...
    def run_many(
        self,
        inputs: Inputs[Any],
        *,
        command: Callable[[Any], Command[Any]] | None = None,
        marker: str | None = None,
        look_first: bool = False,
        limit: int = 32,
        grace: float = 30.0,
        keep_replies: bool = False,
    ) -> Run[Any, Any]:
        """Run many commands concurrently: one outcome per input, in order of completion.

        Args:
            inputs: commands, or inputs that ``command`` converts; sync or async, of any length.
            command: function that creates the command for an input just before it is sent. If the function
                raises, only that input fails.
            marker: the path to your own key in each command, as for :meth:`run`.
            look_first: look for each key first, as for :meth:`run`; keys waiting at the same time share a
                query. ``found`` of a :class:`~wosdk_async.calls.outcome.Done` is true if the record already
                existed.
            limit: maximum concurrent calls; no call starts while this many outcomes are
                unread.
            grace: seconds for calls in flight to finish if the ``async with`` block raises or is cancelled.
            keep_replies: add each call's raw response to its outcome, as ``reply``.

        See :class:`~wosdk_async.calls.run_many.Run` for the effect of leaving the ``async with`` block early.
        """
        if command is not None and not callable(command):
            raise InvalidCallError(
                f"command is {described(command)}; it must be a function that converts an input to a command"
            )
        path = _marker(marker) if marker is not None or look_first else None
        sender = self._sender

        async def run_one(item: Any, trace: Trace) -> Any:
            to_run = command(item) if command is not None else item
            mark = Marker.of_command(to_run, path) if path is not None else None
            call = calls.command(to_run, origin=sender.origin)
            trace.company, trace.operation, trace.request_id = sender.company, call.operation, call.request_id
            trace.repeat_safe = call.repeat_safe
            if mark is not None:
                return await sender.send_marked(call, mark, trace, look_first=look_first)
            return await sender.send(call, trace)

        window = sender.options.settle
        return Run(inputs, run_one, limit=limit, grace=grace, keep_replies=keep_replies, settle=window)

    @overload
    async def find_marked(
        self,
        owner: type[Command[Any]],
        marker: str,
        keys: Iterable[K],
        *,
        properties: Iterable[str | Path] = (),
    ) -> dict[K, list[Any]]: ...
    @overload
    async def find_marked(
        self, owner: type[E], marker: str, keys: Iterable[K], *, properties: Iterable[str | Path] = ()
    ) -> dict[K, list[E]]: ...
    async def find_marked(
        self,
        owner: type[Record],
        marker: str,
        keys: Iterable[Key],
        *,
        properties: Iterable[str | Path] = (),
    ) -> Any:
        """Return the records with your own keys: a list for each key, empty if there are none.

        ::

            found = await acme.find_marked(WoCreateCommand, "work_order.po_number", ["PO-1", "PO-2"])

        One query covers 200 keys. Several records in a list mean that the key was used more than once.
        Removed records are included (``is_removed``). Comparison is case-sensitive, even if the service
        ignores case. For a call in doubt, first wait ``InDoubtError.settle`` seconds: the service may still
        create its record.

        Args:
            owner: the class of the command or record with the keys.
            marker: the path to the keys, as for :meth:`run` and :meth:`create`.
            keys: strings or integers.
            properties: property paths to read, as for :meth:`get`; the key and the id are always read.

        Raises:
            InvalidCallError: keys at this path cannot be looked up, or a value cannot be a key.
            NotUniqueError: 1,000 records or more have the same key.
        """
        field = field_of(owner, marker)
        with self._sender.redaction:
            return await find_marked(field, keys, self._sender.send, selection(field.entity, properties))

    # --- requests without a verb ------------------------------------------------------------------

    async def post(self, path: str, body: Any, *, repeat_safe: bool = False) -> Any:
        """POST ``body`` to a path below ``api/v1/`` that no verb covers, and return the response's JSON.

        Use it for endpoints without documented responses, such as the batch endpoints::

            await acme.post("batch/Get", [BatchEntityRequestItem(entity_type="Customer", id=512)])

        Args:
            path: names joined by ``/``.
            body: JSON values and model objects, unchecked.
            repeat_safe: whether the call is idempotent, and so may be retried.
        """
        return await self._sender.send(calls.post(path, body, repeat_safe=repeat_safe))  # facts 3.2

    async def send(self, call: Call[T]) -> T:
        """Send a prepared call, such as one recorded by :class:`DryRun`, and return its result."""
        return await self._sender.send(call)


def _marker(marker: str | None) -> str:
    """Return the marker's path. Raises InvalidCallError if there is none."""
    if marker is None:
        raise InvalidCallError(
            "look_first needs a marker; name the field that holds your key: marker='work_order.po_number'"
        )
    return marker


def sender_of(company: Company) -> CallSender:
    """Return a Company's call sender, for higher layers."""
    return company._sender


def is_closed(company: Company) -> bool:
    """Return whether a Company's client is closed; a closed client sends no calls."""
    return company._sender.transport.closed


def secrets_of(company: Company) -> Secrets:
    """Return the secrets of a Company's latest sessions; before the first session, the client secret."""
    return company._sender.secrets
