"""The main theorems in Coq, and proofs of the kernel written for it."""
