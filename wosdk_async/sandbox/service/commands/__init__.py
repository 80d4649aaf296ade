"""Commands: a function for each, in the module of its subject; `registry` has the table of all."""
