"""Settings that no argument gives: environment variables, profiles, sources of credentials.

``client.py`` and the command line import it.
"""
