"""Rows that a Company starts with, and rows of your own.

``http/``, ``server.py``, ``local.py``, the command line and ``wosdk_async.testing`` import it.
"""
