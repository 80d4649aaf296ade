"""For web back ends: problem bodies, ASGI, webhooks, and our classes in Pydantic, FastAPI and Litestar.

Nothing here is loaded unless it is used. It imports ``codec/`` and ``protocol/``, never a Company. MCP uses
its problem bodies.
"""
