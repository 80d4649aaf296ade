"""Helpers for web back ends: problem bodies, ASGI, webhooks, and records in Pydantic, FastAPI and Litestar.

Modules here are imported only when used. They import ``codec/`` and ``protocol/``, but never a Company. The
MCP server uses the problem bodies.
"""
