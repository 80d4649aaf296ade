"""Call telemetry: observers, OpenTelemetry, traces, statistics. Any transport module may import it."""
