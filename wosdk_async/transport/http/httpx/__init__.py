"""Adapters of httpx and httpx2, written once: the library is a module. Annotations name httpx for both."""
