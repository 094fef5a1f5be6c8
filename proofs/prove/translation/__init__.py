"""From the text of a formula to terms of the kernel. Not trusted."""
