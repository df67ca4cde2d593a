"""The only JSON of the project: how plans, results, specs and errors are written down."""
