"""The routes, by what they are about. Each is a few lines; the work is done elsewhere."""
