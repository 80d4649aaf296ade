"""Campaigns on real sockets and processes: kills, broken connections, hostile servers.

Commands: ``python -m tests.chaos.desync``, ``.fuzz_sandbox``, ``.hostile``, ``.imports``, ``.reliability``,
``.sandbox_kills``, ``.web`` and ``.workers``.
"""
