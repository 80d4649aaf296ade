"""Text that came from outside, made safe to print, log and store.

Every package may import it, the sandbox included; it imports nothing of ours.
"""
