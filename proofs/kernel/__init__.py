"""The kernel of the prover. Trusted; standard library only."""
