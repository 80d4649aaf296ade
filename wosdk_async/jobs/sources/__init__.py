"""Files that rows come from, one module for each format."""
