"""Requests and responses of the sandbox: the routes of the service, log-in, admin addresses, OpenAPI.

``server.py``, ``local.py`` and ``wosdk_async.testing`` import it; it may import
every other package of the sandbox.
"""
