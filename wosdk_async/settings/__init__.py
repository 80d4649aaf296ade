"""Settings not passed as arguments: environment variables, profiles, credential sources."""
