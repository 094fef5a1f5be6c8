"""A second reading of equations as text, and of the kernel's terms, at numbers."""
