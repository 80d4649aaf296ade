"""Session of a Company: manager, log-in, credentials, trusted hosts. Knows nothing of the dispatcher."""
