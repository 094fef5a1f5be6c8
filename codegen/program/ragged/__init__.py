"""Programs whose ranks have unequal parts: axes are transformed while they are whole."""
