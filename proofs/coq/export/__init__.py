"""Proofs of the kernel as Coq files over Kernel.v, a lemma for each step; Coq judges them."""
