"""Modules with the commands of ``wosdk``, imported on demand."""
