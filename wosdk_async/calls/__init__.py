"""The way from a Company's verbs to the transport: sender, fan-out, and calls in doubt looked up by markers.

``company.py`` and ``resources/`` import it; it imports ``transport/`` and what is below that.
"""
