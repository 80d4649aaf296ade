"""Text that came from outside, made safe to print, log and store. Imports nothing of the package."""
