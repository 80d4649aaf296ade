"""Observation of calls: hooks, OpenTelemetry, traces, statistics."""
