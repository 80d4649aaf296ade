"""Requests and responses without input and output: verbs become Calls, responses become results or errors.

Every package above imports it: queries, options, transport, a Company. It imports ``codec/`` and ``model/``,
never asyncio.
"""
