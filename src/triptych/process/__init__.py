"""The child processes that untrusted bytes and heavy work run in: bounded, framed, ended at once."""
