"""Layer between a Company's verbs and the transport: sender, fan-out, look-ups of calls in doubt."""
