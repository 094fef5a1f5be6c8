"""Search for proofs. Not trusted: every step goes through the kernel."""
