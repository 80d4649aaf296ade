"""Concurrency and rate limits of each Company, below a bound of the client."""
