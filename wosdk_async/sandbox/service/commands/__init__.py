"""Commands by subject; ``registry.py`` lists all of them."""
