"""Layer between a Company's verbs and the transport: sender, fan-out, look-ups of calls in doubt.

``company.py`` and ``resources/`` import it; it imports ``transport/`` and what is below that.
"""
