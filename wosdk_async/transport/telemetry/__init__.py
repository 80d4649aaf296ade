"""Call telemetry: observers, OpenTelemetry, traces, statistics. All of the transport may import it."""
