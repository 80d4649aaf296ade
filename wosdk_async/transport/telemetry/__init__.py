"""Observation of calls: observers, OpenTelemetry, traces, statistics."""
