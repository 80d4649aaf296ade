"""Concurrency and rate limits of each Company, below those of the client; it imports ``clock.py`` alone."""
