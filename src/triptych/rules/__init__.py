"""May it run? Pure functions over a request and an engine's spec; no file, no clock, no network."""
