"""Settings that no argument gives: environment variables, profiles, sources of credentials.

``client.py``, MCP and the command line import it; it imports credentials and hosts of the transport.
"""
