"""Commands and their results, one module for each theme.

Only the model imports it: other modules take a command from ``wosdk_async.model``.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""
