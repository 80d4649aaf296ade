"""What users hold: the verbs of one Company, and the helpers on top of them."""

from __future__ import annotations

from wosdk_async.resources.changes import Feeds
from wosdk_async.resources.custom_fields import CustomFields
from wosdk_async.resources.documents import Documents
from wosdk_async.resources.editing import Editing
from wosdk_async.resources.labor import Labor
from wosdk_async.resources.names import Lookup
from wosdk_async.resources.work_orders import Workflow

__all__ = ["Company"]


class Company(Workflow, Documents, Editing, CustomFields, Lookup, Labor, Feeds):
    """One Company of a client; made by :meth:`Client.company <wosdk_async.client.Client.company>`.

    Light: it can be made anew for every request, the session and the connections are the client's.
    """
