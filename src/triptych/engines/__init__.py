"""What does the work: one folder an engine, found by entry point."""
