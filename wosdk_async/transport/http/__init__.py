"""HTTP engines: one request out, one response in. They know no session, limiter or retry."""
