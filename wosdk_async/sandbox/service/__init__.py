"""What the service does with a request: base calls, queries, commands and rules."""
