"""All input and output; docs/architecture.md shows the path of a call through these files.

It knows no entity, command or query: it takes a :class:`~wosdk_async.protocol.wire.Call`. The client, calls,
settings, resources, jobs and the tools import it.
"""
