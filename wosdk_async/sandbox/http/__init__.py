"""Requests in, responses out."""
