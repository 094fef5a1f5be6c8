"""The statements of the papers, as tables."""
