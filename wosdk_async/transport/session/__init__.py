"""Session of a Company: manager, log-in, credentials, trusted hosts. Does not use the dispatcher."""
