"""What is remembered: jobs that outlive the process that took them, and the files that they need and make."""
