"""HTTP engines: one request out, one response in. Engines know nothing of sessions, limits or retries."""
