"""Block algebra over GF(2) and divisions of polynomials. Trusted; standard library only."""
