"""Settings from outside the arguments: environment variables, profiles, credential sources."""
