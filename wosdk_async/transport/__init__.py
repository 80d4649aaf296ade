"""All input and output. docs/architecture.md shows the way of a call through these files.

Nothing here knows an entity or a command: it takes a :class:`~wosdk_async.protocol.wire.Call`.
"""
