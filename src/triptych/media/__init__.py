"""Bytes to samples and back; the only layer that opens a path."""
