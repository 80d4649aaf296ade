"""Files that rows come from."""
