"""The video server over loopback, against what the same work costs without it."""
