"""What a program can see of its calls: hooks, spans, traces, statistics."""
