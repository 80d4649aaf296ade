"""Session of a Company: manager, log-in, credentials, trusted hosts.

These modules do not use the dispatcher.
"""
