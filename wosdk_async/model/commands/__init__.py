"""Commands and their results, one module for each theme.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""
