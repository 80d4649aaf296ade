"""Concurrency and rate limits of each Company, below the limits of the client."""
