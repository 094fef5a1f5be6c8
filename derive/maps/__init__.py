"""Maps of indices, and how they are written."""
