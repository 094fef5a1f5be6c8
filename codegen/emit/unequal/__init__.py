"""Programs whose ranks have unequal parts as text."""
