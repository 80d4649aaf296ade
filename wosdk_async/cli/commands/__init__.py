"""Commands of ``wosdk``, one file for each."""
