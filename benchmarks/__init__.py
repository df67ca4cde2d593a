"""What is measured, how, and against what. ``scripts/bench`` runs it."""
