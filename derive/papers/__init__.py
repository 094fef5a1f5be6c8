"""The factorizations of the papers, a function per numbered equation."""
