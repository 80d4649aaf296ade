"""Web console for local browsers: records, work orders and recorded requests."""
