"""Commands and their results, one module per theme.

Import commands from ``wosdk_async.model``.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""
