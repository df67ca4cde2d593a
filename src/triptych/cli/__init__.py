"""Typed commands: the same walk as every other surface, in this process."""
