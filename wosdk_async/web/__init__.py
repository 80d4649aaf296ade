"""Helpers for web back ends: problem bodies, ASGI, webhooks, and records in Pydantic, FastAPI and Litestar.

Nothing here is imported unless it is used. It imports ``codec/`` and ``protocol/``, never a Company. MCP uses
its problem bodies.
"""
