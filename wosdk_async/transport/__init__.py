"""All I/O. docs/architecture.md traces a call through these files.

The transport takes a :class:`~wosdk_async.protocol.wire.Call` and knows nothing of entities, commands or
queries.
"""
