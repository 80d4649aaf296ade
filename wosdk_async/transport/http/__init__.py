"""HTTP engines: one request out, one response in."""
