"""HTTP in, HTTP out: ``/v1/videos`` and what belongs to it. No rules, no media code, no engines."""
