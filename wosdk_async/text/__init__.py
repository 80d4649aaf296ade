"""Untrusted text, made safe to print, log and store."""
